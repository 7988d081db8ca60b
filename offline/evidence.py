"""What speaks for an answer from the passages found, in numbers that mean the same in every course."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.types import Source
from offline.candidates import Candidate
from posts.parts import Post

MAX_RARITY = 4.0
"""At which sums of rarities end: more covered, or missing, words tell nothing new."""
ALONE = 0.5
"""Agreement where a single passage was found, or words and meanings are unknown: nothing can agree."""
FOREIGN_BELOW = 0.2
"""Share of a question's words among the passages below which it counts as written in another language."""

Rarity = Mapping[str, float]
"""Of words in the course's material, from 0 (in every passage) to 1 (in none), as from `retrievers.rarity`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Named features of a question and the passages found, best first.

    Attributes:
        words: BM25 score of the best passage, as a share of what the question's words could give in the course.
        meaning: cosine similarity of the best passage.
        agreement: mean of the reciprocal ranks of the best passage by search, by words and by meaning, without the
            search where the retriever compares only one of the two; `ALONE` if that cannot be said.
        worth_gap: by how much the best passage is worth more than the second; 0 if there is none.
        covered: sum of the rarities of the question's words that the best passage has, at most `MAX_RARITY`.
        missing: the same for the words in the title and in sentences that ask, which no passage found has.
        title_missing: share of the title's words, weighed by rarity, that no passage found has.
        is_named: 1 if the question names the passage ("hw3 2b").
        is_assignment: 1 if the best passage is of an assignment.
        sources: number of kinds of material among the passages.
        nothing: the router's probability that no function is needed; None if it was not asked.
    """

    words: float
    meaning: float
    agreement: float
    worth_gap: float
    covered: float
    missing: float
    title_missing: float
    is_named: float
    is_assignment: float
    sources: float
    nothing: float | None


def evidence_of(post: Post, ranked: Sequence[Candidate], rarity: Rarity, nothing: float | None = None) -> Evidence:
    """The evidence of the candidates, of which there is at least one, best first.

    Words of another language than the material's are missing everywhere, which says nothing: they are not counted.
    """
    best, found = ranked[0], frozenset[str]().union(*(one.all_terms for one in ranked))
    is_foreign = len(post.words & found) < FOREIGN_BELOW * len(post.words)
    missing = frozenset[str]() if is_foreign else post.asked_words - found
    return Evidence(
        words=best.words,
        meaning=best.meaning,
        agreement=_agreement(best, ranked),
        worth_gap=best.worth - ranked[1].worth if len(ranked) > 1 else 0.0,
        covered=min(_rarity(post.words & best.all_terms, rarity), MAX_RARITY),
        missing=min(_rarity(missing, rarity), MAX_RARITY),
        title_missing=_rarity(missing & post.title_words, rarity) / (_rarity(post.title_words, rarity) or 1.0),
        is_named=float(bool(best.named)),
        is_assignment=float(best.passage.source is Source.ASSIGNMENT),
        sources=float(len({one.passage.source for one in ranked})),
        nothing=nothing,
    )


def _rarity(words: Iterable[str], rarity: Rarity) -> float:
    """The sum over the words; unknown ones are as rare as can be."""
    return sum(rarity.get(word, 1.0) for word in sorted(words))


def _agreement(best: Candidate, ranked: Sequence[Candidate]) -> float:
    if len(ranked) == 1 or best.match is None:
        return ALONE
    by_words = sum(one.words > best.words for one in ranked)
    by_meaning = sum(one.meaning > best.meaning for one in ranked)
    # A search by words agrees with the words whatever it finds.
    ranks = (by_words, by_meaning) if best.passage.match is None else (best.rank, by_words, by_meaning)
    return fmean(1 / (1 + rank) for rank in ranks)

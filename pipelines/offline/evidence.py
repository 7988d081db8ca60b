"""What speaks for an answer from the passages found, and how likely it makes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp

from core.types import Source
from pipelines.offline.candidates import RANK_WEIGHT, Candidate, coverage
from pipelines.offline.posts import Post

NEAR_BEST = 3
"""Passages after the best that it is compared with."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Named features of a question and the passages found, best first. Shares are from 0 to 1.

    Attributes:
        words: BM25 score of the best passage, as a share of what the question's words could give in the course.
        words_gap: by how much that is above the mean of the next passages.
        meaning: cosine similarity of the best passage.
        meaning_gap: by how much that is above the mean of the next passages.
        most_words, most_meaning: the highest of any passage found.
        coverage: share of the question's terms in the best passage and its headings, weighed by rarity.
        heading_coverage: the same for its headings alone.
        found_coverage: the same for all passages found together.
        worth_gap: by how much the best passage is worth more than the second.
        agreement: mean of the reciprocal ranks of the best passage by search, by words and by meaning.
        is_named: 1 if the question names the passage ("hw3 2b").
        is_elsewhere: 1 if the question names an assignment and the best passage is of another.
        is_error: 1 if the question has an error message.
        has_error: 1 if the best passage has the same error.
        asks: 1 if the text asks something in so many words.
        is_remark: 1 if nothing in the text asks for something.
        sources: number of kinds of material searched.
        is_qa, is_textbook, is_assignment, is_logistics: 1 for the kind of the best passage.
    """

    words: float
    words_gap: float
    meaning: float
    meaning_gap: float
    most_words: float
    most_meaning: float
    coverage: float
    heading_coverage: float
    found_coverage: float
    worth_gap: float
    agreement: float
    is_named: float
    is_elsewhere: float
    is_error: float
    has_error: float
    asks: float
    is_remark: float
    sources: float
    is_qa: float
    is_textbook: float
    is_assignment: float
    is_logistics: float


def evidence_of(post: Post, ranked: Sequence[Candidate], weights: Mapping[str, float]) -> Evidence:
    """The evidence of the candidates, of which there is at least one, best first."""
    best, others = ranked[0], ranked[1 : 1 + NEAR_BEST]
    source = best.passage.source
    return Evidence(
        words=best.words,
        words_gap=best.words - _mean([one.words for one in others]),
        meaning=best.meaning,
        meaning_gap=best.meaning - _mean([one.meaning for one in others]),
        most_words=max(one.words for one in ranked),
        most_meaning=max(one.meaning for one in ranked),
        coverage=coverage(best.all_terms, weights),
        heading_coverage=coverage(best.context | best.named, weights),
        found_coverage=coverage(frozenset().union(*(one.all_terms for one in ranked)), weights),
        worth_gap=best.worth - ranked[1].worth if len(ranked) > 1 else RANK_WEIGHT / 2,
        agreement=_agreement(best, ranked),
        is_named=float(bool(best.named)),
        is_elsewhere=float(source is Source.ASSIGNMENT and bool(post.works) and not post.works & best.context),
        is_error=float(bool(post.errors)),
        has_error=float(post.has_error_in(best.passage)),
        asks=float(post.asks),
        is_remark=float(post.is_remark),
        sources=float(len({one.passage.source for one in ranked})),
        is_qa=float(source is Source.QA),
        is_textbook=float(source is Source.TEXTBOOK),
        is_assignment=float(source is Source.ASSIGNMENT),
        is_logistics=float(source is Source.LOGISTICS),
    )


def _agreement(best: Candidate, ranked: Sequence[Candidate]) -> float:
    by_words = sum(one.words > best.words for one in ranked)
    by_meaning = sum(one.meaning > best.meaning for one in ranked)
    return _mean([1 / (1 + rank) for rank in (best.rank, by_words, by_meaning)])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


INTERCEPT = -2.1
WEIGHTS: Mapping[str, float] = {
    "words": 5.2, "meaning": 3.3, "coverage": 1.6, "is_named": 1.0, "is_elsewhere": -2.0, "worth_gap": 1.0,
    "has_error": 1.0,
}  # fmt: skip
"""Of a logistic regression over the evidence."""


def probability(evidence: Evidence) -> float:
    """How likely the best passage answers, from 0 to 1."""
    features = asdict(evidence)
    return 1 / (1 + exp(-INTERCEPT - sum(weight * features[name] for name, weight in WEIGHTS.items())))

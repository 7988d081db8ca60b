"""Which passage answers: the ranking of the search, corrected by what the passages' words cover.

The search sees the whole course and is right about the first passage for most questions, so its rank counts most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from types import MappingProxyType

from core.types import Match, Passage, Source, Visibility
from offline.pieces import answer_part
from posts.parts import Post
from retrievers.dates import DATE, dated_terms
from retrievers.names import names_around, read_names, works_of
from retrievers.terms import question_term, work_term

RANK_WEIGHT = 1.0
COVERAGE_WEIGHT = 0.6
MATCH_WEIGHT = 1.2
NAMED_WEIGHT = 0.5
ONLY_NAMED_WEIGHT = 2.0
"""For a post that says only at which task its author is stuck: other passages were found by the task's own words."""
ERROR_WEIGHT = 1.2
OTHER_TASK_PENALTY = 0.5
"""What a past thread on another task than the one that the question names loses."""
UNNAMED_TASK_PENALTY = 0.25
"""What a task loses that the question does not name: tasks are about everything in the course, and most questions about
one name it."""
UNRELATED_LOGISTICS_PENALTY = 0.25
"""What a passage on how the course is run loses where the question is not about that: schedules name all topics."""
MAX_TERM_WEIGHT = 3.0
"""Of a rare word, so that it does not outweigh the rank of a passage."""
MAX_HEADING_LINES = 3
"""Lines over which a heading may be set."""
MIN_WORDING = 4
"""Words of a heading that may be a whole task; "Question 2b (4 points)" has three."""
CACHED_TEXTS = 2_000
UNKNOWN = Match(words=0.15, meaning=0.3)
"""Of a passage from a retriever that tells no match: low values, so that its words decide."""
NO_MATCHES: Mapping[str, Match] = MappingProxyType({})
_POINTS = re.compile(r"\([^)]*\d[^)]*\)")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may be quoted. `number` counts passages from 1, `rank` those of its source from 0.

    `body` is what can be quoted of it; `context` are the terms of its headings, and of a thread's question; `named` are
    the question's terms that name it.
    """

    number: int
    rank: int
    passage: Passage
    body: str
    terms: frozenset[str]
    context: frozenset[str]
    named: frozenset[str]
    worth: float = 0.0
    match: Match | None = None
    """How well it matches the query: as its retriever says, or, where that says nothing, as was found afterwards."""

    @property
    def all_terms(self) -> frozenset[str]:
        """All by which it is compared with a question."""
        return self.terms | self.context | self.named

    @property
    def strength(self) -> float:
        """Its worth without its rank."""
        return self.worth - RANK_WEIGHT / (1 + self.rank)

    @property
    def meaning(self) -> float:
        """Cosine similarity to the query."""
        return (self.match or UNKNOWN).meaning

    @property
    def words(self) -> float:
        """Share of the query's words, by BM25."""
        return (self.match or UNKNOWN).words


def read_candidates(
    post: Post, passages: Sequence[Passage], matches: Mapping[str, Match] = NO_MATCHES
) -> list[Candidate]:
    """The passages that students may read and that have something to quote, in the order of the search.

    `matches` are of passages, by block id, whose retriever told none.
    """
    ranks: Counter[Source] = Counter()
    found = []
    for number, passage in enumerate(passages, 1):
        rank = ranks[passage.source]
        ranks[passage.source] += 1
        if passage.visibility is Visibility.STUDENT and (candidate := _candidate(post, number, rank, passage)):
            found.append(replace(candidate, match=passage.match or matches.get(passage.block_id)))
    return found


def _candidate(post: Post, number: int, rank: int, passage: Passage) -> Candidate | None:
    body, asked = answer_part(passage) if passage.source is Source.QA else (passage.text, "")
    if not _is_worded_by_heading(passage):
        body = _without_heading(body, passage) or (body if _is_task(passage) else "")
    if not body.strip():
        return None
    works = frozenset(map(work_term, works_of(passage)))
    context = _material_terms(" | ".join((passage.title, *passage.heading_path, asked))) | works
    terms = _material_terms(body)
    named = _named(passage.label, context, post) | _dated(terms | context, post)
    return Candidate(number, rank, passage, body, terms, context, named)


@lru_cache(CACHED_TEXTS)
def _material_terms(text: str) -> frozenset[str]:
    """The terms of course material, of which the same passages are found again and again."""
    return dated_terms(text)


def _is_worded_by_heading(passage: Passage) -> bool:
    """True for a task whose heading is its wording ("(b) Which keys does the relation have?"), as in PDFs."""
    heading = passage.heading_path[-1] if passage.heading_path else ""
    return bool(passage.label) and len(_WORD.findall(heading)) >= MIN_WORDING


def _is_task(passage: Passage) -> bool:
    """True for a task with a wording, however short ("2.4 I⁻ O⁺ Z⁺"), and not for "Question 2b (4 points)"."""
    heading = passage.heading_path[-1] if passage.heading_path else ""
    return bool(passage.label and _POINTS.sub("", read_names(heading).rest).strip(" .:,…"))


def _without_heading(body: str, passage: Passage) -> str:
    """The text without its own headings above it, which its location has already."""
    headings = {_letters(heading) for heading in (passage.title, *passage.heading_path)}
    lines = body.split("\n")
    while lines:
        heights = (n for n in range(1, MAX_HEADING_LINES + 1) if _letters("".join(lines[:n])) in headings)
        count = next(heights, 0) if lines[0].strip() else 1
        if not count:
            break
        del lines[:count]
    return "\n".join(lines)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _named(label: str, context: frozenset[str], post: Post) -> frozenset[str]:
    """The terms that name this passage: its section, or its question's number in the right assignment."""
    meant = post.works & context
    questions = post.terms & {question_term(name) for name, _ in names_around(label)} if label else frozenset()
    if questions and (meant or not post.works):
        return questions | meant
    return frozenset(work for work in meant if work.startswith("section "))


def _dated(terms: frozenset[str], post: Post) -> frozenset[str]:
    """The works of the post, for a passage that has one of them and a date where a date is asked for."""
    return post.works & terms if post.asks_when and DATE in terms else frozenset()


def term_weights(terms: frozenset[str], candidates: Sequence[Candidate]) -> dict[str, float]:
    """Inverse document frequency of the question's terms among the candidates, bounded."""
    counts = Counter(term for candidate in candidates for term in terms & candidate.all_terms)
    return {term: min(log(1 + (len(candidates) + 1) / (counts[term] + 0.5)), MAX_TERM_WEIGHT) for term in terms}


def coverage(terms: frozenset[str], weights: Mapping[str, float]) -> float:
    """Share of the weight that these terms have."""
    total = sum(weights.values())
    return sum(weights[term] for term in terms & weights.keys()) / total if total else 0.0


def by_worth(post: Post, candidates: Sequence[Candidate], weights: Mapping[str, float]) -> list[Candidate]:
    """The candidates with their worth, the one that most likely answers first."""
    valued = [replace(one, worth=worth(post, one, weights)) for one in candidates]
    return sorted(valued, key=lambda one: -one.worth)


def worth(post: Post, candidate: Candidate, weights: Mapping[str, float]) -> float:
    """How likely it is that a passage answers, as a sum of weighted features."""
    headings, source = " ".join(candidate.passage.heading_path), candidate.passage.source
    return (
        RANK_WEIGHT / (1 + candidate.rank)
        + COVERAGE_WEIGHT * coverage(candidate.all_terms, weights)
        + MATCH_WEIGHT * candidate.meaning
        + (NAMED_WEIGHT + ONLY_NAMED_WEIGHT * post.is_only_named) * bool(candidate.named)
        + ERROR_WEIGHT * post.error_in(candidate.passage)
        - UNNAMED_TASK_PENALTY * (source is Source.ASSIGNMENT and not candidate.named)
        - UNRELATED_LOGISTICS_PENALTY * (source is Source.LOGISTICS and not post.is_about_course)
        - OTHER_TASK_PENALTY * (source is Source.QA and post.is_on_other_task(headings))
    )

"""Statements in a course's material that say when something is: headings, lines and rows with a date or a time.

Whatever the layout, what a date is of stands in its line, in the headings above it or in the file's name, so that it
can be looked up by the words of a question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from core.types import Passage, Source
from retrievers.names import is_known_work, read_names, works_of
from retrievers.terms import question_terms, work_term

DATE = "a date"
"""Stands among the terms of a text with a date or a time, and of a question that asks for one."""
DUE = "a deadline"
AROUND_WEIGHT = 0.7
"""Of a term in the headings above a date, against one beside it."""
EXACT_WEIGHT = 0.15
"""What a day of a month adds to a statement, against a weekday or a time."""
OWN_WEIGHT, OFFICIAL_WEIGHT = 0.5, 0.3
"""What a statement adds in assignments where a work is named, whose own sheet knows best, else in logistics; and what
it adds in the other one of the two: what a lecture says in passing may be outdated."""
DUE_WEIGHT = 0.5
"""What a deadline adds where one is asked for."""
MIN_COVERAGE = 0.35
"""Share of the question's term weight that a statement must cover where no work is named."""
MAX_LINE_CHARS = 600
_MONTHS = (
    "jan(?:uary|uar|uari|vier)?|feb(?:ruary|ruar|ruari)?|mar(?:ch|zo|s)?|märz|maart|mrz|apr(?:il)?|abril|avril|may|mai|mei|"
    "mayo|jun[ei]?|juni[o]?|juin|jul[iy]?|julio|juillet|aug(?:ust)?|augustus|agosto|août|sept?(?:ember)?|septiembre|"
    "septembre|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|iembre|embre)?|de[cz](?:ember)?|diciembre|décembre|enero|febrero"
)
_DAY = re.compile(
    rf"(?<!\w)(?:{_MONTHS})\.?\s+\d{{1,2}}(?!\d)|(?<!\w)\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?:{_MONTHS})(?!\w)|"
    r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)|(?<![\d/])(?:0?[1-9]|1[0-2]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])(?:/\d{2,4})?(?![\d/])|"
    r"(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?!\d\.)(?:\d{2,4})?|\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<!\w)(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?!\w)|(?<![\d.:])\d{1,2}[:.]\d{2}\s*(?:[ap]\.?m\b|uhr)|"
    r"(?<![\d.:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])|(?<![\d.])\d{1,2}\s*[ap]\.?m\b|"
    r"(?<!\w)(?:(?:mon|diens|donners|frei|sams)tags?|mittwochs?|sonntags?|lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?!\w)|周[一二三四五六日]",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:due|deadline|hand(?:ed)? in|turn(?:ed)? in|submi(?:t|ssion)\w*|abgabe\w*|abgeben|"
    r"frist|entrega\w*|plazo)\b|截止|提交",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:when|due|deadlines?|until|(?:what|which) (?:day|date|time)s?|what(?: day)?/time|dates?|last day|"
    r"wann|frist|bis wann|abgabetermin|cuándo|cuando|plazo|fecha)\b|什么时候|几号|截止|office hours?",
    re.IGNORECASE,
)


def asks_when(text: str) -> bool:
    """True for a text that asks for a date or a time."""
    return bool(_WHEN.search(text))


def has_date(text: str) -> bool:
    """True for a text with a day, a weekday or a time of day."""
    return bool(_DAY.search(text) or _TIME.search(text))


def dated_terms(text: str) -> frozenset[str]:
    """The terms of a text, `DATE` among them where it has one."""
    terms = question_terms(text)
    return terms | {DATE} if has_date(text) else terms


@dataclass(frozen=True, slots=True)
class Statement:
    """A date in a passage: the terms beside it, those of the headings above it, and what a day of a month adds."""

    passage: Passage
    beside: frozenset[str]
    around: frozenset[str]
    bonus: float

    def is_on(self, works: frozenset[str]) -> bool:
        """True if it is on one of these works: those beside the date count, and else those around it."""
        beside = frozenset(filter(is_known_work, self.beside))
        return bool(works & (beside or self.around))

    def coverage(self, weights: Mapping[str, float]) -> float:
        """Share of the question's term weight that it covers."""
        beside = sum(weights[term] for term in self.beside & weights.keys())
        around = sum(weights[term] for term in (self.around - self.beside) & weights.keys())
        return (beside + AROUND_WEIGHT * around) / (sum(weights.values()) or 1.0)

    def worth(self, weights: Mapping[str, float], own: Source) -> float:
        """How likely it says when what these terms are about is; `own` is the kind of material that knows best."""
        is_official = self.passage.source in (Source.ASSIGNMENT, Source.LOGISTICS)
        place = OWN_WEIGHT if self.passage.source is own else OFFICIAL_WEIGHT * is_official
        return self.coverage(weights) + self.bonus + place


def statements_in(passages: Iterable[Passage]) -> tuple[Statement, ...]:
    """The statements of passages, in their order; one in a heading once."""
    headings: set[tuple[str, str]] = set()
    found = []
    for passage in passages:
        around = _around(passage)
        heading = " | ".join(dict.fromkeys((passage.title, *passage.heading_path)))
        is_dated = bool(_DAY.search(heading))
        if is_dated and (passage.document_id, heading) not in headings:
            headings.add((passage.document_id, heading))
            found.append(_statement(passage, heading, around))
        found += [_statement(passage, line, around) for line in _dated_lines(passage.text, is_dated)]
    return tuple(found)


def _around(passage: Passage) -> frozenset[str]:
    return _terms(" | ".join((passage.title, *passage.heading_path))) | frozenset(map(work_term, works_of(passage)))


def _terms(text: str) -> frozenset[str]:
    """The terms of a text, and every word with its number ("part 3")."""
    return question_terms(text) | frozenset(map(work_term, read_names(text).works))


def _dated_lines(text: str, is_dated: bool) -> Iterator[str]:
    """The lines with a date; below a heading with one also those that say what is due."""
    for line in text.split("\n"):
        short = line[:MAX_LINE_CHARS]
        if has_date(short) or (is_dated and _DUE.search(short)):
            yield short


def _statement(passage: Passage, text: str, around: frozenset[str]) -> Statement:
    beside = _terms(text) | ({DUE} if _DUE.search(text) else set())
    return Statement(passage, beside, around, EXACT_WEIGHT * bool(_DAY.search(text)))


def dated_passages(query: str, statements: Sequence[Statement], count: int) -> list[Passage]:
    """The passages that say when what the query names is, best first, at most `count`.

    None where the query asks for no date. Where it names a work, none on other works.
    """
    if not asks_when(query):
        return []
    terms, is_due = _terms(query), bool(_DUE.search(query))
    works = frozenset(map(work_term, read_names(query).known_works))
    own = Source.ASSIGNMENT if works else Source.LOGISTICS
    counts = Counter(term for one in statements for term in terms & (one.beside | one.around))
    weights = {term: log(1 + len(statements) / (1 + counts[term])) for term in terms if counts[term]}
    scores = [
        (one.worth(weights, own) + DUE_WEIGHT * (is_due and DUE in one.beside), one)
        for one in statements
        if (one.is_on(works) if works else one.coverage(weights) >= MIN_COVERAGE)
    ]
    ranked = sorted(scores, key=lambda scored: -scored[0])
    return list({one.passage.block_id: one.passage for _, one in ranked}.values())[:count]

"""Sentences about what a course's calendar says: when something is due or held, and when staff can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from core.facts import Fact, FactKind, Moment, day_of
from core.types import Passage, Visibility
from offline.phrases import Phrases
from posts.parts import Post
from retrievers.dates import names_due
from retrievers.works import EXAMS, plain_line, works_in
from tasks import Quoted, Statement

SURE, DISPUTED = 0.92, 0.6
"""Confidence in a date that nothing contradicts, and in one that another page does."""
MAX_SHOWN_QUOTE = 240
LEAP_YEAR = 2000
_DAYS = (FactKind.DUE, FactKind.RELEASED, FactKind.EXAM, FactKind.LECTURE, FactKind.HOLIDAY)


@dataclass(frozen=True, slots=True)
class CalendarAnswer:
    """The sentences, how sure they are, and whether they answer all that was asked."""

    statements: tuple[Statement, ...]
    confidence: float
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _Said:
    """A fact with the number of the passage that says it."""

    fact: Fact
    number: int


def calendar_answer(post: Post, passages: Sequence[Passage], phrases: Phrases) -> CalendarAnswer | None:
    """What the passages' facts say about the question; None where it asks for none of them."""
    said = [
        _Said(fact, number)
        for number, passage in enumerate(passages, 1)
        if passage.visibility is Visibility.STUDENT
        for fact in passage.facts
        if _is_asked(post, fact)
    ]
    if not said:
        return None
    statements = tuple(_statements(said, phrases))
    confidence = DISPUTED if any(one.fact.disputed for one in said) else SURE
    return CalendarAnswer(statements, confidence, post.asks_only_for_date)


def _is_asked(post: Post, fact: Fact) -> bool:
    """What happens to late work is a rule, which is quoted with what stands around it."""
    if fact.kind is FactKind.LATE:
        return False
    if fact.kind is FactKind.DUE and not _is_sat(fact):
        return post.asks_when_due
    if fact.kind in (FactKind.DUE, FactKind.RELEASED):
        return post.asks_for_date
    return post.asks_for_date or (post.asks and not post.works)


def _statements(said: Sequence[_Said], phrases: Phrases) -> Iterator[Statement]:
    for _, group in groupby(said, key=lambda one: (one.fact.kind, one.fact.name)):
        facts = list(group)
        sources = tuple(Quoted(passage=one.number, quote=one.fact.quote) for one in facts)
        yield Statement(text=f"{_sentence(facts, phrases)}\n", sources=sources)
    first = said[0].fact.quote
    if "|" not in first and len(first) <= MAX_SHOWN_QUOTE:
        quote = "\n".join(f"> {line}".rstrip() for line in first.split("\n"))
        yield Statement(text=quote, sources=(Quoted(passage=said[0].number, quote=first),))


def _sentence(facts: Sequence[_Said], phrases: Phrases) -> str:
    first, *others = facts
    fact = first.fact
    if fact.kind is FactKind.DUE and fact.at is None:
        return phrases.undated.format(name=_name(fact), source=f"[{first.number}]") + phrases.end
    if fact.kind not in _DAYS or fact.at is None:
        pattern = phrases.facts[fact.kind]
        text = pattern.format(name=_name(fact), details=_details(fact), source=f"[{first.number}]")
        return text.replace(" ()", "")
    when = moment_text(fact.at, phrases, fact.until)
    place = phrases.place.format(place=fact.place) if fact.place else ""
    text = phrases.facts[FactKind.EXAM if _is_sat(fact) else fact.kind].format(
        name=_name(fact), when=f"{when}{place}", source=f"[{first.number}]"
    )
    for one in others:
        if one.fact.at is not None:
            text += phrases.other.format(when=moment_text(one.fact.at, phrases), source=f"[{one.number}]")
    return text + phrases.end + (phrases.disputed if others else "")


def _is_sat(fact: Fact) -> bool:
    """Whether a work is an exam that is sat, not one that is handed in."""
    is_exam = any(EXAMS & {*work.kind.split()} for work in works_in(plain_line(fact.name)))
    return fact.kind is FactKind.DUE and is_exam and not names_due(fact.quote)


def _name(fact: Fact) -> str:
    return f"**{fact.name}**" if fact.name else ""


def _details(fact: Fact) -> str:
    return ", ".join(filter(None, (fact.details, fact.place)))


def moment_text(moment: Moment, phrases: Phrases, until: str = "") -> str:
    """As in "Thursday, 19 February, 23:59"; the weekday only where it is certain."""
    from babel.dates import format_skeleton, get_day_names

    on = moment.on or day_of(moment, LEAP_YEAR) or date(LEAP_YEAR, moment.month, 1)
    day = format_skeleton("MMMMd", on, locale=phrases.locale)
    if moment.on and moment.weekday in (None, on.weekday()):
        names: Mapping[int, str] = get_day_names("wide", locale=phrases.locale)
        day = phrases.day.format(weekday=names[on.weekday()], day=day)
    time = f"{moment.time}–{until}" if moment.time and until else moment.time
    return phrases.time.format(day=day, time=time) if time else day

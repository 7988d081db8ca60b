"""Looks up what a question asks of a course's calendar."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import log

from core.facts import Fact, FactKind
from core.text.number_words import with_digits
from core.types import Passage
from retrievers.calendar.calendar import due_fact
from retrievers.calendar.model import Calendar, CalendarEvent, CourseWork, Option
from retrievers.calendar.periods import Period, read_period
from retrievers.dates import asks_when
from retrievers.terms import question_terms
from retrievers.tokens import tokenize
from retrievers.works import WorkName, kinds_like, plain_line, works_in

MAX_FACTS = 6
MAX_OTHER_DAYS = 2
"""Further days that the material gives for a work, besides the likeliest one."""
MIN_TITLE_SHARE = 0.6
"""Of the weight of a title's words that a question must have to mean it."""
_HOURS = re.compile(
    r"\boffice hours?\b|\boh\b|\bstudent hours?\b|\bsprechstunden?\b|\bsprechzeit(?:en)?\b|\bhoras? de (?:oficina|"
    r"consulta)\b|"
    r"\btutor[ií]as?\b|\bpermanence\b|\bspreekuur\b|答疑|办公时间",
    re.IGNORECASE,
)
_LATE = re.compile(
    r"\blate(?!r|st|ly)\b|\bgrace\b|\bslip days?\b|\bafter the (?:deadline|due date)\b|\bzu spät\b|\bverspätet\w*|"
    r"\btarde\b|\ben retard\b|\bte laat\b|迟交",
    re.IGNORECASE,
)
_HANDED_IN = re.compile(
    r"\b(?:hw|homeworks?|assignments?|labs?|projects?|papers?|reports?|essays?|sheets?|work|submi\w+|hand\w*|"
    r"turn\w* (?:it )?in|upload\w*|deadlines?|due|polic\w+|penal\w+|points?|credit|grades?|slip days?|"
    r"grace (?:period|days?)|accept\w*|"
    r"haus\w+|blatt|projekt\w*|abg\w+|punkt\w*|frist\w*|tareas?|entreg\w+|proyecto|puntos?|devoirs?|rend\w+|projet|"
    r"pénalit\w+|opdracht\w*|inlever\w*|punten)\b|作业|交|扣分",
    re.IGNORECASE,
)
_NOT_LATE = re.compile(
    r"\btoo late\b|\b(?:came|come|coming|arriv\w+|be|been|am|was|were) (?:[\w']+ ){0,3}?late (?:to|for|in)\b|"
    r"\b(?:esta|la|por la) tarde\b|\bgrace\b(?! (?:period|days?))",
    re.IGNORECASE,
)
"""People who are late, an afternoon, and somebody's name."""
_RELEASED = re.compile(
    r"\b(?:released?|come[s]? out|posted|available|handed out|assigned|out)\b|\bausgegeben\b|\bdisponible\b|发布",
    re.IGNORECASE,
)
_HAPPENS = re.compile(
    r"\b(?:due|deadlines?|exams?|midterms?|finals?|quiz(?:zes)?|tests?|class(?:es)?|lectures?|topics?|cover(?:ed|ing)?|holidays?|"
    r"happen\w*|hand in|turn in|submit|abgabe\w*|fällig|vorlesung\w*|klausur\w*|thema|entregas?|clases?|examen\w*|"
    r"tema|rendre|"
    r"cours|inleveren|les)\b|截止|考试|上课|交",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:due|deadlines?|hand in|turn in|submit|abgabe\w*|fällig|abgeben|entrega\w*|plazo|rendre|inlever\w*)\b|"
    r"截止|交",
    re.IGNORECASE,
)
_LECTURE = re.compile(
    r"\b(?:class(?:es)?|lectures?|topics?|cover(?:ed|ing)?|vorlesung\w*|thema|clases?|tema|cours|les)\b|上课", re.I
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A fact with the passage that says it."""

    fact: Fact
    passage: Passage


def look_up(calendar: Calendar, query: str, today: date) -> list[LookedUp]:
    """What the calendar says about a question, best first; nothing where it names nothing that the calendar has."""
    if _HOURS.search(query):
        return list(_hours(calendar, query))[:MAX_FACTS]
    works = works_named_in(calendar, query)
    is_late = bool(_LATE.search(query))
    found: list[LookedUp] = []
    if asks_when(query) or is_late:
        found = [one for work in works for one in _of_work(work, query)]
        named = works_in(plain_line(query))
        if not found:
            found = list(_titled(calendar, query, named))
    if not found and not works and _HAPPENS.search(query) and (period := read_period(query, today, calendar.term)):
        found = list(_within(calendar, period, query))
    if is_late:
        found += _late(calendar, works)
    return found[:MAX_FACTS]


def says_when_due(text: str) -> bool:
    """True for words for what is due, and none for what is late."""
    return bool(_DUE.search(text)) and not _LATE.search(text)


def is_about_late_work(text: str) -> bool:
    """True for words for what is late beside words for what is handed in."""
    text = _NOT_LATE.sub(" ", text)
    return bool(_LATE.search(text) and _HANDED_IN.search(text))


def works_named_in(calendar: Calendar, query: str) -> list[CourseWork]:
    """The works of the calendar that a text names."""
    return list(
        {id(work): work for name in works_in(plain_line(query)) for work in _works_named(calendar, name)}.values()
    )


def _works_named(calendar: Calendar, name: WorkName) -> list[CourseWork]:
    """The works of a name: of its kind, else of a kind that is taken for it; parts of it where it is not whole."""
    kinds = kinds_like(name.kind)
    for able in ({name.kind}, kinds):
        of_kind = [work for work in calendar.works if work.name.kind in able]
        if exact := [work for work in of_kind if work.name.number == name.number]:
            return exact
        if not name.number:
            return of_kind if len(of_kind) == 1 else []
        whole, _, part = name.number.partition(" part ")
        if part:
            if again := [work for work in of_kind if work.name.number in (f"{whole}{part}", f"{whole}.{part}", whole)]:
                return again
        elif parts := [work for work in of_kind if re.match(rf"{re.escape(whole)}(?: part |[a-h]$)", work.name.number)]:
            return parts
    return []


def _of_work(work: CourseWork, query: str) -> Iterator[LookedUp]:
    if _RELEASED.search(query) and not _DUE.search(query) and work.released:
        best = work.released[0]
        fact = due_fact(work, best).model_copy(update={"kind": FactKind.RELEASED, "disputed": len(work.released) > 1})
        yield LookedUp(fact, best.said[0].passage)
        return
    if work.never_due:
        quote, passage = work.never_due
        yield LookedUp(Fact(kind=FactKind.DUE, name=work.label, details="no due date", quote=quote), passage)
    yield from (_found(work, option) for option in work.due[: 1 + MAX_OTHER_DAYS * work.is_disputed])


def _found(work: CourseWork, option: Option) -> LookedUp:
    return LookedUp(due_fact(work, option), option.said[0].passage)


def _titled(calendar: Calendar, query: str, named: Sequence[WorkName]) -> Iterator[LookedUp]:
    """The work or event whose title the question has, if one fits best."""
    if events := [one for one in calendar.events if any(_is_named(one, name) for name in named)]:
        yield from map(_event, events[:2])
        return
    if any(name.number for name in named):
        return
    titles: list[tuple[frozenset[str], CourseWork | CalendarEvent]] = [
        (_terms(work.title or work.label), work) for work in calendar.works if work.due
    ]
    titles += [
        (_terms(event.row.title), event)
        for event in calendar.events
        if not _is_lecture(event) or _LECTURE.search(query)
    ]
    asked, numbers = _terms(query), _numbers(query)
    titles = [(terms, one) for terms, one in titles if _may_mean(_words_of(one), terms, asked, numbers)]
    weights = _weights(terms for terms, _ in titles)
    scored = [(_share(terms, asked, weights), one) for terms, one in titles if terms]
    best = max((score for score, _ in scored), default=(0.0, 0.0))
    if best[0] < MIN_TITLE_SHARE:
        return
    winners = [one for score, one in scored if score == best]
    if len({(one.label if isinstance(one, CourseWork) else one.row.title.casefold()) for one in winners}) > 1:
        return
    for one in winners[:2]:
        if isinstance(one, CourseWork):
            yield from _of_work(one, query)
        else:
            yield _event(one)


_NUMBER = re.compile(r"(?<![^\W_])(?:[a-z]{0,3}0*\d{1,3}[a-z]?)(?![^\W_])")
_GENERIC = frozenset(
    map(str, tokenize("quiz test exam midterm project assessment paper report lab essay presentation part"))
)


def _numbers(text: str) -> set[str]:
    """The numbers and codes in a text: 6, m2."""
    return {re.sub(r"(?<!\d)0+(?=\d)", "", code) for code in _NUMBER.findall(with_digits(text).casefold())}


def _words_of(one: CourseWork | CalendarEvent) -> str:
    return f"{one.label} {one.title}" if isinstance(one, CourseWork) else one.row.title


def _may_mean(title: str, terms: frozenset[str], asked: frozenset[str], numbers: set[str]) -> bool:
    """Whether a question may mean a title: its numbers are in it, and where a title is only "the quiz", it asks for no
    particular one."""
    if not numbers <= _numbers(title):
        return False
    return bool(terms & asked - _GENERIC) or not asked - _GENERIC


def _is_named(event: CalendarEvent, name: WorkName) -> bool:
    return any(
        other.number == name.number and other.kind in kinds_like(name.kind)
        for other in works_in(plain_line(event.row.title))
    )


def _is_lecture(event: CalendarEvent) -> bool:
    return event.row.kind == FactKind.LECTURE


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for term in question_terms(plain_line(text)) if term not in _COMMON)


_COMMON = frozenset(
    tokenize(
        "due deadline date day exam submit final class lecture week homework assignment anybody somebody exact "
        "time hand turn "
        "last until first now actually abgabe frist fällig entrega plazo wann cuándo quand wanneer"
    )
)
"""Words of many titles, which tell none of them from the others: with nothing else a title is not meant."""


def _weights(titles: Iterable[frozenset[str]]) -> dict[str, float]:
    titles = list(titles)
    counts: dict[str, int] = {}
    for terms in titles:
        for term in terms:
            counts[term] = counts.get(term, 0) + 1
    return {term: log(1 + len(titles) / count) for term, count in counts.items()}


def _share(terms: frozenset[str], asked: frozenset[str], weights: dict[str, float]) -> tuple[float, float]:
    """How much of a title a question has, or the title of what the question names, and with what weight."""
    common = sum(weights[term] for term in terms & asked)
    rarest = max(weights.values())
    named = sum(weights.get(term, rarest) for term in asked - _GENERIC)
    whole = min(sum(weights[term] for term in terms), named or rarest)
    return round(min(common / whole, 1.0), 3), round(common, 3)


def _within(calendar: Calendar, period: Period, query: str) -> Iterator[LookedUp]:
    weeks = {event.moment.text[:10]: event.row.week for event in calendar.events if event.row.week is not None}
    for work in calendar.works:
        if (
            work.due
            and not work.is_disputed
            and period.covers(work.due[0].moment.on, weeks.get(work.due[0].moment.text[:10]))
        ):
            yield _found(work, work.due[0])
    if _DUE.search(query):
        return
    asks_for_class = bool(_LECTURE.search(query))
    for event in calendar.events:
        is_asked = _is_lecture(event) == asks_for_class or event.row.kind == FactKind.HOLIDAY
        if is_asked and any(period.covers(day, event.row.week) for day in _days_of(event)):
            yield _event(event)


def _days_of(event: CalendarEvent) -> list[date | None]:
    """Its day, or each of its days: a break has several."""
    first, last = event.moment.on, event.row.last_day
    if first is None or last is None:
        return [first]
    count = last - first.day if last >= first.day else last + monthrange(first.year, first.month)[1] - first.day
    return [first + timedelta(days=n) for n in range(count + 1)]


def _event(event: CalendarEvent) -> LookedUp:
    row = event.row
    fact = Fact(
        kind=FactKind(row.kind), name=row.title, at=event.moment, until=row.until, place=row.place, quote=row.quote
    )
    return LookedUp(fact, event.passage)


def _hours(calendar: Calendar, query: str) -> Iterator[LookedUp]:
    """The office hours of whom the question names, else of everyone."""
    words = {word.casefold() for word in _WORD.findall(query)}
    people = [(row, passage) for row, passage in calendar.staff]
    named = [
        (row, passage)
        for row, passage in people
        if words & {part.casefold() for part in _WORD.findall(row.name) if len(part) > 2}
    ]
    if not named and _ROLE.search(query):
        named = [(row, passage) for row, passage in people if _ROLE.search(row.role)]
        if not named:
            return
    if not named and _names_somebody(query):
        return
    for row, passage in named or people:
        yield LookedUp(
            Fact(kind=FactKind.HOURS, name=row.name, place=row.place, details=row.hours, quote=row.quote), passage
        )


_TITLED = re.compile(r"\b(?:prof(?:essor)?|dr|mr|ms|mrs|frau|herr)\b\.?\s+\w|\b[A-Z][a-z]+['’]s\b")


_ROLE = re.compile(r"\b(?:TAs?|teaching assistants?|tutors?|graders?|assistants?|ayudantes?|tutoren)\b", re.IGNORECASE)
"""Whose office hours a question means; those of others are no answer to it."""


def _names_somebody(query: str) -> bool:
    return bool(_TITLED.search(query))


def _late(calendar: Calendar, works: Sequence[CourseWork]) -> Iterator[LookedUp]:
    rules = [work.late_rule for work in works if work.late_rule] or list(calendar.late_rules)
    for row, passage in rules[:1]:
        yield LookedUp(Fact(kind=FactKind.LATE, name="", details=row.late_rule, quote=row.quote), passage)

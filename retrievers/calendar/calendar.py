"""What a course's material says together: one work for all its names, the likeliest date, and what contradicts.

A sheet knows best when it is due, then what says that a date was changed, then the pages on how the course is run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from core.course.calendar import CalendarEntry
from core.facts import Fact, FactKind, Moment
from core.store.facts import CourseFacts
from core.store.tables import EventRow, StaffRow, WorkRow
from core.types import Passage, Source, Visibility
from retrievers.calendar.corrections import corrected, corrections_in, moments_in
from retrievers.calendar.model import Calendar, CalendarEvent, CourseWork, Option, Saying
from retrievers.calendar.years import Term, term_of
from retrievers.names import TO_HAND_IN
from retrievers.works import WorkName

CHANGE_WEIGHT, OWN_WEIGHT, PLAN_WEIGHT, ASSIGNMENT_WEIGHT, OTHER_WEIGHT = 4.0, 3.0, 2.0, 1.0, 0.5
MISFIT = 0.4
"""What a date keeps of its weight whose weekday is not that of its day: it may be of an earlier year."""


def build_calendar(
    facts: CourseFacts,
    passages: Iterable[Passage],
    title: str,
    today: date,
    entries: Mapping[str, CalendarEntry] | None = None,
) -> Calendar:
    """The calendar of what these passages say. What staff said in `entries` holds over the other documents.

    Blocks: an instant for a few hundred facts.
    """
    entries = entries or {}
    by_id = {passage.block_id: passage for passage in passages}
    works = [(row, by_id[row.node_id]) for row in facts.works if row.node_id in by_id]
    events = [(row, by_id[row.node_id]) for row in facts.events if row.node_id in by_id]
    moments = [Moment.model_validate(at) for row, _ in works for at in (row.due, row.released) if at]
    moments += [Moment.model_validate(row.at) for row, _ in events if row.at]
    moments += moments_in(entries)
    term = term_of(title, moments, today)
    kind = _kind_to_hand_in(works)
    calendar = Calendar(
        term,
        sorted(_works(works, term, kind), key=lambda work: work.order),
        _events(events, term),
        _staff([(row, by_id[row.node_id]) for row in facts.staff if row.node_id in by_id]),
        [(row, passage) for row, passage in works if row.late_rule and not row.kind and not row.title],
        by_id,
        kind,
    )
    return corrected(calendar, corrections_in(entries, kind))


def _works(rows: Sequence[tuple[WorkRow, Passage]], term: Term, kind: str) -> list[CourseWork]:
    groups: dict[tuple[str, str, str], list[tuple[WorkRow, Passage]]] = defaultdict(list)
    for row, passage in rows:
        if row.kind or row.title:
            name = WorkName(kind if kind and row.kind in TO_HAND_IN else row.kind, row.number, row.title)
            groups[name.key].append((row, passage))
    return [_work(key, group, term) for key, group in groups.items()]


def _kind_to_hand_in(rows: Sequence[tuple[WorkRow, Passage]]) -> str:
    """What the course calls what is handed in, if its sheets are of one kind: other pages mean those by other words."""
    own = {row.kind for row, _ in rows if row.is_own and row.kind in TO_HAND_IN}
    return own.pop() if len(own) == 1 else ""


def _work(key: tuple[str, str, str], rows: Sequence[tuple[WorkRow, Passage]], term: Term) -> CourseWork:
    own = next((passage for row, passage in rows if row.is_own), None)
    rule = next(((row, passage) for row, passage in rows if row.late_rule), None)
    points = next((row.points for row, _ in rows if row.points is not None), None)
    kind, number, _ = key
    name = WorkName(kind, number, "" if kind else rows[0][0].title)
    title = _title(own.title) if own else name.title
    return CourseWork(name, title, _options(rows, "due", term), _options(rows, "released", term), points, rule)


def _title(title: str) -> str:
    """What a sheet is called besides its number: "Assignment 5: Keyboard and Shell"."""
    head, mark, rest = title.partition(":") if ":" in title else title.partition(" - ")
    return rest.strip() if mark and head.strip() else ""


def _options(rows: Sequence[tuple[WorkRow, Passage]], which: str, term: Term) -> list[Option]:
    by_day: dict[tuple[int, int], list[Saying]] = defaultdict(list)
    for row, passage in rows:
        stored = getattr(row, which)
        moment = Moment.model_validate(stored) if stored else None
        if moment is None or term.is_of_another(moment):
            continue
        weight = _weight(row, passage) * (1.0 if term.fits(moment) else MISFIT)
        by_day[moment.month, moment.day].append(Saying(row, passage, term.place(moment), weight))
    if any(term.confirms(one.moment) for said in by_day.values() for one in said):
        # That is the date of this run; those whose weekday is another one's are of another run.
        by_day = {day: said for day, said in by_day.items() if any(term.fits(one.moment) for one in said)}
    options = [_option(said) for said in by_day.values()]
    return sorted(options, key=lambda option: -option.weight)


def _option(said: list[Saying]) -> Option:
    """Copies of one sheet count once, and so does a page that says it twice, and a line that several pages repeat."""
    said.sort(key=lambda one: (one.passage.visibility is Visibility.STAFF, -one.weight, not one.moment.time))
    counted: dict[tuple[bool, str], float] = {}
    lines: set[str] = set()
    for one in sorted(said, key=lambda one: -one.weight):
        key = (True, "") if one.row.is_own else (False, one.passage.document_id)
        line = " ".join(one.row.quote.casefold().split())
        if line not in lines:
            counted.setdefault(key, one.weight)
        lines.add(line)
    moment = said[0].moment
    for one in said[1:]:
        if not moment.time and one.moment.time:
            moment = moment.model_copy(update={"time": one.moment.time})
    return Option(moment, sum(counted.values()), said)


def _weight(row: WorkRow, passage: Passage) -> float:
    if row.is_change:
        return CHANGE_WEIGHT
    match passage.source:
        case Source.ASSIGNMENT:
            return OWN_WEIGHT if row.is_own else ASSIGNMENT_WEIGHT
        case Source.LOGISTICS:
            return PLAN_WEIGHT
    return OTHER_WEIGHT


def _events(rows: Sequence[tuple[EventRow, Passage]], term: Term) -> list[CalendarEvent]:
    events: dict[tuple[str, str, str], CalendarEvent] = {}
    order = (Source.LOGISTICS, Source.ASSIGNMENT, Source.TEXTBOOK, Source.QA)
    for row, passage in sorted(rows, key=lambda one: order.index(one[1].source)):
        moment = Moment.model_validate(row.at) if row.at else None
        if moment is None or term.is_of_another(moment) or not term.fits(moment):
            continue
        placed = term.place(moment)
        events.setdefault((row.kind, placed.text[:10], row.title.casefold()), CalendarEvent(row, passage, placed))
    return sorted(events.values(), key=lambda event: event.moment.text)


def _staff(rows: Sequence[tuple[StaffRow, Passage]]) -> list[tuple[StaffRow, Passage]]:
    people: dict[tuple[str, str], tuple[StaffRow, Passage]] = {}
    for row, passage in rows:
        people.setdefault((row.name.casefold(), row.hours.casefold()), (row, passage))
    return list(people.values())


def due_fact(work: CourseWork, option: Option) -> Fact:
    """What an option of a work says, in the words of its most trusted source."""
    return Fact(
        kind=FactKind.DUE, name=work.label, at=option.moment, details=_points(work.points),
        quote=option.said[0].row.quote, disputed=work.is_disputed,
    )  # fmt: skip


def _points(points: float | None) -> str:
    return "" if points is None else f"{points:g} points"

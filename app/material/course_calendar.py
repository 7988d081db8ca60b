"""The works, calendar and staff of a course, as its page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.facts import FactKind, Moment
from core.types import Passage
from offline.calendar_answer import moment_text
from offline.phrases import PHRASES
from retrievers.calendar.model import Calendar, CalendarEvent, CourseWork
from student_code.catalogue import ENGLISH


@dataclass(frozen=True)
class Day:
    """A day as it is shown, with the passage that says it and how many other documents do."""

    text: str
    passage: Passage
    others: int


@dataclass(frozen=True)
class CalendarLine:
    name: str
    title: str
    due: Sequence[Day]
    released: Sequence[Day]
    points: float | None


@dataclass(frozen=True)
class EventLine:
    name: str
    day: Day
    place: str


@dataclass(frozen=True)
class StaffLine:
    name: str
    role: str
    hours: str
    passage: Passage


@dataclass(frozen=True)
class CalendarPage:
    """What a course's page shows of its calendar; exams and holidays before classes."""

    works: Sequence[CalendarLine]
    events: Sequence[EventLine]
    classes: Sequence[EventLine]
    staff: Sequence[StaffLine]

    @property
    def is_empty(self) -> bool:
        return not (self.works or self.events or self.classes or self.staff)


def calendar_page(calendar: Calendar) -> CalendarPage:
    """The calendar in words for people."""
    classes = [_event(event) for event in calendar.events if event.row.kind == FactKind.LECTURE]
    others = [_event(event) for event in calendar.events if event.row.kind != FactKind.LECTURE]
    staff = [StaffLine(row.name, row.role, row.hours, passage) for row, passage in calendar.staff]
    works = [_work(work) for work in calendar.works if work.due or work.released]
    return CalendarPage(works, others, classes, staff)


def _work(work: CourseWork) -> CalendarLine:
    due = [_day(option.moment, option.said[0].passage, len({one.passage.document for one in option.said}))
           for option in work.due]  # fmt: skip
    released = [_day(option.moment, option.said[0].passage, 1) for option in work.released[:1]]
    title = work.title if work.title != work.label else ""
    return CalendarLine(work.label, title, due, released, work.points)


def _event(event: CalendarEvent) -> EventLine:
    row = event.row
    return EventLine(row.title, _day(event.moment, event.passage, 1, row.until), row.place)


def _day(moment: Moment, passage: Passage, documents: int, until: str = "") -> Day:
    return Day(day_text(moment, until), passage, documents - 1)


def day_text(moment: Moment, until: str = "") -> str:
    """A day as pages show it."""
    return moment_text(moment, PHRASES[ENGLISH], until)

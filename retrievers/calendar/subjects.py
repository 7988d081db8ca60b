"""Which work, event or person an entry of a course's calendar is about: by what key, under which names."""

from __future__ import annotations

from functools import lru_cache

from core.course.calendar import MAX_KEY_CHARS, EntryKind, day_and_name
from core.facts import FactKind
from core.store.tables import StaffRow
from retrievers.calendar.model import CalendarEvent, CourseWork
from retrievers.names import TO_HAND_IN
from retrievers.works import EXAMS, WorkName, plain_line, works_in

MAX_NAMES = 4096
"""Names whose works are kept: each entry is compared with each work and event."""
_SINGLE = frozenset(("midterm", "final exam"))
"""Exams that a course has once, without a number."""


def subject_of(key: str, kind: EntryKind, kind_to_hand_in: str) -> tuple[str, ...]:
    """What an entry of a key is about, the same for all spellings of a work or of an exam that a course has once."""
    day, name = day_and_name(key)
    work = work_named(name, kind_to_hand_in) if kind is EntryKind.WORK else None
    if kind is EntryKind.EXAM and not day:
        work = exam_named(name)
    return work.key if work else ("person" if kind is EntryKind.STAFF else "event", key.casefold())


@lru_cache(MAX_NAMES)
def work_named(name: str, kind: str = "") -> WorkName:
    """The work of a name, under the kind that the course has for what is handed in; a title where it is no more."""
    line = plain_line(name)
    works = works_in(line)
    if len(works) != 1 or works[0].start or works[0].end != len(line):
        return WorkName("", title=name)
    work = works[0]
    return WorkName(kind if kind and work.kind in TO_HAND_IN else work.kind, work.number)


@lru_cache(MAX_NAMES)
def exam_named(title: str) -> WorkName | None:
    """The exam of a title that a course has once: the midterm, quiz 3."""
    works = {work.key: work for work in works_in(plain_line(title))}
    work = next(iter(works.values())) if len(works) == 1 else None
    if work is None:
        return None
    return work if work.kind in _SINGLE or (work.number and work.kind in (*EXAMS, "quiz", "final exam")) else None


def key_of_work(work: CourseWork) -> str:
    """The key under which an entry corrects a work: its name."""
    return _as_key(work.label)


def key_of_event(event: CalendarEvent) -> str:
    """The key under which an entry corrects an event: the exam's own name, else its day and title."""
    exam = exam_named(event.row.title) if event.row.kind == FactKind.EXAM else None
    return exam.name if exam else _as_key(f"{event.moment.text[:10].strip()} {event.row.title}")


def key_of_person(row: StaffRow) -> str:
    """The key under which an entry corrects a person: the name, or the office hours where there is none."""
    return _as_key(row.name or row.hours)


def _as_key(text: str) -> str:
    return " ".join(text.split())[:MAX_KEY_CHARS].strip()

"""What the course's staff said, in place of what the material was read as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.course.calendar import (
    NONE,
    SET_DATES_NAME,
    CalendarEntry,
    EntryKind,
    day_and_name,
    moment_of,
    name_of,
    one_line,
)
from core.facts import FactKind, Moment
from core.store.tables import EventRow, StaffRow, WorkRow
from core.types import Passage
from retrievers.calendar.model import Calendar, CalendarEvent, CourseWork, Option, Overruled, Saying
from retrievers.calendar.set_dates import sentences_of
from retrievers.calendar.subjects import exam_named, key_of_event, key_of_person, key_of_work, work_named
from retrievers.works import WorkName

DECISIVE_WEIGHT = 100.0


@dataclass(frozen=True)
class CalendarCorrection:
    """An entry, which knows what of a calendar it is about.

    `kind_to_hand_in` is what the course calls what is handed in, if its sheets are of one kind.
    """

    key: str
    entry: CalendarEntry
    kind_to_hand_in: str = ""

    @cached_property
    def name(self) -> str:
        """What the material calls it."""
        return day_and_name(self.key)[1]

    @property
    def work_name(self) -> WorkName:
        return work_named(name_of(self.key, self.entry), self.kind_to_hand_in)

    @cached_property
    def read_name(self) -> WorkName | None:
        """The work that the material calls so; None for what is none."""
        if self.entry.kind is EntryKind.WORK:
            return work_named(self.name, self.kind_to_hand_in)
        return exam_named(self.name) if self.entry.kind is EntryKind.EXAM else None

    def is_of_work(self, work: CourseWork) -> bool:
        if self.read_name is None:
            return False
        if work.name.key == self.read_name.key:
            return True
        return self.entry.kind is EntryKind.WORK and key_of_work(work).casefold() == self.key.casefold()

    def is_of_event(self, event: CalendarEvent) -> bool:
        row, (day, name) = event.row, day_and_name(self.key)
        if self.entry.kind is EntryKind.STAFF:
            return False
        exam = exam_named(name)
        if exam is not None and row.kind == FactKind.EXAM and not day:
            other = exam_named(row.title)
            return other is not None and other.key == exam.key
        if self.entry.kind is EntryKind.WORK:
            return False
        if key_of_event(event).casefold() == self.key.casefold():
            return True
        if one_line(row.title).casefold() != one_line(name).casefold():
            return False
        text = event.moment.text[:10].strip()
        return not day or text.endswith(day) or day.endswith(text)

    def is_of_person(self, row: StaffRow) -> bool:
        return self.entry.kind is EntryKind.STAFF and key_of_person(row).casefold() == self.key.casefold()


def corrections_in(entries: Mapping[str, CalendarEntry], kind_to_hand_in: str) -> list[CalendarCorrection]:
    """The entries of a course."""
    return [CalendarCorrection(key, entry, kind_to_hand_in) for key, entry in entries.items()]


def corrected(calendar: Calendar, corrections: Sequence[CalendarCorrection]) -> Calendar:
    """The calendar as staff say that it is. What they said counts from the moment when a passage says it."""
    if not corrections:
        return calendar
    document = _Document(calendar.passages.values())
    matches = [_Match.of(correction, calendar) for correction in corrections]
    replaced = {id(read) for match in matches for read in (*match.works, *match.events, *match.staff)}
    works = [work for work in calendar.works if id(work) not in replaced]
    events = [event for event in calendar.events if id(event) not in replaced]
    staff = [person for person in calendar.staff if id(person) not in replaced]
    for match in matches:
        correction = match.correction
        if correction.entry.removed:
            continue
        if correction.entry.kind is EntryKind.WORK:
            works.append(_work(correction, match.works, document))
        elif correction.entry.kind is EntryKind.STAFF:
            staff += _staff(correction, document)
        else:
            events += _events(correction, document)
    return replace(
        calendar,
        works=sorted(works, key=lambda work: work.order),
        events=sorted(events, key=lambda event: event.moment.text),
        staff=staff,
        overruled=_overruled(matches),
    )


@dataclass(frozen=True)
class _Match:
    """An entry with all that was read of what it is about."""

    correction: CalendarCorrection
    works: Sequence[CourseWork]
    events: Sequence[CalendarEvent]
    staff: Sequence[tuple[StaffRow, Passage]]

    @classmethod
    def of(cls, correction: CalendarCorrection, calendar: Calendar) -> _Match:
        return cls(
            correction,
            [work for work in calendar.works if correction.is_of_work(work)],
            [event for event in calendar.events if correction.is_of_event(event)],
            [person for person in calendar.staff if correction.is_of_person(person[0])],
        )


class _Document:
    """The passages that are made of the entries."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._lines = {
            line: passage
            for passage in passages
            if passage.document == SET_DATES_NAME
            for line in passage.text.split("\n")
        }

    def saying(self, correction: CalendarCorrection, kind: FactKind) -> tuple[str, Passage] | None:
        """What an entry says about one thing, with its passage; None until that is stored."""
        said = next((said.sentence for said in sentences_of(correction.key, correction.entry) if said.kind is kind), "")
        return (said, self._lines[said]) if said in self._lines else None


def _work(correction: CalendarCorrection, read: Sequence[CourseWork], document: _Document) -> CourseWork:
    entry, name = correction.entry, correction.work_name
    base = read[0] if read else CourseWork(name, name.title, (), ())
    due = _options(correction, name, entry.due, "due", document)
    released = _options(correction, name, entry.released, "released", document)
    said = document.saying(correction, FactKind.DUE) if entry.due == NONE else None
    return replace(
        base,
        name=name,
        title=base.title if name.kind else name.title,
        due=base.due if due is None else due,
        released=base.released if released is None else released,
        points=base.points if entry.points is None else entry.points,
        never_due=said,
    )


def _options(
    correction: CalendarCorrection, name: WorkName, day: str | None, which: str, document: _Document
) -> Sequence[Option] | None:
    """The day that an entry gives; None where it leaves that to the material."""
    if day is None:
        return None
    said = document.saying(correction, FactKind(which))
    if day == NONE or said is None:
        return ()
    quote, passage = said
    moment = moment_of(day)
    row = WorkRow(
        node_id=passage.block_id, ordinal=0, course_id="", kind=name.kind, number=name.number, title=name.title,
        quote=quote,
    )  # fmt: skip
    setattr(row, which, moment.model_dump(exclude_defaults=True))
    return [Option(moment, DECISIVE_WEIGHT, [Saying(row, passage, moment, DECISIVE_WEIGHT)])]


def _events(correction: CalendarCorrection, document: _Document) -> Iterator[CalendarEvent]:
    entry, kind = correction.entry, FactKind(correction.entry.kind.value)
    said = document.saying(correction, kind)
    if said is not None and entry.at is not None:
        quote, passage = said
        moment = moment_of(entry.at)
        row = EventRow(
            node_id=passage.block_id, ordinal=0, course_id="", kind=kind, title=name_of(correction.key, entry),
            at=moment.model_dump(exclude_defaults=True), until=entry.until, place=entry.place, quote=quote,
        )  # fmt: skip
        yield CalendarEvent(row, passage, moment)


def _staff(correction: CalendarCorrection, document: _Document) -> Iterator[tuple[StaffRow, Passage]]:
    if said := document.saying(correction, FactKind.HOURS):
        quote, passage = said
        entry = correction.entry
        yield (
            StaffRow(
                node_id=passage.block_id, ordinal=0, course_id="", name=name_of(correction.key, entry), role=entry.role,
                hours=entry.hours, place=entry.place, quote=quote,
            ),
            passage,
        )  # fmt: skip


def _overruled(matches: Sequence[_Match]) -> dict[str, frozenset[Overruled]]:
    """What no longer holds of each block."""
    by_block: dict[str, set[Overruled]] = {}
    for match in matches:
        for block, words in _overruled_words(match):
            by_block.setdefault(block, set()).add(words)
    return {block: frozenset(words) for block, words in by_block.items()}


def _overruled_words(match: _Match) -> Iterator[tuple[str, Overruled]]:
    entry = match.correction.entry
    for work in match.works:
        for option in _overruled_options(work, entry):
            yield from ((said.passage.block_id, Overruled(said.row.quote, said.moment)) for said in option.said)
    for event in match.events:
        if entry.at is None or not event.moment.agrees_with(moment_of(entry.at)):
            yield event.passage.block_id, Overruled(event.row.quote, event.moment)
    for row, passage in match.staff:
        if row.hours:
            yield passage.block_id, Overruled(row.hours)


def _overruled_options(work: CourseWork, entry: CalendarEntry) -> Iterator[Option]:
    """The days of a work that an entry takes the place of, unless it says the same."""
    for day, options in ((entry.due, work.due), (entry.released, work.released)):
        if day or entry.removed or entry.kind is not EntryKind.WORK:
            said = moment_of(day) if day and day != NONE else None
            yield from (option for option in options if said is None or not option.moment.agrees_with(said))


def moments_in(entries: Mapping[str, CalendarEntry]) -> list[Moment]:
    """The days that entries give."""
    days = (day for entry in entries.values() for day in (entry.due, entry.released, entry.at))
    return [moment_of(day) for day in days if day and day != NONE]

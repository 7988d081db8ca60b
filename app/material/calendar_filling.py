"""A course's calendar as rows of a form: what the material was read as, and what staff said instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.material.calendar_rows import (
    EVENT_FIELDS,
    STAFF_FIELDS,
    WORK_FIELDS,
    CalendarRow,
    CalendarRows,
    ReadWords,
    fields_of,
    row_fields,
)
from app.material.course_calendar import day_text
from core.course.calendar import NONE, CalendarEntry, EntryKind, name_of
from core.facts import FactKind
from core.store.tables import EventRow, SettingChangeRow, StaffRow
from core.types import Passage
from retrievers.calendar.corrections import CalendarCorrection, corrections_in
from retrievers.calendar.model import Calendar, CalendarEvent, CourseWork
from retrievers.calendar.set_dates import sentences_of
from retrievers.calendar.subjects import key_of_event, key_of_person, key_of_work, subject_of


def calendar_rows(
    read: Calendar, corrected: Calendar, entries: Mapping[str, CalendarEntry], held: Mapping[str, SettingChangeRow]
) -> CalendarRows:
    """The rows of a course. `read` is the calendar of its material alone."""
    corrections = corrections_in(entries, read.kind_to_hand_in)
    set_rows = [_corrected_row(correction, read, held.get(f"calendar.{correction.key}")) for correction in corrections]
    rows = [
        _event_row(event)
        for event in read.events
        if not any(correction.is_of_event(event) for correction in corrections)
    ]
    works = [work for work in read.works if not any(correction.is_of_work(work) for correction in corrections)]
    rows += [_work_row(work) for work in works if work.due or work.released]
    people = [
        said for said in _people(read) if not any(correction.is_of_person(said[0][0]) for correction in corrections)
    ]
    rows = [*_disputing(set_rows, read.kind_to_hand_in), *_merged([*rows, *map(_staff_row, people)])]
    lines = {line for passage in corrected.passages.values() for line in passage.text.split("\n")}
    pending = [
        key for key, entry in entries.items() if any(said.sentence not in lines for said in sentences_of(key, entry))
    ]
    events = sorted((row for row in rows if row.kind.is_event), key=lambda row: row.texts["at"])
    return CalendarRows(
        sorted(
            (row for row in rows if row.kind is EntryKind.WORK), key=lambda row: (row.texts["due"] or "~", row.title)
        ),
        [row for row in events if row.kind is not EntryKind.LECTURE],
        [row for row in events if row.kind is EntryKind.LECTURE],
        [row for row in rows if row.kind is EntryKind.STAFF],
        pending,
        read.kind_to_hand_in,
    )


def _disputing(rows: Sequence[CalendarRow], kind_to_hand_in: str) -> list[CalendarRow]:
    """The rows of entries, of which two may be about one thing."""
    subjects = [subject_of(row.key, row.kind, kind_to_hand_in) for row in rows]
    counts = Counter(subjects)
    return [replace(row, is_disputed=counts[subject] > 1) for row, subject in zip(rows, subjects, strict=True)]


def _merged(rows: Sequence[CalendarRow]) -> list[CalendarRow]:
    """One row for each key: an exam is read as an event and as a work, perhaps with different days."""
    merged: dict[str, CalendarRow] = {}
    for row in rows:
        if (first := merged.get(row.key.casefold())) is None:
            merged[row.key.casefold()] = row
        else:
            days = {other.texts.get("at", other.texts.get("due", ""))[:10] for other in (first, row)} - {""}
            is_disputed = first.is_disputed or row.is_disputed or len(days) > 1
            material = (*first.material, *row.material)
            merged[row.key.casefold()] = replace(first, material=material, is_disputed=is_disputed)
    return list(merged.values())


def _people(read: Calendar) -> list[list[tuple[StaffRow, Passage]]]:
    people: dict[str, list[tuple[StaffRow, Passage]]] = {}
    for row, passage in read.staff:
        people.setdefault(key_of_person(row).casefold(), []).append((row, passage))
    return list(people.values())


def _number(points: float | None) -> str:
    return "" if points is None else f"{points:.10g}"


def _work_texts(work: CourseWork) -> dict[str, str]:
    return {
        "name": work.label,
        "due": work.due[0].moment.text if work.due else "",
        "released": work.released[0].moment.text if work.released else "",
        "points": _number(work.points),
    }


def _event_texts(event: CalendarEvent) -> dict[str, str]:
    row = event.row
    return {"name": row.title, "kind": row.kind, "at": event.moment.text, "until": row.until, "place": row.place}


def _work_words(work: CourseWork) -> list[ReadWords]:
    return [
        ReadWords(f"{words} {day_text(option.moment)}", option.said[0].passage)
        for words, options in (("due", work.due), ("handed out", work.released[:1]))
        for option in options
    ]


def _event_words(event: CalendarEvent) -> ReadWords:
    where = f", {event.row.place}" if event.row.place else ""
    return ReadWords(f"{day_text(event.moment, event.row.until)}{where}", event.passage)


def _work_row(work: CourseWork) -> CalendarRow:
    return CalendarRow(
        key_of_work(work), EntryKind.WORK, work.label, row_fields(WORK_FIELDS, _work_texts(work)), _work_words(work),
        is_disputed=len(work.due) > 1,
    )  # fmt: skip


def _event_row(event: CalendarEvent) -> CalendarRow:
    kind = _kind_of(event.row)
    fields = row_fields(EVENT_FIELDS, _event_texts(event) | {"kind": kind.value})
    return CalendarRow(key_of_event(event), kind, event.row.title, fields, [_event_words(event)])


def _kind_of(row: EventRow) -> EntryKind:
    return EntryKind(row.kind) if row.kind in (FactKind.EXAM, FactKind.LECTURE) else EntryKind.HOLIDAY


def _staff_row(rows: Sequence[tuple[StaffRow, Passage]]) -> CalendarRow:
    row = rows[0][0]
    hours = "; ".join(dict.fromkeys(said.hours for said, _ in rows if said.hours))
    texts = {"name": row.name, "role": row.role, "hours": hours, "place": row.place}
    words = [ReadWords(said.hours, passage) for said, passage in rows]
    title = row.name or row.role or "Staff"
    return CalendarRow(key_of_person(row), EntryKind.STAFF, title, row_fields(STAFF_FIELDS, texts), words)


def _corrected_row(correction: CalendarCorrection, read: Calendar, change: SettingChangeRow | None) -> CalendarRow:
    """The row of an entry. What it leaves to the material is as that says."""
    entry = correction.entry
    works = [work for work in read.works if correction.is_of_work(work)]
    events = [event for event in read.events if correction.is_of_event(event)]
    people = [(row, passage) for row, passage in read.staff if correction.is_of_person(row)]
    words = [said for work in works for said in _work_words(work)] + [_event_words(event) for event in events]
    words += [ReadWords(row.hours, passage) for row, passage in people]
    texts = _work_texts(works[0]) if works and entry.kind is EntryKind.WORK else {}
    texts |= _entry_texts(entry) | {"name": name_of(correction.key, entry)}
    fields = row_fields(fields_of(entry.kind), texts)
    return CalendarRow(correction.key, entry.kind, name_of(correction.key, entry), fields, words, entry, change)


def _entry_texts(entry: CalendarEntry) -> dict[str, str]:
    """What an entry itself says."""
    texts = {name: getattr(entry, name) for name in ("due", "released", "at") if getattr(entry, name)}
    texts = {name: "" if text == NONE else text for name, text in texts.items()}
    if entry.points is not None:
        texts["points"] = _number(entry.points)
    return texts | {
        name: getattr(entry, name) for name in ("until", "place", "role", "hours") if getattr(entry, name)
    } | {"kind": entry.kind.value}  # fmt: skip

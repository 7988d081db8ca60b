"""The rows of the form in which a course's calendar is corrected."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.course.calendar import CalendarEntry, EntryKind
from core.store.tables import SettingChangeRow
from core.types import Passage
from retrievers.calendar.subjects import subject_of

LABELS = {
    "name": "Name",
    "due": "Due",
    "released": "Handed out",
    "points": "Points",
    "kind": "Kind",
    "at": "Date",
    "until": "Until",
    "place": "Place",
    "role": "Role",
    "hours": "Office hours",
}
HINTS = {
    "due": "As in 2026-03-06 23:59; empty for none.",
    "released": "As in 2026-03-06; empty for none.",
    "at": "As in 2026-03-12 10:00.",
    "until": "As in 12:00.",
}
EVENT_KINDS = {EntryKind.EXAM: "exam", EntryKind.LECTURE: "class", EntryKind.HOLIDAY: "holiday"}
NEW_KINDS = (EntryKind.WORK, EntryKind.EXAM, EntryKind.STAFF)
WORK_FIELDS = ("name", "due", "released", "points")
EVENT_FIELDS = ("name", "kind", "at", "until", "place")
STAFF_FIELDS = ("name", "role", "hours", "place")


@dataclass(frozen=True)
class RowField:
    """A field of a row. `text` is what it holds, `was` what it held when the page was made."""

    name: str
    text: str
    was: str
    error: str = ""

    @property
    def label(self) -> str:
        return LABELS[self.name]

    @property
    def hint(self) -> str:
        return HINTS.get(self.name, "")


@dataclass(frozen=True)
class ReadWords:
    """What a passage of the material says of a row."""

    text: str
    passage: Passage


@dataclass(frozen=True)
class CalendarRow:
    """A work, event or person. Its key is that of the entry that corrects it; empty for one to add."""

    key: str
    kind: EntryKind
    title: str
    fields: Sequence[RowField]
    material: Sequence[ReadWords] = ()
    entry: CalendarEntry | None = None
    change: SettingChangeRow | None = None
    is_disputed: bool = False
    error: str = ""

    @property
    def anchor(self) -> str:
        return anchor_of(self.key)

    @property
    def version(self) -> str:
        """Tells whether somebody else has changed the row."""
        return version_of(self.entry)

    @property
    def texts(self) -> dict[str, str]:
        return {field.name: field.text for field in self.fields}


@dataclass(frozen=True)
class CalendarRows:
    """The rows of the page, and what is to be added."""

    works: Sequence[CalendarRow]
    events: Sequence[CalendarRow]
    classes: Sequence[CalendarRow]
    staff: Sequence[CalendarRow]
    pending: Sequence[str] = ()
    """What staff said and no passage says yet."""
    kind_to_hand_in: str = ""
    new: Sequence[CalendarRow] = field(default_factory=lambda: [new_row(kind) for kind in NEW_KINDS])

    def __iter__(self) -> Iterator[CalendarRow]:
        yield from (*self.works, *self.events, *self.classes, *self.staff)

    def row(self, key: str) -> CalendarRow | None:
        return next((row for row in self if row.key == key), None)

    def row_about(self, key: str, kind: EntryKind) -> CalendarRow | None:
        """The row of the same thing, perhaps spelled otherwise."""
        subject = subject_of(key, kind, self.kind_to_hand_in)
        return next((row for row in self if subject_of(row.key, row.kind, self.kind_to_hand_in) == subject), None)

    def with_row(self, changed: CalendarRow) -> CalendarRows:
        """The rows with one of them replaced."""

        def put(rows: Sequence[CalendarRow]) -> list[CalendarRow]:
            return [changed if is_same(row) else row for row in rows]

        def is_same(row: CalendarRow) -> bool:
            return row.key == changed.key and (bool(row.key) or fields_of(row.kind) == fields_of(changed.kind))

        return replace(
            self, works=put(self.works), events=put(self.events), classes=put(self.classes), staff=put(self.staff),
            new=put(self.new),
        )  # fmt: skip


def anchor_of(key: str) -> str:
    """Where a row stands on its page."""
    return f"k{hashlib.sha256(key.encode()).hexdigest()[:12]}" if key else ""


def version_of(entry: CalendarEntry | None) -> str:
    """A short text that changes with the entry; empty without one."""
    if entry is None:
        return ""
    return hashlib.sha256(json.dumps(entry.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()[:16]


def row_fields(names: Sequence[str], texts: Mapping[str, str]) -> list[RowField]:
    """Fields that hold these texts, empty where there is none."""
    return [RowField(name, texts.get(name, ""), texts.get(name, "")) for name in names]


def new_row(kind: EntryKind) -> CalendarRow:
    """An empty row to add one of a kind."""
    titles = {EntryKind.WORK: "A work", EntryKind.STAFF: "A person"}
    fields = row_fields(fields_of(kind), {"kind": kind.value} if kind.is_event else {})
    return CalendarRow("", kind, titles.get(kind, "An exam, class or holiday"), fields)


def fields_of(kind: EntryKind) -> tuple[str, ...]:
    """The fields of a row of a kind."""
    if kind.is_event:
        return EVENT_FIELDS
    return WORK_FIELDS if kind is EntryKind.WORK else STAFF_FIELDS

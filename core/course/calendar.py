"""What the course's staff say of works, events and people: it holds over what the material was read as."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from core.facts import Moment
from core.text.lines import tidy
from core.types import Value

NONE = "none"
"""In place of a day: there is none, whatever the material says."""
MAX_ENTRIES = 500
MAX_KEY_CHARS = 200
SET_DATES = "set-dates"
"""The `build` of the document that is made of the entries."""
SET_DATES_NAME = "edumod/set dates"
"""Its name: it has no suffix, so that no file is called so."""
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::00)?)?")
_TIME = re.compile(r"\d\d:\d\d")
_KEY_DAY = re.compile(r"((?:\d{4}-)?\d\d-\d\d) (?=\S)")


class EntryKind(StrEnum):
    """What an entry is about. The words of events are those of `core.facts.FactKind`."""

    WORK = "work"
    EXAM = "exam"
    LECTURE = "lecture"
    HOLIDAY = "holiday"
    STAFF = "staff"

    @property
    def is_event(self) -> bool:
        return self not in (EntryKind.WORK, EntryKind.STAFF)


def _written_day(value: Any) -> Any:
    """YAML reads some days as dates."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return value.isoformat() if isinstance(value, date) else value


def _plain_day(value: str) -> str:
    match = _DAY.fullmatch(value)
    if match is None or not _is_possible(match[1], match[2]):
        raise ValueError("is no day; write it as 2026-03-06 or 2026-03-06 23:59")
    return f"{match[1]} {match[2]}" if match[2] else match[1]


def _plain_day_or_none(value: str) -> str:
    return value if value == NONE else _plain_day(value)


def _is_possible(day: str, clock: str | None) -> bool:
    try:
        return bool(date.fromisoformat(day)) and (clock is None or time.fromisoformat(clock) is not None)
    except ValueError:
        return False


def _written_time(value: Any) -> Any:
    """YAML reads 12:00 as a number to the base of sixty."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value // 60:02d}:{value % 60:02d}"
    return value


def _plain_time(value: str) -> str:
    if value and not (_TIME.fullmatch(value) and _is_possible("2026-01-01", value)):
        raise ValueError("is no time of day; write it as 12:00")
    return value


def one_line(text: str) -> str:
    """A text as a line of the document that is made of the entries."""
    return " ".join(tidy(text).split())


def _one_line(value: Any) -> Any:
    return one_line(value) if isinstance(value, str) else value


Day = Annotated[str, BeforeValidator(_written_day), AfterValidator(_plain_day)]
DayOrNone = Annotated[str, BeforeValidator(_written_day), AfterValidator(_plain_day_or_none)]
Line = Annotated[str, BeforeValidator(_one_line), StringConstraints(max_length=200)]
"""Text without line breaks, so that it cannot become structure of the document that is made of it."""
EntryKey = Annotated[
    str,
    BeforeValidator(lambda key: _one_line(_written_day(key))),
    StringConstraints(min_length=1, max_length=MAX_KEY_CHARS),
]


class CalendarEntry(Value):
    """What is so of a work, event or person. Its key is their name as the course's page has it.

    A day before the name, as in `2026-03-10 No class`, means only the event of that day.
    """

    kind: EntryKind = Field(default=EntryKind.WORK, description="What it is.")
    name: Line = Field(default="", description="What it is called, if not as its key says.")
    removed: bool = Field(
        default=False, description="True where there is no such thing, or it was misread: what the material says of it "
        "is left out."
    )  # fmt: skip
    due: DayOrNone | None = Field(
        default=None,
        description="When a work is due, as in `2026-03-06 23:59`, in the course's time zone; `none` for never. "
        "Without it, as the material says.",
    )
    released: DayOrNone | None = Field(default=None, description="When a work is handed out; likewise.")
    points: float | None = Field(default=None, ge=0, le=100_000, description="What a work is worth.")
    at: Day | None = Field(default=None, description="When an event is; every event needs it.")
    until: Annotated[str, BeforeValidator(_written_time), AfterValidator(_plain_time)] = Field(
        default="", description='Time of day when an event ends, as in `"12:00"`.'
    )
    place: Line = Field(default="", description="Where an event or the office hours are.")
    role: Line = Field(default="", description="What a person is, such as TA.")
    hours: Line = Field(default="", description="A person's office hours; every person needs them.")

    @field_validator("until")
    @classmethod
    def _is_after_its_beginning(cls, value: str, info: ValidationInfo) -> str:
        at = info.data.get("at")
        begins = (at or "").partition(" ")[2]
        if value and at and not begins:
            raise ValueError("needs a time of day in `at`")
        if value and value <= begins:
            raise ValueError("is not after the time of day in `at`")
        return value

    @model_validator(mode="after")
    def _fits_its_kind(self) -> CalendarEntry:
        fields = {"name", "kind", "removed"} | (set() if self.removed else _FIELDS[self.kind])
        if extra := sorted(name for name in type(self).model_fields if name not in fields and self._has(name)):
            what = "that is removed" if self.removed else f"of the kind {self.kind.value}"
            raise ValueError(f"an entry {what} has no {', '.join(extra)}")
        if not self.removed and self.kind.is_event and self.at is None:
            raise ValueError("an event needs `at`, the day when it is")
        if not self.removed and self.kind is EntryKind.STAFF and not self.hours:
            raise ValueError("a person needs `hours`")
        return self

    def _has(self, name: str) -> bool:
        return bool(getattr(self, name) != type(self).model_fields[name].default)


_FIELDS = {
    EntryKind.WORK: {"due", "released", "points"},
    **{kind: {"at", "until", "place"} for kind in EntryKind if kind.is_event},
    EntryKind.STAFF: {"role", "hours", "place"},
}


def day_and_name(key: str) -> tuple[str, str]:
    """The day before an entry's name, empty where it has none, and the name."""
    match = _KEY_DAY.match(key)
    return (match[1], key[match.end() :]) if match else ("", key)


def name_of(key: str, entry: CalendarEntry) -> str:
    """What an entry's work, event or person is called."""
    return entry.name or day_and_name(key)[1]


def moment_of(day: str) -> Moment:
    """A day of an entry, not `none`, as a moment."""
    on, _, clock = day.partition(" ")
    year, month, number = map(int, on.split("-"))
    return Moment(year=year, month=month, day=number, weekday=date(year, month, number).weekday(), time=clock)

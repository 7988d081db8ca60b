"""Facts about how a course runs, read from its material at ingestion: moments, and what happens or is due at them."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Moment(_Value):
    """A day as it is written in a course's material, with what is written beside it: year, weekday (0 is Monday) and
    time of day (`23:59`), each only where it is."""

    month: int = Field(ge=1, le=12)
    day: int = Field(ge=1, le=31)
    year: int | None = None
    weekday: int | None = Field(default=None, ge=0, le=6)
    time: str = ""

    def is_day_of(self, other: Moment) -> bool:
        """Whether both are the same day of a year, as far as they say."""
        same_year = None in (self.year, other.year) or self.year == other.year
        return same_year and (self.month, self.day) == (other.month, other.day)

    def agrees_with(self, other: Moment) -> bool:
        """Whether nothing in them contradicts."""
        return self.is_day_of(other) and ("" in (self.time, other.time) or self.time == other.time)

    @property
    def on(self) -> date | None:
        """The day, where the year is known and has it."""
        return day_of(self, self.year) if self.year else None

    @property
    def text(self) -> str:
        """As in `2026-02-19 23:59` or `02-19`; sorts in time within a year."""
        year = f"{self.year:04d}-" if self.year else ""
        return f"{year}{self.month:02d}-{self.day:02d} {self.time}".rstrip()


def day_of(moment: Moment, year: int) -> date | None:
    """Its day in a year; None where that year does not have it."""
    try:
        return date(year, moment.month, moment.day)
    except ValueError:
        return None


class FactKind(StrEnum):
    DUE = "due"
    RELEASED = "released"
    EXAM = "exam"
    LECTURE = "lecture"
    HOLIDAY = "holiday"
    HOURS = "hours"
    LATE = "late"


class Fact(_Value):
    """One fact with the words of a passage that say it."""

    kind: FactKind
    name: str = Field(description="Of the work, event or person; empty for a rule.")
    at: Moment | None = Field(default=None, description="When it is; null where only words say it (office hours).")
    until: str = Field(default="", description="Time of day when it ends.")
    place: str = ""
    details: str = Field(default="", description="Words for what no field holds: hours, a rule, points.")
    quote: str = Field(description="Words of the passage, letter by letter.")
    disputed: bool = Field(default=False, description="Whether another source contradicts it.")

    @property
    def line(self) -> str:
        """For a model: what it says, in one line."""
        when = f" {self.at.text}" if self.at else ""
        end = f"-{self.until}" if self.until else ""
        rest = "".join(f", {part}" for part in (self.place, self.details) if part)
        doubt = " (another source contradicts it)" if self.disputed else ""
        return f"{self.name} {self.kind.value}{when}{end}{rest}{doubt}".strip()

"""A course's calendar: its works, events and staff, each with the passages that say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.facts import Moment
from core.store.tables import EventRow, StaffRow, WorkRow
from core.types import Passage
from retrievers.calendar.years import UNKNOWN_TERM, Term
from retrievers.works import WorkName

DISPUTED_FROM = 0.4
"""Share of the best date's weight from which another one makes it doubtful."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A row with the passage that says it."""

    row: WorkRow
    passage: Passage
    moment: Moment
    weight: float


@dataclass(frozen=True)
class Option:
    """A day that the material gives for a work, with everything that says so: what students may read, then what they
    may not, the most trusted of each first.
    """

    moment: Moment
    weight: float
    said: Sequence[Saying]


@dataclass(frozen=True)
class CourseWork:
    """A work with the days on which it is due or handed out, likeliest first."""

    name: WorkName
    title: str
    due: Sequence[Option]
    released: Sequence[Option]
    points: float | None = None
    late_rule: tuple[WorkRow, Passage] | None = None
    never_due: tuple[str, Passage] | None = None
    """The words that say that it has no due date."""

    @property
    def order(self) -> tuple[str, str]:
        """Of works in time."""
        return (self.due[0].moment.text if self.due else "~", self.label)

    @property
    def is_disputed(self) -> bool:
        return len(self.due) > 1 and self.due[1].weight >= DISPUTED_FROM * self.due[0].weight

    @property
    def label(self) -> str:
        """Its name for people."""
        return self.name.name or self.title


@dataclass(frozen=True)
class CalendarEvent:
    row: EventRow
    passage: Passage
    moment: Moment


@dataclass(frozen=True, slots=True)
class Overruled:
    """Words of a block with a day, or office hours, that staff said do not hold."""

    words: str
    day: Moment | None = None


@dataclass(frozen=True)
class Calendar:
    """The works, events and staff of a course, in time; only of passages that its reader may read."""

    term: Term = UNKNOWN_TERM
    works: Sequence[CourseWork] = ()
    events: Sequence[CalendarEvent] = ()
    staff: Sequence[tuple[StaffRow, Passage]] = ()
    late_rules: Sequence[tuple[WorkRow, Passage]] = ()
    passages: Mapping[str, Passage] = field(default_factory=dict)
    kind_to_hand_in: str = ""
    """What the course calls what is handed in, if its sheets are of one kind."""
    overruled: Mapping[str, frozenset[Overruled]] = field(default_factory=dict)
    """What staff said does not hold, by block."""

    @cached_property
    def overruled_days(self) -> Mapping[str, Sequence[Overruled]]:
        """What does not hold of words with a day, by these words: those of a heading are in passages below it, too."""
        by_words: dict[str, list[Overruled]] = {}
        for said in {said for words in self.overruled.values() for said in words if said.day}:
            by_words.setdefault(said.words, []).append(said)
        return by_words

    @property
    def disputed(self) -> list[CourseWork]:
        """Works for which the material gives several days."""
        return [work for work in self.works if len(work.due) > 1]

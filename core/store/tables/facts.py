"""What a course's material says about its works, events and staff, each with the block that says it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Text
from sqlmodel import Field, SQLModel

from core.facts import FactKind
from core.store.tables.columns import json_or_null, owner


class WorkRow(SQLModel, table=True):
    """What one block says about a work; a work named in several documents has several rows.

    A row without a kind is a rule for late work that holds for all of them.
    """

    __tablename__ = "course_work"

    node_id: str = Field(sa_column=owner("node.id", is_key=True))
    ordinal: int = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    kind: str = Field(description="As in `retrievers.names`: homework, problem set, project, midterm.")
    number: str = Field(default="", description="As in 3, 2a, or `1 part 2`; empty where it has none.")
    title: str = ""
    is_own: bool = Field(default=False, description="Whether the block is of the work's own sheet.")
    is_change: bool = Field(default=False, description="Whether it says that a date was changed.")
    released: dict[str, Any] | None = Field(
        default=None, sa_column=json_or_null(), description="A `core.facts.Moment`."
    )
    due: dict[str, Any] | None = Field(default=None, sa_column=json_or_null(), description="A `core.facts.Moment`.")
    points: float | None = None
    late_rule: str = ""
    quote: str = Field(description="Words of the block that say it.")


class EventRow(SQLModel, table=True):
    """A lecture, exam or holiday in one block."""

    __tablename__ = "course_event"

    node_id: str = Field(sa_column=owner("node.id", is_key=True))
    ordinal: int = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    kind: FactKind = Field(sa_type=Text)
    title: str
    at: dict[str, Any] | None = Field(default=None, sa_column=json_or_null(), description="A `core.facts.Moment`.")
    last_day: int | None = Field(default=None, description="Day of the month when it ends, if it takes several.")
    until: str = Field(default="", description="Time of day when it ends.")
    week: int | None = Field(default=None, description="Number of the week, as the material counts.")
    place: str = ""
    quote: str


class StaffRow(SQLModel, table=True):
    """A person of the staff, with office hours as they are written."""

    __tablename__ = "course_staff"

    node_id: str = Field(sa_column=owner("node.id", is_key=True))
    ordinal: int = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    name: str
    role: str = ""
    hours: str = ""
    place: str = ""
    quote: str


FactRow = WorkRow | EventRow | StaffRow

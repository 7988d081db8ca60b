"""Evaluations, what they measured, and the labels of courses."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, Text, text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, now, owner


class EvaluationState(StrEnum):
    """`running` until every item is done or the cost cap is reached; an interrupted evaluation can be continued."""

    RUNNING = "running"
    DONE = "done"
    CAPPED = "capped"


class EvaluationRow(SQLModel, table=True):
    """Actors measured on the items of one data set. `key` identifies exactly what is measured on what.

    It has a course if the items are about a course's own material.
    """

    __tablename__ = "evaluation"

    id: str = Field(primary_key=True)
    course_id: str | None = Field(default=None, sa_column=owner("course.id", nullable=True))
    kind: str
    key: str = Field(index=True)
    state: EvaluationState = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    config: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    summary: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)


class ResultState(StrEnum):
    SCORED = "scored"
    FAILED = "failed"


class ResultRow(SQLModel, table=True):
    """The output and scores of one actor for one item and one seed, or the error that it ended with.

    `scores` are by metric. `ms` is None for actors without a running time, such as files.
    """

    __tablename__ = "result"

    evaluation_id: str = Field(sa_column=owner("evaluation.id", is_key=True))
    actor: str = Field(primary_key=True)
    item: str = Field(primary_key=True)
    seed: int = Field(primary_key=True)
    state: ResultState = Field(sa_type=Text)
    output: Any = Field(default=None, sa_type=JSON, nullable=True)
    error: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    usage: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    ms: float | None = None
    scores: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column(JSON, nullable=False, server_default=text("'{}'"))
    )


class ItemRow(SQLModel, table=True):
    """An item of an evaluation as it was measured. Items with equal contents and labels have equal digests."""

    __tablename__ = "item"

    evaluation_id: str = Field(sa_column=owner("evaluation.id", is_key=True))
    item: str = Field(primary_key=True)
    digest: str
    text: str


class LabelRow(SQLModel, table=True):
    """One labelled item of a course, such as a query with the locations that answer it."""

    __tablename__ = "label"

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    kind: str = Field(primary_key=True)
    item: str = Field(primary_key=True)
    content: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)

"""Work that processes share: cells of evaluations, files to ingest, and jobs that failed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, LargeBinary, Text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, now, owner
from core.types import Source


class CellClaimRow(SQLModel, table=True):
    """The process that measures one actor on one item under one seed; void when it has died."""

    __tablename__ = "cell_claim"

    evaluation_id: str = Field(sa_column=owner("evaluation.id", is_key=True))
    actor: str = Field(primary_key=True)
    item: str = Field(primary_key=True)
    seed: int = Field(primary_key=True)
    run: str = Field(description="The run within the process, of which there may be several.")
    owner: str = Field(description="`ProcessRow.id`.")


class WaitingFileRow(SQLModel, table=True):
    """A file that a job will ingest, on whichever machine. The latest version of its name alone is kept."""

    __tablename__ = "waiting_file"

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    source: Source = Field(sa_type=Text, primary_key=True)
    name: str = Field(primary_key=True)
    sha256: str
    content: bytes = Field(sa_type=LargeBinary)
    is_accepted: bool = Field(default=False, description="Whether it will be ingested, not only looked at.")
    stored_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class FailedJobRow(SQLModel, table=True):
    """A job that failed for good. `error` is for operators: it may name files and hosts."""

    __tablename__ = "failed_job"

    id: str = Field(primary_key=True)
    kind: str
    key: str
    arguments: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    attempts: int
    error: str
    failed_at: datetime = Field(default_factory=now, sa_type=UTCDateTime, index=True)

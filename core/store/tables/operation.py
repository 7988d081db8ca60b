"""What an installation records of its own work."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Index, Text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, now, owner


class ProcessRow(SQLModel, table=True):
    """A running process of this installation. Both times are by the database's clock."""

    __tablename__ = "process"

    id: str = Field(primary_key=True)
    host: str = Field(description="Machine and process namespace in which `pid` means something.")
    pid: int
    started_at: datetime = Field(sa_type=UTCDateTime)
    seen_at: datetime = Field(sa_type=UTCDateTime)


class JobState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class JobRow(SQLModel, table=True):
    """A long piece of work, such as one ingestion run, with its report."""

    __tablename__ = "job"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    kind: str
    state: JobState = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    report: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)


class SecretRow(SQLModel, table=True):
    """A secret that all processes of an installation share, such as the one that signs cookies."""

    __tablename__ = "secret"

    name: str = Field(primary_key=True)
    value: str


class UsageRow(SQLModel, table=True):
    """What a key or a course has used in a period, to be compared with its quotas."""

    __tablename__ = "quota_usage"

    subject: str = Field(primary_key=True, description="`key:ID` or `course:ID`.")
    period: str = Field(primary_key=True, description="`2026-03` or `2026-03-01`, in UTC.")
    requests: int = 0
    questions: int = 0
    dollars: float = 0.0


class ReservationRow(SQLModel, table=True):
    """Dollars that a question under way may cost a key or a course; void when its process has died, or in the end."""

    __tablename__ = "quota_reservation"

    id: str = Field(primary_key=True)
    subject: str = Field(primary_key=True, index=True, description="As in `quota_usage`.")
    dollars: float
    owner: str = Field(description="The process that works on the question.")
    expires_at: datetime = Field(sa_type=UTCDateTime)


class AuditRow(SQLModel, table=True):
    """An entry of the audit log, which is only ever added to. It names the course without referring to its row, so that
    it survives the course."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_course", "course_id", "at"),)

    id: str = Field(primary_key=True)
    at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    course_id: str | None = None
    actor: str = Field(description="`Person.id`.")
    actor_name: str
    action: str
    subject: str | None = Field(default=None, description="The id of the draft, trace, key or person it was about.")
    request_id: str | None = None
    details: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)

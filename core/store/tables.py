"""The tables. They use types that SQLite and PostgreSQL share, and only those."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, ForeignKey, Index, LargeBinary, Text, TypeDecorator, text
from sqlmodel import Field, SQLModel

from core.types import Source, Visibility


class UTCDateTime(TypeDecorator[datetime]):
    """A time in UTC. SQLite drops time zones and PostgreSQL uses the session's; this restores UTC and refuses values
    without a time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"A moment without a time zone cannot be stored: {value!r}")
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def now() -> datetime:
    """The current moment in UTC."""
    return datetime.now(UTC)


def _owner(target: str, *, nullable: bool = False) -> Any:
    return Column(Text, ForeignKey(target, ondelete="CASCADE"), nullable=nullable, index=True)


class CourseRow(SQLModel, table=True):
    """A tenant. `config` is its validated course file; `revision` grows with every change of its material."""

    __tablename__ = "course"

    id: str = Field(primary_key=True)
    config: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    revision: int = 0
    embedding: dict[str, Any] | None = Field(
        default=None,
        sa_column=Column(JSON(none_as_null=True), nullable=True),
        description="What made the vectors that are searched (`core.embedding`); None where it has none.",
    )


class DocumentState(StrEnum):
    INDEXED = "indexed"
    EMPTY = "empty"
    FAILED = "failed"


class DocumentRow(SQLModel, table=True):
    """One ingested file. `build` identifies how it was built, so that a changed prompt or model rebuilds it."""

    __tablename__ = "document"
    __table_args__ = (Index("ix_document_name", "course_id", "source", "name", unique=True),)

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    source: Source = Field(sa_type=Text)
    name: str
    title: str
    sha256: str
    build: str
    state: DocumentState = Field(sa_type=Text)
    error: str | None = None
    visibility: Visibility = Field(sa_type=Text)
    pair: str | None = Field(default=None, description="Name shared by an assignment and its solution document.")
    is_solution: bool = False
    release_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    pages: int = 0
    warnings: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    ingested_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class NodeKind(StrEnum):
    DOCUMENT = "document"
    SECTION = "section"
    GROUP = "group"
    BLOCK = "block"


class NodeRow(SQLModel, table=True):
    """A node of a document's tree. Blocks are the leaves and have text; inner nodes have a summary."""

    __tablename__ = "node"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    document_id: str = Field(sa_column=_owner("document.id"))
    parent_id: str | None = Field(default=None, sa_column=_owner("node.id", nullable=True))
    ordinal: int = Field(description="Position in the document's tree, depth first, from 0.")
    kind: NodeKind = Field(sa_type=Text)
    title: str
    heading_path: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    label: str | None = Field(default=None, description="Question number in one spelling, such as 3a.")
    text: str = ""
    solution: str = ""
    summary: str = ""
    position: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    cost: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column(JSON, nullable=False), description="Usage of the node's summary."
    )


class EmbeddingRow(SQLModel, table=True):
    """The vector of one chunk of a block: `text[start:end]` of that block, under its heading path."""

    __tablename__ = "embedding"

    node_id: str = Field(sa_column=Column(Text, ForeignKey("node.id", ondelete="CASCADE"), primary_key=True))
    ordinal: int = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    model: str = Field(primary_key=True, description="Id of the embedding that made it.")
    start: int
    end: int
    vector: bytes = Field(sa_column=Column(LargeBinary, nullable=False), description="float32, little endian.")


class DraftState(StrEnum):
    """`working` until the pipeline ends; then `pending` a TA's decision, or `failed` with the question kept."""

    WORKING = "working"
    PENDING = "pending"
    FAILED = "failed"
    REFUSED = "refused"


class DraftRow(SQLModel, table=True):
    """An answer before a TA's decision, with the request that led to it."""

    __tablename__ = "draft"
    __table_args__ = (
        Index("ix_draft_idempotency", "course_id", "idempotency_key", unique=True),
        Index("ix_draft_state", "state", "created_at"),
    )

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime, index=True)
    state: DraftState = Field(sa_type=Text)
    idempotency_key: str | None = None
    fingerprint: str = Field(default="", description="Hash of the request that the idempotency key belongs to.")
    request: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    response: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    error: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    parameters: dict[str, Any] | None = Field(
        default=None, sa_column=Column(JSON, nullable=True), description="Query parameters of the request."
    )
    owner: str | None = Field(default=None, description="The process that works on it, or the last that did.")


class ProcessRow(SQLModel, table=True):
    """A running process of this installation. Both times are by the database's clock."""

    __tablename__ = "process"

    id: str = Field(primary_key=True)
    host: str = Field(description="Machine and process namespace in which `pid` means something.")
    pid: int
    started_at: datetime = Field(sa_type=UTCDateTime)
    seen_at: datetime = Field(sa_type=UTCDateTime)


class TraceRow(SQLModel, table=True):
    """Every step of the run behind a draft."""

    __tablename__ = "trace"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    draft_id: str = Field(sa_column=_owner("draft.id"))
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    steps: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    usage: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class JobState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class JobRow(SQLModel, table=True):
    """A long piece of work, such as one ingestion run, with its report."""

    __tablename__ = "job"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    kind: str
    state: JobState = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    report: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


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
    course_id: str | None = Field(default=None, sa_column=_owner("course.id", nullable=True))
    kind: str
    key: str = Field(index=True)
    state: EvaluationState = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    config: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    summary: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class ResultState(StrEnum):
    SCORED = "scored"
    FAILED = "failed"


class ResultRow(SQLModel, table=True):
    """The output and scores of one actor for one item and one seed, or the error that it ended with.

    `scores` are by metric. `ms` is None for actors without a running time, such as files.
    """

    __tablename__ = "result"

    evaluation_id: str = Field(
        sa_column=Column(Text, ForeignKey("evaluation.id", ondelete="CASCADE"), primary_key=True)
    )
    actor: str = Field(primary_key=True)
    item: str = Field(primary_key=True)
    seed: int = Field(primary_key=True)
    state: ResultState = Field(sa_type=Text)
    output: Any = Field(default=None, sa_column=Column(JSON, nullable=True))
    error: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    usage: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    ms: float | None = None
    scores: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column(JSON, nullable=False, server_default=text("'{}'"))
    )


class ItemRow(SQLModel, table=True):
    """An item of an evaluation as it was measured. Items with equal contents and labels have equal digests."""

    __tablename__ = "item"

    evaluation_id: str = Field(
        sa_column=Column(Text, ForeignKey("evaluation.id", ondelete="CASCADE"), primary_key=True)
    )
    item: str = Field(primary_key=True)
    digest: str
    text: str


class LabelRow(SQLModel, table=True):
    """One labelled item of a course, such as a query with the locations that answer it."""

    __tablename__ = "label"

    course_id: str = Field(sa_column=Column(Text, ForeignKey("course.id", ondelete="CASCADE"), primary_key=True))
    kind: str = Field(primary_key=True)
    item: str = Field(primary_key=True)
    content: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))

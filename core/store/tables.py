"""The tables. They use types that SQLite and PostgreSQL share, and only those."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, ForeignKey, Index, LargeBinary, Text, TypeDecorator, text
from sqlmodel import Field, SQLModel

from core.review import Outcome
from core.types import Role, Source, Visibility


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
    visibility: Visibility | None = Field(default=None, sa_type=Text, description="Corrected; else the document's.")
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
    """`working` until the pipeline ends; then `pending` a TA's decision, or `failed` with the question kept. Both can
    be `decided`."""

    WORKING = "working"
    PENDING = "pending"
    FAILED = "failed"
    REFUSED = "refused"
    DECIDED = "decided"


class DraftRow(SQLModel, table=True):
    """An answer before a TA's decision, with the request that led to it."""

    __tablename__ = "draft"
    __table_args__ = (
        Index("ix_draft_idempotency", "course_id", "idempotency_key", unique=True),
        Index("ix_draft_state", "state", "created_at"),
        Index("ix_draft_pseudonym", "course_id", "pseudonym"),
        Index("ix_draft_thread", "course_id", "thread_id"),
        Index("ix_draft_queue", "course_id", "state", "created_at"),
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
    asked_by: str | None = Field(default=None, index=True, description="Who sent the request: `Person.id`.")
    pseudonym: str | None = Field(default=None, description="The author of the question, as the forum calls them.")
    thread_id: str | None = Field(default=None, description="The thread on the forum that the question stands in.")
    kind: str | None = Field(default=None, description="Kind of question, see `core.review.QuestionKind`.")
    category: str | None = Field(default=None, description="The question's category, to filter by.")
    confidence: float | None = Field(default=None, description="The answer's confidence, to filter by.")
    version: int = Field(default=0, description="Grows with each answer, decision and undo: the draft's ETag.")
    claimed_by: str | None = Field(default=None, description="Who reviews it (`Person.id`), until `claimed_until`.")
    claimed_by_name: str | None = None
    claimed_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    alternative: dict[str, Any] | None = Field(
        default=None,
        sa_column=Column(JSON(none_as_null=True), nullable=True),
        description="Another answer, written for its reviewer; shown beside `response`.",
    )
    callback_url: str | None = Field(default=None, description="Hears of the decision, see `core.store.outbox`.")


class DecisionRow(SQLModel, table=True):
    """What a person made of a draft. At most one decision of a draft is neither undone nor a second opinion."""

    __tablename__ = "decision"
    __table_args__ = (Index("ix_decision_time", "course_id", "decided_at"),)

    id: str = Field(primary_key=True)
    draft_id: str = Field(sa_column=_owner("draft.id"))
    course_id: str = Field(sa_column=Column(Text, ForeignKey("course.id", ondelete="CASCADE"), nullable=False))
    outcome: Outcome = Field(sa_type=Text)
    text: str = Field(default="", description="What is posted; empty for a discarded draft.")
    reasons: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    note: str = ""
    scores: dict[str, int] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    struck: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    kept: list[str] | None = Field(
        default=None, sa_column=Column(JSON(none_as_null=True), nullable=True), description="Ids of relevant blocks."
    )
    decided_by: str = Field(description="`Person.id`.")
    decided_by_name: str
    decided_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    final_at: datetime = Field(sa_type=UTCDateTime, description="Until then it can be undone; then it is posted.")
    undone_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    is_second: bool = Field(default=False, description="A second annotator's opinion, which is not posted.")
    seconds: float | None = Field(default=None, description="Time that the reviewer spent on the draft.")
    edit_distance: int = Field(default=0, description="Words inserted, deleted or replaced.")
    share_deleted: float = Field(default=0.0, description="Share of the draft's words that were deleted.")
    share_added: float = Field(default=0.0, description="Share of the final text's words that were added.")
    pipeline: str | None = None
    promoted_at: datetime | None = Field(
        default=None, sa_type=UTCDateTime, description="When it became a past question of the course."
    )


class CorrectionRow(SQLModel, table=True):
    """What staff decided about a block; it holds again after the document is ingested anew.

    The block is named by its document and headings, since its text may change. No foreign key: replacing a document
    deletes its rows for a moment.
    """

    __tablename__ = "correction"

    course_id: str = Field(sa_column=Column(Text, ForeignKey("course.id", ondelete="CASCADE"), primary_key=True))
    document_id: str = Field(primary_key=True)
    heading: str = Field(primary_key=True, description="Heading path and label as JSON.")
    visibility: Visibility | None = Field(default=None, sa_type=Text)
    is_question: bool = True
    corrected_by: str = Field(description="`Person.id`.")
    corrected_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class WebhookRow(SQLModel, table=True):
    """An address that hears of a course's decisions."""

    __tablename__ = "webhook"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    url: str
    secret: str
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class DeliveryState(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class DeliveryRow(SQLModel, table=True):
    """A message of the outbox to one address. Its id stays the same however often it is sent."""

    __tablename__ = "delivery"
    __table_args__ = (Index("ix_delivery_due", "state", "next_at"),)

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=_owner("course.id"))
    draft_id: str = Field(sa_column=_owner("draft.id"))
    webhook_id: str | None = Field(default=None, description="None for the callback of one request.")
    url: str
    event: str
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    next_at: datetime = Field(sa_type=UTCDateTime)
    state: DeliveryState = Field(sa_type=Text)
    tries: int = 0
    last_status: int | None = None
    last_error: str | None = None


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


class PersonRow(SQLModel, table=True):
    """Someone who may sign in, by a link or by an account elsewhere (`issuer` and `subject`)."""

    __tablename__ = "person"
    __table_args__ = (Index("ix_person_subject", "issuer", "subject", unique=True),)

    id: str = Field(primary_key=True)
    name: str
    email: str | None = Field(default=None, unique=True, description="In lower case.")
    issuer: str | None = None
    subject: str | None = None
    is_operator: bool = False
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class MemberRow(SQLModel, table=True):
    """The role of a person in a course."""

    __tablename__ = "member"

    course_id: str = Field(sa_column=Column(Text, ForeignKey("course.id", ondelete="CASCADE"), primary_key=True))
    person_id: str = Field(sa_column=Column(Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True))
    role: Role = Field(sa_type=Text)


class KeyRow(SQLModel, table=True):
    """A key for programs. Only the hash of it is stored; `id` is the part that may be shown."""

    __tablename__ = "api_key"

    id: str = Field(primary_key=True)
    name: str
    digest: str = Field(description="SHA-256 of the key, in hexadecimal digits.")
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False))
    courses: list[str] | None = Field(
        default=None,
        sa_column=Column(JSON(none_as_null=True), nullable=True),
        description="The courses that it is bound to; None for all.",
    )
    limits: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    expires_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime, description="Accurate to a minute.")


class SignInLinkRow(SQLModel, table=True):
    """A link that signs a person in once. Only the hash of its token is stored."""

    __tablename__ = "sign_in_link"

    digest: str = Field(primary_key=True)
    person_id: str = Field(sa_column=_owner("person.id"))
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class SessionRow(SQLModel, table=True):
    """A browser in which a person has signed in. Only the hash of its token is stored."""

    __tablename__ = "session"

    digest: str = Field(primary_key=True)
    person_id: str = Field(sa_column=_owner("person.id"))
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)


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
    details: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class RosterRow(SQLModel, table=True):
    """A member of a course whose name is replaced by a pseudonym before a question goes to a model."""

    __tablename__ = "roster"

    course_id: str = Field(sa_column=Column(Text, ForeignKey("course.id", ondelete="CASCADE"), primary_key=True))
    pseudonym: str = Field(primary_key=True)
    name: str
    aliases: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))

"""Drafts with their traces, and what people decided about them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, ForeignKey, Index, Text
from sqlmodel import Field, SQLModel

from core.review import Complaint, EditPurpose, Outcome
from core.store.tables.columns import UTCDateTime, json_or_null, now, owner


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
    course_id: str = Field(sa_column=owner("course.id"))
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime, index=True)
    state: DraftState = Field(sa_type=Text)
    idempotency_key: str | None = None
    fingerprint: str = Field(default="", description="Hash of the request that the idempotency key belongs to.")
    request: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    response: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    error: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    parameters: dict[str, Any] | None = Field(
        default=None, sa_type=JSON, description="Query parameters of the request."
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
        sa_column=json_or_null(),
        description="Another answer, written for its reviewer; shown beside `response`.",
    )
    stale: str | None = Field(default=None, description="Why it cannot be approved: its question has changed.")
    callback_url: str | None = Field(default=None, description="Hears of the decision, see `core.store.outbox`.")
    reminded_at: datetime | None = Field(
        default=None, sa_type=UTCDateTime, description="When webhooks heard that it waits too long."
    )


class TraceRow(SQLModel, table=True):
    """Every step of the run behind a draft."""

    __tablename__ = "trace"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    draft_id: str = Field(sa_column=owner("draft.id"))
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    steps: list[dict[str, Any]] = Field(default_factory=list, sa_type=JSON)
    usage: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)


class DecisionRow(SQLModel, table=True):
    """What a person made of a draft. At most one of a draft is neither undone, replaced nor a second opinion."""

    __tablename__ = "decision"
    __table_args__ = (
        Index("ix_decision_time", "course_id", "decided_at"),
        Index("ix_decision_person", "decided_by"),
    )

    id: str = Field(primary_key=True)
    draft_id: str = Field(sa_column=owner("draft.id"))
    course_id: str = Field(sa_column=Column(Text, ForeignKey("course.id", ondelete="CASCADE"), nullable=False))
    outcome: Outcome = Field(sa_type=Text)
    text: str = Field(default="", description="What is posted; empty for a discarded draft.")
    reasons: list[str] = Field(default_factory=list, sa_type=JSON)
    note: str = ""
    scores: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    struck: list[str] = Field(default_factory=list, sa_type=JSON)
    kept: list[str] | None = Field(default=None, sa_column=json_or_null(), description="Ids of relevant blocks.")
    decided_by: str = Field(description="`Person.id`.")
    decided_by_name: str
    decided_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    final_at: datetime = Field(sa_type=UTCDateTime, description="Until then it can be undone; then it is posted.")
    undone_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    corrects: str | None = Field(default=None, description="Id of the final decision that it replaced.")
    replaced_at: datetime | None = Field(default=None, sa_type=UTCDateTime, description="When it was corrected.")
    is_second: bool = Field(default=False, description="A second annotator's opinion, which is not posted.")
    seconds: float | None = Field(default=None, description="Time that the reviewer spent on the draft.")
    edit_distance: int = Field(default=0, description="Words inserted, deleted or replaced.")
    share_deleted: float = Field(default=0.0, description="Share of the draft's words that were deleted.")
    share_added: float = Field(default=0.0, description="Share of the final text's words that were added.")
    pipeline: str | None = None
    promoted_at: datetime | None = Field(
        default=None, sa_type=UTCDateTime, description="When it became a past question of the course."
    )


class JudgementRow(SQLModel, table=True):
    """A judge's score of a draft. A process that scores it takes it first (`taken_at`)."""

    __tablename__ = "judgement"

    draft_id: str = Field(sa_column=owner("draft.id", is_key=True))
    judge: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    rubric: str = Field(default="", description="Version of the judge's rubric.")
    score: float | None = Field(default=None, description="From 0 to 1.")
    unscored: str | None = Field(default=None, description="Why there is no score.")
    explanation: str = ""
    parts: dict[str, float] = Field(default_factory=dict, sa_type=JSON)
    taken_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    tries: int = 1
    judged_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class VoteRow(SQLModel, table=True):
    """Whether an answer helped whoever read it, and if not, why."""

    __tablename__ = "vote"

    draft_id: str = Field(sa_column=owner("draft.id", is_key=True))
    voter: str = Field(primary_key=True, description="`Person.id`.")
    course_id: str = Field(sa_column=owner("course.id"))
    is_helpful: bool
    reason: Complaint | None = Field(default=None, sa_type=Text)
    note: str = ""
    voted_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class EditRow(SQLModel, table=True):
    """What a person has typed about a draft and not sent, as the fields of its page's form."""

    __tablename__ = "edit"

    draft_id: str = Field(sa_column=owner("draft.id", is_key=True))
    person: str = Field(primary_key=True, description="`Person.id`.")
    purpose: EditPurpose = Field(sa_column=Column(Text, primary_key=True))
    course_id: str = Field(sa_column=owner("course.id"))
    base: str = Field(default="", description="Digest of the draft's text that was edited; empty if unknown.")
    revision: int = Field(default=1, description="Grows with each save: who saves names the one that was read.")
    fields: dict[str, list[str]] = Field(default_factory=dict, sa_type=JSON)
    saved_at: datetime = Field(default_factory=now, sa_type=UTCDateTime, index=True)


class PresenceRow(SQLModel, table=True):
    """That a person has a draft open, as of `seen_at`."""

    __tablename__ = "presence"

    draft_id: str = Field(sa_column=owner("draft.id", is_key=True))
    person: str = Field(primary_key=True, description="`Person.id`.")
    name: str
    seen_at: datetime = Field(sa_type=UTCDateTime, index=True)


class PictureRow(SQLModel, table=True):
    """A picture of a question, for those who review its draft."""

    __tablename__ = "picture"

    draft_id: str = Field(sa_column=owner("draft.id", is_key=True))
    number: int = Field(primary_key=True, description="From 1, in the question's order.")
    media_type: str
    data: bytes


class SnippetRow(SQLModel, table=True):
    """A piece of text that a course's staff inserts into answers."""

    __tablename__ = "snippet"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    name: str
    text: str
    created_by_name: str
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class SavedFilterRow(SQLModel, table=True):
    """Filters of the queue that a person keeps under a name."""

    __tablename__ = "saved_filter"

    person: str = Field(primary_key=True, description="`Person.id`.")
    name: str = Field(primary_key=True)
    query: str = Field(description="As in the queue's address.")

"""Threads of forums, how far each forum was read, and what is posted there."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, Text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, now, owner


class ForumRow(SQLModel, table=True):
    """How far a course's forum was read, and when it is read next."""

    __tablename__ = "forum"

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    cursor: str | None = None
    next_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    failures: int = 0
    error: str | None = Field(default=None, description="Why it could not be read, without any text of the forum.")
    shows_drafts: bool = Field(default=False, description="Whether its staff-only posts were tested.")


class ThreadState(StrEnum):
    """`asked` once there is a draft. A thread ends `posted`, `for_staff`, `ignored`, or `gone` with its question."""

    NEW = "new"
    ASKED = "asked"
    POSTED = "posted"
    FOR_STAFF = "for_staff"
    IGNORED = "ignored"
    GONE = "gone"


class ForumThreadRow(SQLModel, table=True):
    """A thread of a forum. It holds no text and no name."""

    __tablename__ = "forum_thread"
    __table_args__ = (
        Index("ix_forum_thread_due", "due_at"),
        Index("ix_forum_thread_draft", "draft_id"),
    )

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    thread_id: str = Field(primary_key=True, description="The forum's own id.")
    state: ThreadState = Field(default=ThreadState.NEW, sa_type=Text)
    hint: str | None = Field(default=None, description="What the forum's list said of it, to see that it has changed.")
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime, description="When it is looked at next.")
    digest: str | None = Field(default=None, description="Hash of the question as the draft answers it.")
    draft_id: str | None = Field(default=None, description="Its latest draft.")
    drafts: int = Field(default=0, description="How many drafts were written.")
    tries: int = Field(default=0, description="Failed looks since the last one that succeeded.")
    learned_from: str | None = Field(default=None, description="The staff's post that became a past question.")
    reason: str | None = Field(default=None, description="Why it is in its state, without any text of the forum.")


class ForumPostState(StrEnum):
    """`sending` is written before the call. `unsure` means that the call may have been carried out."""

    WAITING = "waiting"
    SENDING = "sending"
    UNSURE = "unsure"
    POSTED = "posted"
    HELD = "held"
    CANCELLED = "cancelled"
    FAILED = "failed"


class ForumPostKind(StrEnum):
    """A `correction` changes the answer that was posted, or deletes it where the answer was withdrawn."""

    ANSWER = "answer"
    STAFF_DRAFT = "staff_draft"
    CORRECTION = "correction"


class ForumPostRow(SQLModel, table=True):
    """A post of ours. Its mark stands in its text, so that it is found again in the forum."""

    __tablename__ = "forum_post"
    __table_args__ = (
        Index("ix_forum_post_due", "state", "next_at"),
        Index("ix_forum_post_decision", "decision_id", "kind", unique=True),
    )

    mark: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    thread_id: str
    draft_id: str = Field(sa_column=owner("draft.id"))
    decision_id: str = Field(description="What is posted; of a staff draft, the draft's id.")
    kind: ForumPostKind = Field(sa_type=Text)
    digest: str = Field(description="Hash of the question that is answered.")
    state: ForumPostState = Field(default=ForumPostState.WAITING, sa_type=Text)
    post_id: str | None = None
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime, description="When the last call began.")
    next_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    tries: int = Field(default=0, description="Calls so far.")
    looks: int = Field(default=0, description="Times that an unsure post was looked for and not found.")
    error: str | None = None

"""Requests and responses about the review of drafts."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from app.schemas import AskedOut, Body, FailureOut, Text
from core.review import Outcome, QuestionKind, Reason
from core.store.tables import DecisionRow, DraftState, JudgementRow
from core.types import Citation, Doubt, Status

MAX_FINAL_CHARS = 50_000
"""Longest text that is posted."""
MAX_NOTE_CHARS = 2_000
MAX_SECONDS = 30 * 24 * 3600
"""Longest time that one may say to have spent on a draft."""


class ScoresIn(Body):
    """A reviewer's scores of the draft."""

    correct: int | None = Field(default=None, ge=1, le=5)
    helpful: int | None = Field(default=None, ge=1, le=5)
    style: int | None = Field(default=None, ge=1, le=3)


class DecisionIn(Body):
    """A decision on a draft."""

    outcome: Outcome | None = Field(
        default=None, description="Left out, it follows from the text: approved, edited or rewritten."
    )
    text: Text | None = Field(default=None, description="What is posted; left out, the draft without `struck`.")
    struck: list[int] = Field(
        default_factory=list, max_length=1000, description="Numbers, from 1, of sentences to leave out."
    )
    reasons: list[Reason] = Field(default_factory=list, max_length=10)
    note: Text = Field(default="", max_length=MAX_NOTE_CHARS, description="For staff only.")
    scores: ScoresIn = ScoresIn()
    kept: list[Text] | None = Field(
        default=None, max_length=100, description="Ids of the cited blocks that belong to the question."
    )
    seconds: float | None = Field(default=None, ge=0, le=MAX_SECONDS, description="Time spent on the draft.")
    promote: bool = Field(
        default=False,
        description="Let the next such question be answered from this one; `is_promoted` says whether that was done.",
    )


class DecisionOut(BaseModel):
    """A stored decision."""

    id: str
    outcome: Outcome
    text: str = Field(description="Markdown to post, with [n] referring to citation n; empty if it was discarded.")
    reasons: tuple[Reason, ...]
    note: str
    scores: dict[str, int]
    struck: tuple[str, ...] = Field(description="Sentences of the draft that the text does not have.")
    kept: tuple[str, ...] | None
    decided_by: str = Field(description="Name of the person or key.")
    decided_at: datetime
    final_at: datetime = Field(description="Until then the decision can be undone. Post the text afterwards.")
    is_final: bool
    seconds: float | None
    edit_distance: int = Field(description="Words inserted, deleted or replaced.")
    share_deleted: float = Field(description="Share of the draft's words that were deleted.")
    share_added: float = Field(description="Share of the text's words that were added.")
    is_promoted: bool
    is_correction: bool = Field(description="True if it took the place of an earlier text that was final.")

    @classmethod
    def of(cls, row: DecisionRow, at: datetime) -> DecisionOut:
        hidden = {
            "draft_id", "course_id", "undone_at", "is_second", "pipeline", "promoted_at", "decided_by", "corrects",
            "replaced_at",
        }  # fmt: skip
        fields = row.model_dump(exclude=hidden)
        fields["decided_by"] = fields.pop("decided_by_name")
        return cls(
            **fields,
            is_final=row.final_at <= at,
            is_promoted=row.promoted_at is not None,
            is_correction=row.corrects is not None,
        )


class ClaimIn(Body):
    """Whom a draft is claimed for."""

    to: Text | None = Field(default=None, min_length=1, max_length=200, description="Hand over to; left out, yourself.")


class ClaimOut(BaseModel):
    """Who is reviewing a draft, and until when it is kept from others' queues."""

    by: str
    until: datetime


class JudgementOut(BaseModel):
    """What the judge of the course's file made of a draft."""

    judge: str
    score: float | None = Field(description="From 0 to 1; null where there is none.")
    unscored: str | None = Field(description="Why there is no score.")
    explanation: str = Field(description="Claim by claim, one per line.")
    parts: dict[str, float] = Field(description="Of `grounded`, the numbers of claims by verdict.")
    judged_at: datetime

    @classmethod
    def of(cls, row: JudgementRow) -> JudgementOut:
        return cls(**row.model_dump(include=set(cls.model_fields)))


class DraftOut(BaseModel):
    """A draft with its question, answer and decision."""

    id: str
    course_id: str
    state: DraftState
    version: int = Field(description="The same as in the ETag: send it as `If-Match` with a decision.")
    created_at: datetime
    kind: QuestionKind | None
    category: str | None
    question: AskedOut
    status: Status | None = Field(default=None, description="How the answer ended; null where there is none.")
    answer: str = Field(default="", description="Markdown of the draft, with [n] referring to citation n.")
    unverified: tuple[str, ...] = Field(
        default=(), description="Sentences of the draft that no quote from the material supports."
    )
    repeats_staff: tuple[str, ...] = Field(
        default=(), description="Sentences of the draft that repeat a text for staff, such as a solution."
    )
    doubts: tuple[Doubt, ...] = Field(default=(), description="Why a person must read it before it is posted.")
    confidence: float | None = None
    citations: tuple[Citation, ...] = ()
    warnings: tuple[str, ...] = ()
    error: FailureOut | None = None
    judgement: JudgementOut | None = Field(
        default=None,
        description="The score of the course's judge; null until it is there, and for reviewers who score drafts until "
        "they have scored this one.",
    )
    claim: ClaimOut | None = None
    decision: DecisionOut | None = Field(default=None, description="The decision that counts; null before.")

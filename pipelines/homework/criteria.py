"""What feedback on a submission says: a verdict for each of five criteria (homework feedback study, metrics i to v)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

CRITERIA = ("completeness", "method", "final_answer", "arithmetic", "units")
"""In the order in which a reader wants them."""


class Verdict(StrEnum):
    """What is said of one criterion. `cannot_tell` is said where neither a computation nor a model decides it."""

    right = "right"
    partly = "partly"
    wrong = "wrong"
    not_applicable = "not_applicable"
    cannot_tell = "cannot_tell"

    @property
    def is_flagged(self) -> bool:
        """Whether the student is told that something is amiss."""
        return self in (Verdict.partly, Verdict.wrong)


class CriterionFeedback(BaseModel):
    """The verdict on one criterion, the line of the submission that it is about, what it rests on, and a hint."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict = Field(description="right, partly, wrong, not_applicable or cannot_tell.")
    where: str | None = Field(default=None, description="The line of the submission that it is about, as written.")
    evidence: str = Field(default="", description="What was computed or read, without the official solution.")
    hint: str = Field(default="", description="What the student can do next; it never gives the solution.")


class Feedback(BaseModel):
    """Feedback on a submission: a verdict for each criterion and a comment on the whole."""

    model_config = ConfigDict(frozen=True)

    criteria: dict[str, CriterionFeedback] = Field(description=f"For each of {', '.join(CRITERIA)}.")
    comment: str = Field(description="What the student reads first.")

"""Feedback on homework: a verdict for each of five criteria (homework feedback study, metrics i to v)."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

CRITERIA = ("completeness", "method", "final_answer", "arithmetic", "units")
"""In the order in which a reader wants them."""
CRITERION_NAMES = {criterion: criterion.replace("_", " ") for criterion in CRITERIA}
"""For people."""


class Verdict(StrEnum):
    """What is said of one criterion. `cannot_tell` is said where neither a computation nor a model decides it."""

    RIGHT = "right"
    PARTLY = "partly"
    WRONG = "wrong"
    NOT_APPLICABLE = "not_applicable"
    CANNOT_TELL = "cannot_tell"

    @property
    def is_flagged(self) -> bool:
        """Whether the student is told that something is amiss."""
        return self in (Verdict.PARTLY, Verdict.WRONG)

    @property
    def words(self) -> str:
        return self.value.replace("_", " ")


class CriterionFeedback(BaseModel):
    """The verdict on one criterion, the line of the submission that it is about, what it rests on, and a hint."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict = Field(description="right, partly, wrong, not_applicable or cannot_tell.")
    where: str | None = Field(default=None, description="The line of the submission that it is about, as written.")
    evidence: str = Field(default="", description="What was computed or read, without the official solution.")
    hint: str = Field(default="", description="What the student can do next; it never gives the solution.")
    confidence: float | None = Field(
        default=None,
        description="Chance that a person says the same, measured on labelled work; null where nothing was computed.",
    )
    waits: bool = Field(
        default=False,
        description="Something is said to be amiss, less surely than the course's `homework.tell_from`: a person reads "
        "it first.",
    )


class Feedback(BaseModel):
    """Feedback on a submission: a verdict for each criterion and a comment on the whole."""

    model_config = ConfigDict(frozen=True)

    criteria: dict[str, CriterionFeedback] = Field(description=f"For each of {', '.join(CRITERIA)}.")
    comment: str = Field(description="What the student reads first.")

    def with_texts(self, change: Callable[[str], str]) -> Feedback:
        """The same with every text changed."""
        criteria = {
            name: given.model_copy(
                update={
                    "where": given.where and change(given.where),
                    "evidence": change(given.evidence),
                    "hint": change(given.hint),
                }
            )
            for name, given in self.criteria.items()
        }
        return Feedback(criteria=criteria, comment=change(self.comment))

    @property
    def markdown(self) -> str:
        """The whole as a teaching assistant reviews it and a student reads it."""
        items = "\n".join(f"- {text}" for _, _, text in self.items)
        return "\n\n".join(filter(None, (self.comment, items)))

    @property
    def items(self) -> list[tuple[str, CriterionFeedback, str]]:
        """Each criterion that applies, and the words about it."""
        return [
            (
                name,
                given,
                f"**{CRITERION_NAMES[name].capitalize()}**: {given.verdict.words}."
                + "".join(f" {text}" for text in (given.evidence, given.hint) if text),
            )
            for name, given in self.criteria.items()
            if given.verdict is not Verdict.NOT_APPLICABLE
        ]

"""How a course wants answers written and checked."""

from __future__ import annotations

from enum import StrEnum

from pydantic import (
    Field,
)

from core.types import Value


class Style(Value):
    """How answers are written, by kind of question: plain sentences for the model that writes the answer."""

    assignments: str = Field(
        default="Give hints: name the idea, the place in the material and the next step, in two to five sentences. "
        "Leave the solution for the student to find.",
        description="For questions about a task that students hand in.",
    )
    concepts: str = Field(
        default="Explain fully: the idea in plain words first, then the detail, with a small example where it helps.",
        description="For questions about the subject.",
    )
    logistics: str = Field(
        default="State the rule or date and where it stands, in two to five sentences.",
        description="For questions about how the course is run.",
    )
    tone: str = Field(default="Friendly and to the point.", description="Tone of every answer.")

    @property
    def text(self) -> str:
        """One line per kind of question."""
        return "\n".join(f"{name}: {getattr(self, name).strip()}" for name in type(self).model_fields)


class Unsupported(StrEnum):
    """What happens to a statement of an answer without a quote that supports it."""

    MARK = "mark"
    LEAVE_OUT = "leave_out"


class Writing(Value):
    """How drafts that a model wrote are checked."""

    unsupported: Unsupported = Field(
        default=Unsupported.MARK,
        description="What happens to a statement without a quote that stands in the passage it names: `mark` shows it "
        "with a mark, `leave_out` removes it.",
    )
    mark: str = Field(default="(not verified)", min_length=1, description="That mark, in the course's language.")
    second_look_below: float = Field(
        default=0.6,
        ge=0,
        le=1,
        description="Confidence below which the model is asked once more, to mend a draft in which something was found "
        "wrong against the passages; 0 for never, 1 for nearly always.",
    )

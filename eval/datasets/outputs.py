"""What an actor puts out for a message, as evaluations store it."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from core.types import Status, StepKind, Value

_NUMBER = re.compile(r"\s?\[\d+\]")


def _is_empty(values: tuple[object, ...]) -> bool:
    return not values


class CitedPassage(Value):
    """A citation of an answer."""

    location: str = Field(description="Document and headings, as in labels.")
    verified: bool = Field(description="Whether its quote was found in the passage.")


class OutputStep(Value):
    """A step of the run that gave an answer, without times and usage: equal runs have equal steps."""

    kind: StepKind
    function: str | None = None
    arguments: dict[str, Any] | None = None
    retriever: str | None = None
    found: tuple[str, ...] = Field(default=(), description="Locations, best first.")
    task: str | None = None
    prompt_version: str | None = None
    model: str | None = None
    note: str | None = None
    error: str | None = None


class AnswerOutput(Value):
    """An answer, its citations in order, and the passages that were found for it, best first."""

    status: Status
    answer: str = Field(default="", description="Markdown with [n] references.")
    confidence: float | None = Field(default=None, ge=0, le=1, description="None if the actor states none.")
    citations: tuple[CitedPassage, ...] | None = Field(default=(), description="None if they are not known.")
    retrieved: tuple[str, ...] | None = Field(default=None, description="Locations; None if they are not known.")
    functions: tuple[str, ...] = Field(default=(), description="Names of the course functions that were called.")

    steps: tuple[OutputStep, ...] = Field(default=(), exclude_if=_is_empty, description="How it came about.")
    alternatives: tuple[AnswerOutput, ...] = Field(
        default=(),
        exclude_if=_is_empty,
        description="Other answers of an actor, of which the best counts.",
    )

    @property
    def is_answered(self) -> bool:
        return self.status is Status.ANSWERED

    @property
    def plain(self) -> str:
        """The answer without the numbers that refer to citations."""
        return _NUMBER.sub("", self.answer)

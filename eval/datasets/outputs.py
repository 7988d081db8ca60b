"""What an actor puts out for a message, as evaluations store it."""

from __future__ import annotations

import re

from pydantic import Field

from core.types import Status, Value

_NUMBER = re.compile(r"\s?\[\d+\]")


class CitedPassage(Value):
    """A citation of an answer."""

    location: str = Field(description="Document and headings, as in labels.")
    verified: bool = Field(description="Whether its quote was found in the passage.")


class AnswerOutput(Value):
    """An answer, its citations in order, and the passages that were found for it, best first."""

    status: Status
    answer: str = Field(default="", description="Markdown with [n] references.")
    confidence: float | None = Field(default=None, ge=0, le=1, description="None if the actor states none.")
    citations: tuple[CitedPassage, ...] = ()
    retrieved: tuple[str, ...] | None = Field(default=None, description="Locations; None if they are not known.")
    functions: tuple[str, ...] = Field(default=(), description="Names of the course functions that were called.")

    @property
    def is_answered(self) -> bool:
        return self.status is Status.ANSWERED

    @property
    def plain(self) -> str:
        """The answer without the numbers that refer to citations."""
        return _NUMBER.sub("", self.answer)

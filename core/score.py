"""Scores: a value or the reason why there is none, never without an explanation."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from core.types import Value

ESTIMATE = "estimate"
"""Part of a score without a value: what the value would be if there were no doubt."""


class Score(Value):
    """A value or the reason why there is none, with an explanation, and parts if there are several criteria."""

    value: float | None = None
    unscored: str | None = Field(default=None, description="Why there is no value.")
    explanation: str = ""
    parts: dict[str, float] = Field(default_factory=dict, description="Values by criterion.")
    quotes: tuple[str, ...] = Field(default=(), description="Words of the texts that the value rests on.")

    @model_validator(mode="after")
    def _value_or_reason(self) -> Self:
        if (self.value is None) == (self.unscored is None):
            raise ValueError("A score has either a value or a reason for having none.")
        return self

    @property
    def estimate(self) -> float | None:
        """The value, or what it would be if there were no doubt; None where not even that is known."""
        return self.parts.get(ESTIMATE) if self.value is None else self.value

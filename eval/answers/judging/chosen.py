"""Judges as an experiment names them: `NAME`, or `NAME@MODEL` for a model of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field, model_validator

from core.errors import InvalidInput
from core.types import Value
from judging import judge_named
from judging.base import AnyJudge
from judging.options import MAX_SAMPLES, JudgeOptions
from judging.rubric import Rubric

AT = "@"
"""Separates a judge and the model that it asks."""
ACCEPTABLE = 0.6
"""Share of the scale from which an answer is acceptable where the judge's rubric does not say."""


class ChosenJudge(Value):
    """A judge with its options; text is read as `NAME` or `NAME@MODEL`. Without a model, the default one is asked."""

    judge: str
    model: str | None = Field(default=None, description="Alias of the model that judges.")
    samples: int = Field(default=1, ge=1, le=MAX_SAMPLES, description="Replies per answer; their median counts.")
    reference: bool = Field(default=True, description="Whether the model sees the reference.")

    @model_validator(mode="before")
    @classmethod
    def _spelt(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        name, _, model = value.strip().partition(AT)
        return {"judge": name, "model": model or None}

    @property
    def name(self) -> str:
        """Its spelling, which is the name of its metric."""
        return self.judge if self.model is None else f"{self.judge}{AT}{self.model}"

    def made(self) -> AnyJudge:
        """The judge. Raises `UnknownName` listing the judges."""
        return judge_named(self.judge, JudgeOptions(model=self.model, samples=self.samples, reference=self.reference))


def distinct_judges(judges: Iterable[ChosenJudge]) -> tuple[ChosenJudge, ...]:
    """Each once. Raises `InvalidInput` for two of one name with different options, `UnknownName` for an unknown one."""
    found: dict[str, ChosenJudge] = {}
    for one in judges:
        one.made()
        if found.setdefault(one.name, one) != one:
            raise InvalidInput(f"The judge {one.name} is named twice with different options. Remove one of them.")
    return tuple(found.values())


def acceptable_score(judge: AnyJudge) -> float:
    """The score from which an answer is acceptable."""
    rubric: Rubric = judge.rubric
    return judge.scale.at(ACCEPTABLE) if rubric.acceptable is None else rubric.acceptable

"""A judge as an actor of the evaluation runner, so that judging is durable, resumable and has a cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from core.llm.base import LLM
from core.score import Score
from eval.actors.base import Actor
from eval.metrics.base import Direction, Metric, MetricUnit, Output
from judging.answers import JudgedAnswer
from judging.base import AnyJudge

COMPUTED = "computed"
MODEL = "model"
"""The forms of a judge: without a language model, or by asking one."""


@dataclass(frozen=True)
class JudgeActor(Actor[JudgedAnswer]):
    """Its output is the judge's `Score` as JSON. `conditions` are what its scores depend on besides its rubric."""

    judge: AnyJudge
    conditions: str

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.judge.name

    @property
    def identity(self) -> str:
        return f"{self.judge.version} {self.judge.options.spelling} {self.conditions}"

    async def act(self, item: JudgedAnswer, seed: int, llm: LLM) -> dict[str, Any]:
        return (await self.judge.judge(item, llm, seed)).model_dump(mode="json")


@dataclass(frozen=True)
class JudgeScore(Metric[JudgedAnswer]):
    """The score that a judge gave, on its own scale."""

    stem: ClassVar[str] = "judged"
    summary: ClassVar[str] = "The judge's score on its own scale; unscored if its reply could not be used."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.POINTS
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = None

    def score(self, item: JudgedAnswer, output: Output) -> Score:
        return Score.model_validate(output.content)

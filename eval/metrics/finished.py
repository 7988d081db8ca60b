"""`finished`."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.metrics.base import Direction, Metric, MetricUnit, Output


@dataclass(frozen=True)
class Finished(Metric[Any]):
    stem: ClassVar[str] = "finished"
    summary: ClassVar[str] = "1 for a dialogue that its agents ended, 0 for one that the turn limit ended."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.SHARE
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = "dialogues"

    def score(self, item: Any, output: Output) -> Score:
        turns = len(output.content["turns"])
        return Score(value=float(not output.content["is_partial"]), explanation=f"It has {turns} turns.")

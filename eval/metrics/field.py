"""`field@FIELD`."""

from __future__ import annotations

from statistics import fmean
from typing import Any, ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.metrics.base import Direction, Metric, MetricUnit, Output


@dataclass(frozen=True)
class Field(Metric[Any]):
    field: str

    stem: ClassVar[str] = "field"
    summary: ClassVar[str] = "Mean of what the judges of a dialogue gave a field, as in field@guidance.score."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.COUNT
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = "scenarios"

    def score(self, item: Any, output: Output) -> Score:
        judgements = output.content["judgements"]
        values = [value for one in judgements if (value := one["scores"].get(self.field)) is not None]
        if not values:
            return Score(unscored=f"No judge gave a number for {self.field}.")
        return Score(value=fmean(values), explanation=f"{len(values)} of {len(judgements)} judgements.")

"""`judged@FIELD`."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.metrics.base import Direction, Metric, MetricUnit, Output


@dataclass(frozen=True)
class JudgedFieldScore(Metric[Any]):
    field: str

    stem: ClassVar[str] = "judged"
    summary: ClassVar[str] = "What a scenario's judge gave a field, as in judged@guidance.score."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.COUNT
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = "judged dialogues"

    def score(self, item: Any, output: Output) -> Score:
        value = output.content
        for part in self.field.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if not isinstance(value, int | float):
            return Score(unscored=f"The judge gave no number for {self.field}.")
        return Score(value=float(value))

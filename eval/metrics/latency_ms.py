"""`latency_ms`."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.dataset import Item
from core.score import Score
from eval.metrics.base import Direction, Metric, MetricUnit, Output


@dataclass(frozen=True)
class LatencyMs(Metric[Item]):
    stem: ClassVar[str] = "latency_ms"
    summary: ClassVar[str] = "Milliseconds from passing the item to the actor until its output."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.MILLISECONDS
    direction: ClassVar[Direction] = Direction.LOWER
    evaluation: ClassVar[str | None] = None

    def score(self, item: Item, output: Output) -> Score:
        if output.ms is None:
            return Score(unscored="The output was read from a file, so it has no running time.")
        return Score(value=output.ms)

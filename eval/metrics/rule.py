"""A metric that one function computes, of a kind of evaluation with few of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from core.dataset import I
from core.score import Score
from eval.metrics.base import Direction, Metric, MetricUnit, Output


@dataclass(frozen=True)
class RuleMetric(Metric[I]):
    """A share from 0 to 1, by `rule` from an item and the content of its output; None where it does not apply."""

    summary: ClassVar[str] = "A share of what the item is labelled with."
    unit: ClassVar[MetricUnit] = MetricUnit.SHARE
    evaluation: ClassVar[str | None] = None

    stem: str  # type: ignore[misc]  # each has its own
    rule: Callable[[I, Any], float | None]
    direction: Direction = Direction.HIGHER  # type: ignore[misc]
    version: str = "1"  # type: ignore[misc]

    @property
    def name(self) -> str:
        return self.stem

    def score(self, item: I, output: Output) -> Score:
        value = self.rule(item, output.content)
        return Score(unscored="It has nothing that this measures.") if value is None else Score(value=value)

"""`set_f1`."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.datasets.questions import KIND, LabelledQuestion
from eval.metrics.base import Direction, Metric, MetricUnit, Output


@dataclass(frozen=True)
class SetF1(Metric[LabelledQuestion]):
    stem: ClassVar[str] = "set_f1"
    summary: ClassVar[str] = "F1 of the set of functions called and the set wanted."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.SHARE
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = KIND

    def score(self, item: LabelledQuestion, output: Output) -> Score:
        called, wanted = frozenset(output.content), frozenset(item.functions)
        return Score(value=set_f1(called, wanted), explanation=f"Called {_named(called)}; wanted {_named(wanted)}.")


def set_f1(called: frozenset[str], wanted: frozenset[str]) -> float:
    """F1 of two sets; 1 if both are empty, since then nothing was wanted and nothing was called."""
    return 2 * len(called & wanted) / (len(called) + len(wanted)) if called or wanted else 1.0


def _named(functions: frozenset[str]) -> str:
    return ", ".join(sorted(functions)) or "nothing"

"""Limits of a comparison: how much worse a metric may get, as in `recall@5:-0.02` or `latency_ms:+20%`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from core.errors import InvalidInput, UnknownName
from eval.metrics.base import Direction
from eval.report import Measure
from eval.statistics import SPREAD


@dataclass(frozen=True)
class MetricLimit:
    """`change` is in the metric's unit or, if `relative`, a share of the base's mean."""

    metric: str
    text: str
    change: float
    relative: bool

    @classmethod
    def parsed(cls, text: str) -> Self:
        """Parses a limit written `METRIC:LIMIT`. Raises `InvalidInput` for any other text."""
        metric, _, limit = text.rpartition(":")
        relative = limit.endswith("%")
        try:
            change = float(limit.removesuffix("%"))
        except ValueError:
            change = math.nan
        if not metric or not math.isfinite(change):
            raise InvalidInput(
                f"The limit {text!r} cannot be used. Write METRIC:LIMIT, as in recall@5:-0.02 or latency_ms:+20%."
            )
        return cls(metric, limit, change / 100 if relative else change, relative)

    def check(self, measures: Mapping[str, Measure]) -> None:
        """Raises `UnknownName` for a metric that was not measured, and `InvalidInput` for a limit of the wrong sign."""
        if self.metric not in measures:
            raise UnknownName("metric of both evaluations", self.metric, measures)
        if self.change and (self.change > 0) == (measures[self.metric].direction is Direction.HIGHER):
            sign, better = ("-", "higher") if self.change > 0 else ("+", "lower")
            raise InvalidInput(
                f"The limit {self.metric}:{self.text} would allow no loss: {better} is better. "
                f"Write {self.metric}:{sign}{self.text.lstrip('+-')}."
            )

    def exceeded(self, direction: Direction, base: float, candidate: float) -> bool:
        """Whether the candidate's mean is worse than the base's by more than the limit."""
        allowed = abs(self.change) * (abs(base) if self.relative else 1.0)
        loss = base - candidate if direction is Direction.HIGHER else candidate - base
        return loss > allowed + SPREAD

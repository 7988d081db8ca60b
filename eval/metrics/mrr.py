"""`mrr@K`."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from eval.datasets.queries import MAX_RANK
from eval.metrics.rankings import RankingMetric


@dataclass(frozen=True)
class Mrr(RankingMetric):
    stem: ClassVar[str] = "mrr"
    summary: ClassVar[str] = "Reciprocal rank of the first relevant location, 0 if none is among the first K."

    k: int = Field(ge=1, le=MAX_RANK)

    @property
    def measure(self) -> str:
        return f"RR@{self.k}"

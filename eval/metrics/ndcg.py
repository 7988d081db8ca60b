"""`ndcg@K`."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from eval.datasets.queries import MAX_RANK
from eval.metrics.rankings import RankingMetric


@dataclass(frozen=True)
class Ndcg(RankingMetric):
    stem: ClassVar[str] = "ndcg"
    summary: ClassVar[str] = "Normalised discounted cumulative gain of the first K."

    k: int = Field(ge=1, le=MAX_RANK)

    @property
    def measure(self) -> str:
        return f"nDCG@{self.k}"

"""`recall@K`."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from eval.datasets.queries import MAX_RANK
from eval.metrics.rankings import RankingMetric


@dataclass(frozen=True)
class Recall(RankingMetric):
    stem: ClassVar[str] = "recall"
    summary: ClassVar[str] = "Share of the relevant locations that are among the first K."

    k: int = Field(ge=1, le=MAX_RANK)

    @property
    def measure(self) -> str:
        return f"R@{self.k}"

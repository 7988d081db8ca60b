"""Metrics of rankings, computed by ir-measures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from core.score import Score
from eval.datasets.queries import KIND, Query
from eval.metrics.base import Direction, Metric, MetricUnit, Output


class RankingMetric(Metric[Query]):
    """A metric of a ranking of locations. Subclasses give its name in ir-measures as `measure`."""

    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.SHARE
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = KIND
    k: int
    """Number of ranks that are considered, from the first."""

    @property
    @abstractmethod
    def measure(self) -> str: ...

    def score(self, item: Query, output: Output) -> Score:
        return self.score_all([(item, output)])[0]

    def score_all(self, outputs: Sequence[tuple[Query, Output]]) -> list[Score]:
        values = _computed(self.measure, outputs)
        return [
            Score(value=value, explanation=_explained(query, output.content, self.k))
            for (query, output), value in zip(outputs, values, strict=True)
        ]


def _computed(measure: str, outputs: Sequence[tuple[Query, Output]]) -> list[float]:
    """The metric of each ranking. Rankings are numbered, so that one query may have several."""
    import ir_measures

    # Scores that keep the order: the library would sort equal ones by name.
    runs = {
        str(number): {location: float(-rank) for rank, location in enumerate(output.content)}
        for number, (_, output) in enumerate(outputs)
    }
    qrels = {str(number): dict.fromkeys(query.relevant, 1) for number, (query, _) in enumerate(outputs)}
    if not qrels:
        return []
    found = ir_measures.iter_calc([ir_measures.parse_measure(measure)], qrels, runs)
    values = {one.query_id: float(one.value) for one in found}
    return [values[number] for number in runs]


def _explained(query: Query, ranking: Sequence[str], k: int) -> str:
    ranks = [str(rank) for rank, location in enumerate(ranking[:k], 1) if location in query.relevant]
    found = f"at rank {', '.join(ranks)}" if ranks else "nowhere"
    return f"{len(ranks)} of {len(query.relevant)} relevant locations in the first {k}: {found}."

"""Computes scores from outputs, and their means."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Generic

from core.dataset import I
from core.score import Score
from core.store.tables import EvaluationRow, ResultRow, ResultState
from eval.metrics.base import Metric, Output
from eval.plan import Plan

log = logging.getLogger("edumod")


def scored(plan: Plan[I], rows: Sequence[ResultRow]) -> None:
    """Set the scores of the rows for every metric of the plan. CPU-bound."""
    items = plan.dataset.by_id
    whole = [row for row in rows if row.state == ResultState.SCORED]
    found = {metric.name: _scores(metric, items, whole) for metric in plan.metrics}
    for number, row in enumerate(whole):
        row.scores = {name: scores[number].model_dump(mode="json") for name, scores in found.items()}
    for row in rows:
        if row.state != ResultState.SCORED:
            reason = Score(unscored=(row.error or {}).get("detail", "It failed.")).model_dump(mode="json")
            row.scores = {metric.name: reason for metric in plan.metrics}


def _scores(metric: Metric[I], items: Mapping[str, I], rows: Sequence[ResultRow]) -> list[Score]:
    outputs = [(items[row.item], Output(row.output, row.ms)) for row in rows]
    try:
        return metric.score_all(outputs)
    except Exception:
        log.exception("The metric %s failed on all outputs at once; they are scored one by one", metric.name)
        return [_score(metric, item, output) for item, output in outputs]


def _score(metric: Metric[I], item: I, output: Output) -> Score:
    """The score of one item; if the metric raises an error, unscored with that reason."""
    try:
        return metric.score(item, output)
    except Exception as error:
        log.exception("The metric %s failed on %s", metric.name, item.id)
        return Score(unscored=f"The metric failed: {type(error).__name__}: {error}")


@dataclass(frozen=True)
class ScoredRun(Generic[I]):
    """An evaluation's rows, with scores. `capped` if the cost cap left some cells without a row."""

    plan: Plan[I]
    evaluation: EvaluationRow
    rows: tuple[ResultRow, ...]
    capped: bool

    @property
    def cost_usd(self) -> float:
        """US dollars spent on the rows; what has no known price counts as nothing."""
        return sum(float(row.usage.get("cost_usd") or 0.0) for row in self.rows)

    def of(self, actor: str) -> list[ResultRow]:
        return [row for row in self.rows if row.actor == actor]

    def outputs(self, actor: str) -> dict[str, Any]:
        """Outputs by item in the order of the data set, under one seed; items that failed are left out."""
        found = {row.item: row.output for row in self.of(actor) if row.state == ResultState.SCORED}
        return {item.id: found[item.id] for item in self.plan.dataset.items if item.id in found}

    def scores(self, metric: str, actor: str) -> dict[str, float]:
        """Scores by item in the order of the data set, means over seeds; items without a score are left out."""
        found = mean_scores(self.of(actor), metric)
        return {item.id: found[item.id] for item in self.plan.dataset.items if item.id in found}


def mean_scores(rows: Sequence[ResultRow], metric: str) -> dict[str, float]:
    """An actor's scores by item, means over seeds; items without a score are left out."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if (value := score_value(row.scores, metric)) is not None:
            found.setdefault(row.item, []).append(value)
    return {item: fmean(values) for item, values in found.items()}


def score_value(scores: Mapping[str, Any], metric: str) -> float | None:
    """A stored score's value; None if unscored."""
    value = scores.get(metric, {}).get("value")
    return None if value is None else float(value)


def mean_usage(rows: Sequence[ResultRow], *fields: str) -> float | None:
    """The mean of the sum of these usage fields, including failed rows. None if a price is not known."""
    values = [row.usage.get(field) for row in rows for field in fields]
    if not rows or any(value is None for value in values):
        return None
    return round(sum(float(value or 0.0) for value in values) / len(rows), 6)

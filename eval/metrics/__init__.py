"""Metrics of actors' outputs. To add one, write a module with a frozen dataclass, and add the class to `METRICS`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.errors import InvalidInput, UnknownName
from eval.metrics.answers import ANSWER_METRICS
from eval.metrics.base import Metric
from eval.metrics.field import Field
from eval.metrics.finished import Finished
from eval.metrics.judged import JudgedFieldScore
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.mrr import Mrr
from eval.metrics.ndcg import Ndcg
from eval.metrics.recall import Recall
from eval.metrics.set_f1 import SetF1

METRICS: tuple[type[Metric[Any]], ...] = (
    Recall,
    Mrr,
    Ndcg,
    SetF1,
    *ANSWER_METRICS,
    Finished,
    JudgedFieldScore,
    Field,
    LatencyMs,
)


def metric_named(spelling: str) -> Metric[Any]:
    """The metric written like `recall@5` or `set_f1`.

    Raises `UnknownName` listing the metrics, and `InvalidInput` for a parameter out of range.
    """
    stem, at, parameter = spelling.strip().partition("@")
    for metric in METRICS:
        if metric.stem == stem and bool(metric.parameters()) == bool(at):
            return metric.with_parameter(parameter) if at else metric()
    raise UnknownName("metric", spelling, [metric.spelling() for metric in METRICS])


def chosen_metrics(kind: str, defaults: Iterable[Metric[Any]], names: Sequence[str] = ()) -> tuple[Metric[Any], ...]:
    """The defaults and the metrics with these names, without duplicates, latency last.

    Raises `UnknownName`, and `InvalidInput` for a metric that does not fit this kind of evaluation.
    """
    chosen = {metric.name: metric for metric in (*defaults, *map(metric_named, names))}
    for metric in chosen.values():
        if metric.evaluation not in (None, kind):
            fit = ", ".join(one.spelling() for one in METRICS if one.evaluation in (None, kind))
            raise InvalidInput(f"The metric {metric.name} does not fit an evaluation of {kind}. These do: {fit}.")
    latency = LatencyMs()
    return (*(metric for name, metric in chosen.items() if name != latency.name), latency)

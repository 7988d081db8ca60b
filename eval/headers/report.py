"""The report on question headers: compared with labelled documents, and between an assignment and its solutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import SerializerFunctionWrapHandler, model_serializer

from core.store.tables import ResultState
from core.types import Value
from eval.actors.computed import COMPUTED
from eval.headers.documents import HeaderItem, LabelledDocument, TwinDocuments
from eval.headers.matching import Counts, Twin
from eval.report import Figures, Report, common, plain_figures
from eval.scoring import ScoredRun
from eval.statistics import RESAMPLES, SPREAD, Mean, Resampling, mean_of

OPTIONAL = ("precision", "recall", "f1", "twins", "failures")
"""Left out of the report's JSON where they are empty."""


class HeaderFailure(Value):
    """A document that could not be loaded, and why."""

    document: str
    reason: str


class HeadersReport(Report[Figures]):
    """`n` counts labelled documents or, if there are none, pairs of twins; then the three means are None."""

    precision: Mean | None = None
    recall: Mean | None = None
    f1: Mean | None = None
    twins: tuple[Twin, ...] = ()
    failures: tuple[HeaderFailure, ...] = ()

    @model_serializer(mode="wrap")
    def _without_absent(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if value or name not in OPTIONAL}


def headers_report(outcome: ScoredRun[HeaderItem]) -> HeadersReport:
    """Precision, recall and F1 over all headers, with intervals from resampled documents. CPU-bound."""
    items, outputs = outcome.plan.dataset.items, outcome.outputs(COMPUTED)
    counts = [_counts(item, outputs.get(item.id)) for item in items if isinstance(item, LabelledDocument)]
    twins = [item.id for item in items if isinstance(item, TwinDocuments) and item.id in outputs]
    failures = _failures(outcome)
    remarks = tuple(f"{one.document}: {one.reason}" for one in failures)
    return HeadersReport(
        **{**common(outcome), "n": len(counts) or len(twins), "remarks": remarks},
        actors=plain_figures(outcome),
        comparisons=(),
        **_figures(counts),
        twins=tuple(Twin.model_validate(outputs[name]) for name in twins),
        failures=failures,
    )


def _counts(item: LabelledDocument, output: Any) -> Counts:
    """All headers of a document without output are missed."""
    if output is None:
        return Counts(right=0, found=0, labelled=len(item.questions))
    return Counts.model_validate(output)


def _failures(outcome: ScoredRun[HeaderItem]) -> tuple[HeaderFailure, ...]:
    items = outcome.plan.dataset.by_id
    reasons = {row.item: row.error["detail"] for row in outcome.rows if row.state == ResultState.FAILED and row.error}
    failed = [item for item in items.values() if item.id in reasons]
    return tuple(HeaderFailure(document=item.text.rsplit("/", 1)[-1], reason=reasons[item.id]) for item in failed)


def _figures(counts: Sequence[Counts]) -> dict[str, Mean]:
    if not counts:
        return {}
    table = np.array([(one.right, one.found, one.labelled) for one in counts], dtype=float)
    resampling = Resampling([str(number) for number in range(len(counts))], RESAMPLES)
    return {
        name: _interval(resampling, table, *columns)
        for name, columns in {"precision": (1,), "recall": (2,), "f1": (1, 2)}.items()
    }


def _interval(resampling: Resampling, table: np.ndarray[Any, np.dtype[np.float64]], *columns: int) -> Mean:
    """Right headers over the mean of the columns' sums; if all documents are equal, the exact interval."""

    def share(rows: np.ndarray[Any, np.dtype[np.int64]]) -> float:
        sums = table[rows].sum(axis=0)
        total = float(sums[list(columns)].sum())
        return len(columns) * float(sums[0]) / total if total else float("nan")

    found = resampling.interval(share)
    if found.mean is None or found.low is None or found.high is None or found.high - found.low >= SPREAD:
        return found
    return mean_of([found.mean] * len(table))

"""Measured results of pipelines, to help choose one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pydantic import Field

from core.store.store import Store
from core.types import Value
from eval.datasets.questions import KIND
from eval.functions.report import FunctionsReport
from eval.metrics.set_f1 import SetF1
from eval.report import Latency
from eval.statistics import Mean
from pipelines import PIPELINES


class Measured(Value):
    """How well a pipeline with the course's defaults calls the functions that a teaching assistant would call."""

    course: str
    at: datetime
    n: int = Field(description="Labelled questions.")
    split: str | None = Field(description="Split of the labelled questions.")
    seeds: int
    model: str | None = Field(description="`offline`, or the language model.")
    set_f1: Mean = Field(description="With its 95 % interval; null if nothing could be scored.")
    model_calls: float | None = Field(description="Per question.")
    cost_usd: float | None = Field(description="Per question; null if a model's price is not known.")
    latency_ms: Latency
    unscored: int = Field(description="Failed answers, which have no score.")


async def measured_pipelines(store: Store) -> dict[str, list[Measured]]:
    """By pipeline, for each course and model the latest finished evaluation that measured it, the latest model first.

    An evaluation without scores is used only if there is no other. Experiments are ignored: their actors are not named
    like pipelines, see `eval.setups.experiment`.
    """
    found: dict[str, list[Measured]] = {pipeline.name: [] for pipeline in PIPELINES}
    for course in await store.courses.all():
        rows = await store.evaluations.history(course.id, KIND)
        reports = [(row.finished_at or row.created_at, FunctionsReport.model_validate(row.summary)) for row in rows]
        for name, measured in found.items():
            measured.extend(_by_model([_measured(at, one, name) for at, one in reports if name in one.actors]))
    return found


def _by_model(history: list[Measured]) -> Iterable[Measured]:
    """The latest result with scores for each model, or else the latest; `history` is oldest first."""
    best: dict[str | None, Measured] = {}
    for one in reversed(history):
        known = best.setdefault(one.model, one)
        if known.set_f1.mean is None and one.set_f1.mean is not None:
            best[one.model] = one
    return best.values()


def _measured(at: datetime, report: FunctionsReport, name: str) -> Measured:
    figures = report.actors[name]
    return Measured(
        course=report.dataset,
        at=at,
        n=report.n,
        split=report.split,
        seeds=report.seeds,
        model=report.model,
        set_f1=figures.means[SetF1.stem],
        model_calls=figures.model_calls,
        cost_usd=figures.cost_usd,
        latency_ms=figures.latency_ms,
        unscored=figures.unscored,
    )

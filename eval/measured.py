"""What evaluations have found out about the pipelines, for whoever is about to choose one."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from core.store.store import Store
from core.store.tables import EvaluationRow
from core.types import Value
from eval.functions import KIND
from eval.statistics import Mean
from pipelines import PIPELINES


class Latency(Value):
    """Milliseconds from question to answer."""

    p50: float | None
    p95: float | None


class Measured(Value):
    """How well a pipeline, with the course's defaults, called the functions that a teaching assistant would."""

    course: str
    at: datetime
    n: int = Field(description="Labelled questions.")
    split: str | None = Field(description="Of the labelled questions.")
    seeds: int
    model: str | None = Field(description="`offline`, or the language model.")
    set_f1: Mean = Field(description="With its 95 % interval; null where nothing could be scored.")
    model_calls: float | None = Field(description="Per question.")
    cost_usd: float | None = Field(description="Per question; null where a model's price is not known.")
    latency_ms: Latency
    unscored: int = Field(description="Answers that failed and so have no score.")


async def measured_pipelines(store: Store) -> dict[str, list[Measured]]:
    """By pipeline, the latest finished evaluation of each course that measured it.

    Of experiments nothing counts: their actors are not named like a pipeline, see `eval.experiment`.
    """
    found: dict[str, list[Measured]] = {pipeline.name: [] for pipeline in PIPELINES}
    for course in await store.courses.all():
        rows = await store.evaluations.history(course.id, KIND)
        for name, measured in found.items():
            if (latest := next((row for row in reversed(rows) if name in row.summary["pipelines"]), None)) is not None:
                measured.append(_measured(latest, name))
    return found


def _measured(row: EvaluationRow, name: str) -> Measured:
    summary = row.summary
    return Measured(
        course=row.course_id,
        at=row.finished_at or row.created_at,
        n=summary["n"],
        split=row.config.get("split"),
        seeds=summary["seeds"],
        model=row.config.get("model"),
        **{field: summary["pipelines"][name][field] for field in _FIGURES},
    )


_FIGURES = ("set_f1", "model_calls", "cost_usd", "latency_ms", "unscored")

"""The nightly recall report: tonight's figures, the nights before, and whether somebody should get up.

An alarm is raised where a retriever's recall is below a threshold, where it is significantly below the mean of the
nights before, and where a query could not be answered at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any

from core.store.evaluations import Evaluations
from core.store.tables import EvaluationRow, JobRow, ResultRow, ResultState
from core.types import Value
from eval.datasets import Query
from eval.retrieval import RetrievalReport
from eval.runner import Outcome
from eval.statistics import ALPHA, compare

KIND = "nightly"
TRAILING = 7
"""Nights whose mean tonight is held against."""
FACTS = {
    "revision": "revision of the material",
    "version": "EduMod",
    "embedding_model": "embedding model",
    "model": "language model",
    "prompts": "prompts",
}
MOST_JOBS = 10


class Lost(Value):
    """A query that a retriever answers worse than the night before. Ranks count from 1; none where not found."""

    retriever: str
    query: str
    text: str
    wanted: tuple[str, ...]
    before: int | None
    now: int | None
    found_instead: str | None


class Alarm(Value):
    """Why tonight ends with exit code 3."""

    retriever: str
    reason: str


class Night(Value):
    """One night of the history, as far as the report needs it."""

    at: datetime
    recall: dict[str, float | None]


class NightlyReport(Value):
    """Everything the page shows and the JSON file holds."""

    course: str
    at: datetime
    metric: str
    summary: dict[str, Any]
    history: tuple[Night, ...]
    alarms: tuple[Alarm, ...]
    lost: tuple[Lost, ...]
    changes: tuple[str, ...]
    missing: tuple[str, ...]
    """Labelled places that the course's material does not have."""


async def nightly_report(
    evaluations: Evaluations,
    queries: Sequence[Query],
    measured: RetrievalReport,
    outcome: Outcome,
    *,
    at: datetime,
    metric: str,
    threshold: float | None,
    missing: Sequence[str],
    jobs: Sequence[JobRow],
) -> NightlyReport:
    """Hold tonight against the nights before. Only nights on the same labels can be compared, and only they are."""
    tonight = outcome.evaluation
    labels = tonight.config["queries"]
    nights = [
        night for night in await evaluations.history(tonight.course_id, KIND) if night.config["queries"] == labels
    ]
    before = await evaluations.results(nights[-1].id) if nights else []
    scores = measured.scores[metric]
    return NightlyReport(
        course=tonight.course_id,
        at=at,
        metric=metric,
        summary={**measured.summary, "scores": scores},
        history=(*(_night(night, metric) for night in nights), Night(at=at, recall=_recall(measured.summary, metric))),
        alarms=(
            *_unanswered(measured.summary),
            *_below(measured.summary, metric, threshold),
            *_fallen(scores, nights[-TRAILING:], metric),
        ),
        lost=tuple(_lost(queries, before, outcome.rows)),
        changes=tuple(_changes(nights[-1], tonight, jobs)) if nights else (),
        missing=tuple(missing),
    )


def _night(row: EvaluationRow, metric: str) -> Night:
    return Night(at=row.finished_at or row.created_at, recall=_recall(row.summary, metric))


def _recall(summary: Mapping[str, Any], metric: str) -> dict[str, float | None]:
    return {name: figures[metric]["mean"] for name, figures in summary["retrievers"].items() if metric in figures}


def _unanswered(summary: Mapping[str, Any]) -> list[Alarm]:
    return [
        Alarm(retriever=name, reason=f"{figures['unscored']} of {summary['n']} queries could not be answered.")
        for name, figures in summary["retrievers"].items()
        if figures["unscored"]
    ]


def _below(summary: Mapping[str, Any], metric: str, threshold: float | None) -> list[Alarm]:
    if threshold is None:
        return []
    return [
        Alarm(retriever=name, reason=f"{metric} is {recall:.3f}, below the threshold of {threshold:g}.")
        for name, recall in _recall(summary, metric).items()
        if recall is not None and recall < threshold
    ]


def _fallen(scores: Mapping[str, Mapping[str, float]], nights: Sequence[EvaluationRow], metric: str) -> list[Alarm]:
    """Query by query against the mean of the nights before, so that queries that were always hard say nothing."""
    fallen = []
    for name, tonight in scores.items():
        past = [night.summary["scores"][name] for night in nights if name in night.summary.get("scores", {})]
        usual = {query: fmean(known) for query in tonight if (known := [p[query] for p in past if query in p])}
        if not usual:
            continue
        (found,) = compare({"before": usual, "tonight": dict(tonight)})
        # Over all retrievers together (Holm).
        if found.better == "before" and found.p * len(scores) < ALPHA:
            fallen.append(
                Alarm(
                    retriever=name,
                    reason=f"{metric} is {100 * found.difference:.1f} points below the mean of "
                    f"{_nights(len(past))} ({found.wins} queries worse, {found.losses} better, p = {found.p:.2g}).",
                )
            )
    return fallen


def _nights(count: int) -> str:
    return "the night before" if count == 1 else f"the last {count} nights"


def _lost(queries: Sequence[Query], before: Sequence[ResultRow], now: Sequence[ResultRow]) -> list[Lost]:
    """Queries whose first right place has a lower rank than the night before, the deepest falls first."""
    asked = {query.id: query for query in queries}
    past = {(row.actor, row.item): row for row in before if row.state == ResultState.SCORED}
    lost = []
    for row in now:
        query = asked[row.item]
        was = _rank(past.get((row.actor, row.item)), query)
        rank = _rank(row, query)
        if was is not None and (rank is None or rank > was):
            lost.append(
                Lost(
                    retriever=row.actor,
                    query=query.id,
                    text=query.text,
                    wanted=tuple(sorted(query.relevant)),
                    before=was,
                    now=rank,
                    found_instead=(row.output or [None])[0],
                )
            )
    return sorted(lost, key=lambda one: (one.before or 0) - (one.now or 1000))


def _rank(row: ResultRow | None, query: Query) -> int | None:
    ranking = (row.output or []) if row else []
    return next((rank for rank, place in enumerate(ranking, 1) if place in query.relevant), None)


def _changes(before: EvaluationRow, now: EvaluationRow, jobs: Sequence[JobRow]) -> list[str]:
    """What may explain a fall: facts that differ, and what was done to the material since."""
    facts = [
        f"{name}: {before.config.get(fact)} → {now.config.get(fact)}"
        for fact, name in FACTS.items()
        if before.config.get(fact) != now.config.get(fact)
    ]
    since = [f"{job.kind}, {job.created_at:%Y-%m-%d %H:%M} UTC" for job in jobs if job.created_at > before.created_at]
    return facts + since[:MOST_JOBS]

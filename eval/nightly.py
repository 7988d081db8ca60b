"""The nightly recall report: tonight's figures, earlier nights, and alarms.

An alarm is raised if a retriever's recall is below a threshold or significantly below the mean of the nights before,
or if a query could not be answered at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean

from core.concurrency import in_thread
from core.files import write_atomically
from core.store.store import Store
from core.store.tables import EvaluationRow, JobRow, ResultRow, ResultState, now
from core.types import Value
from eval.datasets.queries import Query, judged_locations
from eval.metrics.recall import Recall
from eval.retrieval.evaluation import RetrievalRequest, retrieval_plan
from eval.retrieval.report import RetrievalReport, retrieval_report
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import ScoredRun
from eval.setups.conditions import changed_conditions
from eval.setups.retrieval import RetrievalSetup
from eval.statistics import ALPHA, compare
from retrievers import RETRIEVERS
from retrievers.locations import missing_locations

KIND = "nightly"
CUTOFFS = (1, 3, 5)
METRIC = Recall(k=CUTOFFS[-1]).name
"""The metric by which nights are compared."""
TRAILING = 7
"""Number of earlier nights whose mean tonight is compared with."""
MAX_JOBS = 10


class WorseAnswer(Value):
    """A query that a retriever answers worse than the night before. Ranks count from 1; None if not found."""

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
    """One night of the history, with the figures for the report."""

    at: datetime
    recall: dict[str, float | None]


class NightlySummary(RetrievalReport):
    """Tonight's figures, and by retriever and query the score of the metric by which nights are compared."""

    scores: dict[str, dict[str, float]]


class NightlyReport(Value):
    """The content of the page and the JSON file. `missing` are labelled locations without material."""

    course: str
    at: datetime
    metric: str
    summary: NightlySummary
    history: tuple[Night, ...]
    alarms: tuple[Alarm, ...]
    lost: tuple[WorseAnswer, ...]
    changes: tuple[str, ...]
    missing: tuple[str, ...]
    graph_recall: float | None = None
    """Recall@10 of the course's graph of vectors against comparing all; None where it has none (decision 0090)."""


@dataclass(frozen=True)
class PastNight:
    """A night that tonight can be compared with."""

    row: EvaluationRow
    summary: NightlySummary

    @property
    def at(self) -> datetime:
        return self.row.finished_at or self.row.created_at


async def measure_night(
    runner: Runner,
    store: Store,
    setup: RetrievalSetup,
    retrievers: Sequence[str],
    threshold: float | None,
    limits: RunLimits,
    progress: Progress,
) -> NightlyReport:
    """Measure the retrievers, all if none is named, on a course's queries; store the night and report it."""
    names = tuple(retrievers) or tuple(spec.name for spec in RETRIEVERS)
    plan = retrieval_plan(setup, RetrievalRequest(names, cutoffs=CUTOFFS), KIND)
    outcome = await runner.run(plan, limits, progress)
    report = await nightly_report(store, outcome, at=now(), threshold=threshold)
    report = report.model_copy(update={"graph_recall": await _graph_recall(store, setup)})
    await runner.finish(outcome, report.summary)
    return report


async def nightly_report(
    store: Store, outcome: ScoredRun[Query], *, at: datetime, threshold: float | None
) -> NightlyReport:
    """Compare tonight with earlier nights on the same labels; nights with other labels are ignored."""
    tonight, course = outcome.evaluation, outcome.plan.dataset.name
    nights = await _nights_before(store, course, outcome.plan.dataset.digest)
    before = await store.evaluations.results(nights[-1].row.id) if nights else []
    measured = await in_thread(retrieval_report, outcome)
    scores = {name: outcome.scores(METRIC, name) for name in measured.actors}
    summary = NightlySummary(**{name: getattr(measured, name) for name in RetrievalReport.model_fields}, scores=scores)
    blocks = await store.material.blocks(course, None, now())
    judged = judged_locations(outcome.plan.dataset.items)
    return NightlyReport(
        course=course,
        at=at,
        metric=METRIC,
        summary=summary,
        history=(
            *(Night(at=night.at, recall=_recall(night.summary)) for night in nights),
            Night(at=at, recall=_recall(summary)),
        ),
        alarms=(*_unanswered(summary), *_below(summary, threshold), *_fallen(scores, nights[-TRAILING:])),
        lost=tuple(_worse_answers(outcome.plan.dataset.by_id, before, outcome.rows)),
        changes=tuple(_changes(nights[-1].row, tonight, await store.jobs.all(course))) if nights else (),
        missing=tuple(missing_locations(judged, [block.passage for block in blocks])),
    )


async def _graph_recall(store: Store, setup: RetrievalSetup) -> float | None:
    course = await store.courses.find(setup.course_id)
    if store.nearest.problem is not None or course is None or course.embedding is None:
        return None
    return await store.nearest.graph_recall(course.id, course.embedding.id)


async def _nights_before(store: Store, course: str, digest: str) -> list[PastNight]:
    """Those on the same labels, oldest first."""
    rows = await store.evaluations.history(course, KIND)
    return [
        PastNight(row, NightlySummary.model_validate(row.summary)) for row in rows if row.config["digest"] == digest
    ]


def _recall(summary: NightlySummary) -> dict[str, float | None]:
    return {name: figures.means[METRIC].mean for name, figures in summary.actors.items() if METRIC in figures.means}


def _unanswered(summary: NightlySummary) -> Iterator[Alarm]:
    for name, figures in summary.actors.items():
        if figures.unscored:
            yield Alarm(retriever=name, reason=f"{figures.unscored} of {summary.n} queries could not be answered.")


def _below(summary: NightlySummary, threshold: float | None) -> Iterator[Alarm]:
    for name, recall in _recall(summary).items():
        if threshold is not None and recall is not None and recall < threshold:
            reason = f"{METRIC} is {recall:.3f}, below the threshold of {threshold:g}."
            yield Alarm(retriever=name, reason=reason)


def _fallen(scores: Mapping[str, Mapping[str, float]], nights: Sequence[PastNight]) -> Iterator[Alarm]:
    """Query by query against the mean of the nights before, so that queries that were always hard say nothing."""
    for name, tonight in scores.items():
        past = [night.summary.scores[name] for night in nights if name in night.summary.scores]
        usual = {query: fmean(known) for query in tonight if (known := [p[query] for p in past if query in p])}
        if not usual:
            continue
        (found,) = compare({"before": usual, "tonight": dict(tonight)})
        # Over all retrievers together (Holm).
        if found.better == "before" and found.p * len(scores) < ALPHA:
            yield Alarm(
                retriever=name,
                reason=f"{METRIC} is {100 * found.difference:.1f} points below the mean of "
                f"{_nights(len(past))} ({found.wins} queries worse, {found.losses} better, p = {found.p:.2g}).",
            )


def _nights(count: int) -> str:
    return "the night before" if count == 1 else f"the last {count} nights"


def _worse_answers(
    queries: Mapping[str, Query], before: Sequence[ResultRow], rows: Sequence[ResultRow]
) -> list[WorseAnswer]:
    """Queries whose first right location has a lower rank than the night before, the deepest falls first."""
    past = {(row.actor, row.item): row for row in before if row.state == ResultState.SCORED}
    worse = []
    for row in rows:
        query = queries[row.item]
        was = _rank(past.get((row.actor, row.item)), query)
        rank = _rank(row, query)
        if was is not None and (rank is None or rank > was):
            worse.append(
                WorseAnswer(
                    retriever=row.actor,
                    query=query.id,
                    text=query.text,
                    wanted=tuple(sorted(query.relevant)),
                    before=was,
                    now=rank,
                    found_instead=(row.output or [None])[0],
                )
            )
    return sorted(worse, key=lambda one: (one.before or 0) - (one.now or 1000))


def _rank(row: ResultRow | None, query: Query) -> int | None:
    ranking = (row.output or []) if row else []
    return next((rank for rank, location in enumerate(ranking, 1) if location in query.relevant), None)


def _changes(before: EvaluationRow, tonight: EvaluationRow, jobs: Sequence[JobRow]) -> list[str]:
    """What may explain a fall: facts that differ, and what was done to the material since."""
    since = [f"{job.kind}, {job.created_at:%Y-%m-%d %H:%M} UTC" for job in jobs if job.created_at > before.created_at]
    return changed_conditions(before.config, tonight.config) + since[:MAX_JOBS]


def write_nightly(folder: Path, report: NightlyReport, page: str, *, private: bool) -> None:
    """Write `nightly.json` and `nightly.html`, each atomically, so that readers never see a partial file.

    With `private` only this user can read them, like everything in the home folder.
    """
    for name, text in (("nightly.json", report.model_dump_json(indent=2)), ("nightly.html", page)):
        write_atomically(folder / name, text.encode(), private=private)

"""A retrieval evaluation, from the request to the stored report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from core.concurrency import in_thread
from core.files import write_atomically
from eval.actors import actor_named, distinct
from eval.actors.base import Actor
from eval.actors.retriever import RetrieverActor
from eval.datasets.queries import KIND, Query
from eval.datasets.runs import run_lines
from eval.metrics import chosen_metrics
from eval.metrics.base import Metric
from eval.plan import Plan
from eval.retrieval.report import RetrievalReport, default_metrics, retrieval_report
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import ScoredRun
from eval.setups.retrieval import RetrievalSetup

DEFAULT_RETRIEVERS = ("bm25", "vector", "hybrid", "tree")


@dataclass(frozen=True)
class RetrievalRequest:
    """What to measure: retrievers by name, actors as `KIND:SPEC`, cut-offs of recall, and further metrics by name.

    Without retrievers and actors, the default retrievers are measured. Raises as `chosen_metrics` does.
    """

    retrievers: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    cutoffs: tuple[int, ...] = (1, 3, 5)
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.chosen_metrics()

    def chosen_metrics(self) -> tuple[Metric[Any], ...]:
        """Raises `UnknownName` and `InvalidInput` for a metric that does not fit."""
        return chosen_metrics(KIND, default_metrics(self.cutoffs), self.metrics)

    def chosen_actors(self, setup: RetrievalSetup) -> tuple[Actor[Query], ...]:
        """Raises `UnknownName` and `InvalidInput` for an unknown or invalid actor."""
        retrievers = self.retrievers or (() if self.actors else DEFAULT_RETRIEVERS)
        named = [RetrieverActor.made(name, setup) for name in retrievers]
        return distinct([*named, *(actor_named(text, KIND, setup) for text in self.actors)])


def retrieval_plan(setup: RetrievalSetup, request: RetrievalRequest, kind: str = KIND) -> Plan[Query]:
    """Every actor on every query."""
    return Plan(
        kind=kind,
        dataset=setup.dataset,
        actors=request.chosen_actors(setup),
        metrics=request.chosen_metrics(),
        facts=setup.facts,
        course_id=setup.owner,
    )


async def evaluate_retrieval(
    runner: Runner,
    setup: RetrievalSetup,
    request: RetrievalRequest,
    limits: RunLimits,
    progress: Progress,
    runs: Path | None = None,
) -> RetrievalReport:
    """Measure, store and report; with `runs`, write a run file per actor into that folder."""
    outcome = await runner.run(retrieval_plan(setup, request), limits, progress)
    report = await in_thread(retrieval_report, outcome)
    await runner.finish(outcome, report)
    if runs is not None:
        write_runs(runs, outcome)
    return report


def write_runs(folder: Path, outcome: ScoredRun[Query]) -> list[Path]:
    """One TREC run file per actor, named after it."""
    folder.mkdir(parents=True, exist_ok=True)
    names = run_file_names(actor.name for actor in outcome.plan.actors)
    return [_write_run(folder / name, actor, outcome) for actor, name in names.items()]


def _write_run(path: Path, actor: str, outcome: ScoredRun[Query]) -> Path:
    text = "".join(f"{line}\n" for line in run_lines(actor, outcome.of(actor)))
    write_atomically(path, text.encode(), private=False)
    return path


def run_file_names(actors: Iterable[str]) -> dict[str, str]:
    """File names by actor, such as `bm25.run`; characters not allowed in file names are replaced.

    Names are distinct even on file systems that ignore case: `a_b.run`, `a_b-2.run`.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for actor in actors:
        stem = "".join("_" if char in '/\\:*?"<>| ' else char for char in actor.removesuffix(".run"))
        stems = chain([stem], (f"{stem}-{number}" for number in count(2)))
        found = next(one for one in stems if one.casefold() not in taken)
        taken.add(found.casefold())
        names[actor] = f"{found}.run"
    return names

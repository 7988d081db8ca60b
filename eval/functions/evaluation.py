"""An evaluation of function selection, from the request to the stored report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.concurrency import in_thread
from core.errors import InvalidInput
from eval.actors import actor_named, distinct
from eval.actors.base import Actor
from eval.actors.pipeline import PipelineActor
from eval.datasets.questions import KIND, LabelledQuestion
from eval.functions.report import FunctionsReport, functions_report
from eval.metrics import chosen_metrics
from eval.metrics.base import Metric
from eval.metrics.set_f1 import SetF1
from eval.plan import Plan
from eval.runner import Progress, RunLimits, Runner
from eval.setups.experiment import ExperimentFile, read_experiment
from eval.setups.product import ALL, ProductSetup
from pipelines import PIPELINES, pipeline_named


@dataclass(frozen=True)
class FunctionsRequest:
    """What to measure on which questions: pipelines by name or an experiment's combinations, and actors as `KIND:SPEC`.

    Without any of them, all pipelines are measured. Raises `UnknownName` for an unknown pipeline.
    """

    course: str
    split: str
    seeds: int = 1
    pipelines: tuple[str, ...] = ()
    experiment: ExperimentFile | None = None
    actors: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.chosen_metrics()
        for name in self.pipelines:
            pipeline_named(name)

    def chosen_metrics(self) -> tuple[Metric[Any], ...]:
        """Raises `UnknownName` and `InvalidInput` for a metric that does not fit."""
        return chosen_metrics(KIND, [SetF1()], self.metrics)

    def chosen_actors(self, setup: ProductSetup[LabelledQuestion]) -> tuple[Actor[LabelledQuestion], ...]:
        """Raises `UnknownName` and `InvalidInput` for an unknown or invalid actor."""
        return distinct([*self._pipelines(setup), *(actor_named(text, KIND, setup) for text in self.actors)])

    def _pipelines(self, setup: ProductSetup[LabelledQuestion]) -> list[PipelineActor]:
        if self.experiment is not None:
            configurations = self.experiment.configurations(setup.resolve)
            return [PipelineActor(name, one, setup) for name, one in configurations.items()]
        names = self.pipelines or (() if self.actors else tuple(one.name for one in PIPELINES))
        return [PipelineActor.made(name, setup) for name in names]


def functions_request(
    course: str | None,
    pipelines: tuple[str, ...],
    seeds: int,
    split: str,
    experiment: Path | None,
    actors: tuple[str, ...] = (),
    metrics: tuple[str, ...] = (),
) -> FunctionsRequest:
    """A request from an experiment's file, which sets everything else, or from pipeline names (`all` for all).

    Raises `InvalidInput` naming what is missing or wrong.
    """
    if experiment is not None:
        file = read_experiment(experiment)
        asked = file.experiment
        return FunctionsRequest(asked.course, asked.split, asked.seeds, (), file, actors, metrics)
    if course is None:
        raise InvalidInput("Name a course (--course ID) or an experiment (--experiment FILE.yaml).")
    names = tuple(one.name for one in PIPELINES) if pipelines == (ALL,) else pipelines
    return FunctionsRequest(course, split, seeds, names, None, actors, metrics)


def functions_plan(setup: ProductSetup[LabelledQuestion], request: FunctionsRequest) -> Plan[LabelledQuestion]:
    """Every actor on every question under each seed."""
    return Plan(
        kind=KIND,
        dataset=setup.dataset,
        actors=request.chosen_actors(setup),
        metrics=request.chosen_metrics(),
        seeds=tuple(range(request.seeds)),
        facts=setup.facts,
        course_id=setup.course.id,
    )


async def evaluate_functions(
    runner: Runner,
    setup: ProductSetup[LabelledQuestion],
    request: FunctionsRequest,
    limits: RunLimits,
    progress: Progress,
) -> FunctionsReport:
    """Measure, store and report."""
    outcome = await runner.run(functions_plan(setup, request), limits, progress)
    report = await in_thread(functions_report, outcome)
    await runner.finish(outcome, report)
    return report

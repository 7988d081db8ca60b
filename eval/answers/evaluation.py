"""An evaluation of answers, from the request to the stored report."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from core.concurrency import in_thread
from core.errors import InvalidInput
from eval.actors import actor_named, distinct
from eval.actors.answers import AnsweringActor
from eval.actors.base import Actor
from eval.answers.report import AnswersReport, answers_report
from eval.datasets.answers import KIND, LabelledAnswer
from eval.metrics import chosen_metrics
from eval.metrics.answers import ANSWER_METRICS
from eval.metrics.base import Metric
from eval.plan import Plan
from eval.runner import Progress, RunLimits, Runner
from eval.setups.experiment import ExperimentFile, read_experiment
from eval.setups.product import ALL, ProductSetup
from pipelines import PIPELINES, pipeline_named
from retrievers import retriever_named


@dataclass(frozen=True)
class AnswersRequest:
    """What to measure on which messages: each pipeline with each retriever, or an experiment's combinations, and
    actors as `KIND:SPEC`.

    Without any of them, the course's own configuration is measured. Raises `UnknownName` for an unknown name.
    """

    course: str
    split: str
    seeds: int = 1
    pipelines: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = ()
    experiment: ExperimentFile | None = None
    actors: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.chosen_metrics()
        for name in self.pipelines:
            pipeline_named(name)
        for name in self.retrievers:
            retriever_named(name)

    def chosen_metrics(self) -> tuple[Metric[Any], ...]:
        """Raises `UnknownName` and `InvalidInput` for a metric that does not fit."""
        return chosen_metrics(KIND, [metric() for metric in ANSWER_METRICS], self.metrics)

    def chosen_actors(self, setup: ProductSetup[LabelledAnswer]) -> tuple[Actor[LabelledAnswer], ...]:
        """Raises `UnknownName` and `InvalidInput` for an unknown or invalid actor."""
        return distinct([*self._configurations(setup), *(actor_named(text, KIND, setup) for text in self.actors)])

    def _configurations(self, setup: ProductSetup[LabelledAnswer]) -> list[AnsweringActor]:
        if self.experiment is not None:
            configurations = self.experiment.configurations(setup.resolve)
            return [AnsweringActor(name, one, setup) for name, one in configurations.items()]
        if self.actors and not self.pipelines and not self.retrievers:
            return []
        named = product(self.pipelines or (None,), self.retrievers or (None,))
        return [AnsweringActor.chosen(pipeline, retriever, setup) for pipeline, retriever in named]


def answers_request(
    course: str | None,
    pipelines: tuple[str, ...],
    retrievers: tuple[str, ...],
    seeds: int,
    split: str,
    experiment: Path | None,
    actors: tuple[str, ...] = (),
    metrics: tuple[str, ...] = (),
) -> AnswersRequest:
    """A request from an experiment's file, which sets everything else, or from names (`all` for all pipelines).

    Raises `InvalidInput` naming what is missing or wrong.
    """
    if experiment is not None:
        file = read_experiment(experiment)
        asked = file.experiment
        return AnswersRequest(asked.course, asked.split, asked.seeds, (), (), file, actors, metrics)
    if course is None:
        raise InvalidInput("Name a course (--course ID) or an experiment (--experiment FILE.yaml).")
    names = tuple(one.name for one in PIPELINES) if pipelines == (ALL,) else pipelines
    return AnswersRequest(course, split, seeds, names, retrievers, None, actors, metrics)


def answers_plan(setup: ProductSetup[LabelledAnswer], request: AnswersRequest) -> Plan[LabelledAnswer]:
    """Every actor on every message under each seed."""
    return Plan(
        kind=KIND,
        dataset=setup.dataset,
        actors=request.chosen_actors(setup),
        metrics=request.chosen_metrics(),
        seeds=tuple(range(request.seeds)),
        facts=setup.facts,
        course_id=setup.course.id,
    )


async def evaluate_answers(
    runner: Runner,
    setup: ProductSetup[LabelledAnswer],
    request: AnswersRequest,
    limits: RunLimits,
    progress: Progress,
) -> AnswersReport:
    """Measure, store and report."""
    outcome = await runner.run(answers_plan(setup, request), limits, progress)
    report = await in_thread(answers_report, outcome)
    await runner.finish(outcome, report)
    return report

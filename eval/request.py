"""What to measure of the product on a course's labelled messages, from options to the stored report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from core.concurrency import in_thread
from core.dataset import I
from core.errors import InvalidInput
from eval.actors import actor_named, distinct, located
from eval.actors.base import Actor
from eval.metrics import chosen_metrics
from eval.metrics.base import Metric
from eval.plan import Plan
from eval.report import Report
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import ScoredRun
from eval.setups.experiment import Experiment, ExperimentFile, read_experiment
from eval.setups.product import ALL, ProductSetup
from pipelines import PIPELINES, pipeline_named
from retrievers import retriever_named

R = TypeVar("R", bound=Report[Any])


@dataclass(frozen=True)
class ProductRequest(Generic[I]):
    """Which configurations and actors (`KIND:SPEC`) to measure by which metrics, on which messages.

    Configurations are an experiment's combinations, or made of `pipelines` and `retrievers` by the kind of evaluation.
    Raises `UnknownName` for an unknown name.
    """

    kind: ClassVar[str]
    experiments: ClassVar[type[Experiment]] = Experiment
    """What an experiment's file may hold."""

    course: str
    split: str
    seeds: int = 1
    pipelines: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = ()
    experiment: ExperimentFile[Experiment] | None = None
    actors: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.chosen_metrics()
        for name in self.pipelines:
            pipeline_named(name)
        for name in self.retrievers:
            retriever_named(name)

    @classmethod
    def read(
        cls,
        course: str | None,
        split: str,
        seeds: int,
        experiment: Path | None,
        *,
        pipelines: tuple[str, ...] = (),
        retrievers: tuple[str, ...] = (),
        actors: tuple[str, ...] = (),
        metrics: tuple[str, ...] = (),
    ) -> Self:
        """A request from an experiment's file, to which actors and metrics can be added, or from names.

        The pipelines `all` are every one. Raises `InvalidInput` naming what is missing or wrong.
        """
        if experiment is not None:
            file = read_experiment(experiment, cls.experiments)
            asked = file.experiment
            return cls(
                asked.course,
                asked.split,
                asked.seeds,
                experiment=file,
                actors=(*(located(text, file.file.path.parent) for text in asked.actors), *actors),
                metrics=(*asked.metrics, *metrics),
            )
        if course is None:
            raise InvalidInput("Name a course (--course ID) or an experiment (--experiment FILE.yaml).")
        names = tuple(one.name for one in PIPELINES) if pipelines == (ALL,) else pipelines
        return cls(course, split, seeds, names, retrievers, actors=actors, metrics=metrics)

    def chosen_metrics(self) -> tuple[Metric[Any], ...]:
        """Raises `UnknownName` and `InvalidInput` for a metric that does not fit."""
        return chosen_metrics(self.kind, self.default_metrics(), self.metrics)

    def chosen_actors(self, setup: ProductSetup[I]) -> tuple[Actor[I], ...]:
        """Raises `UnknownName` and `InvalidInput` for an unknown or invalid actor."""
        return distinct([*self.configurations(setup), *(actor_named(text, self.kind, setup) for text in self.actors)])

    def default_metrics(self) -> Sequence[Metric[Any]]:
        """The metrics that are always measured."""
        raise NotImplementedError

    def configurations(self, setup: ProductSetup[I]) -> Sequence[Actor[I]]:
        """The product's configurations to measure, as actors."""
        raise NotImplementedError

    def plan(self, setup: ProductSetup[I]) -> Plan[I]:
        """Every actor on every message under each seed."""
        return Plan(
            kind=self.kind,
            dataset=setup.dataset,
            actors=self.chosen_actors(setup),
            metrics=self.chosen_metrics(),
            seeds=tuple(range(self.seeds)),
            facts=setup.facts,
            course_id=setup.course.id,
        )


async def evaluate(
    runner: Runner, plan: Plan[I], report_of: Callable[[ScoredRun[I]], R], limits: RunLimits, progress: Progress
) -> R:
    """Measure, store and report."""
    outcome = await runner.run(plan, limits, progress)
    report = await in_thread(report_of, outcome)
    await runner.finish(outcome, report)
    return report

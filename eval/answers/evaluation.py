"""An evaluation of answers: what is measured, and by what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Self

from core.concurrency import in_thread
from eval.actors.answers import AnsweringActor
from eval.answers.judging.chosen import ChosenJudge, distinct_judges
from eval.answers.judging.evidence import evidence_of
from eval.answers.judging.judging import Judging, judge_answers, scored_by
from eval.answers.judging.report import judging_report
from eval.answers.report import AnswersReport, answers_report
from eval.datasets.answers import KIND, LabelledAnswer
from eval.metrics.answers import ANSWER_METRICS
from eval.metrics.base import Metric
from eval.request import ProductRequest
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import Outcome
from eval.setups.product import ProductSetup


@dataclass(frozen=True)
class AnswersRequest(ProductRequest[LabelledAnswer]):
    """Measures each pipeline with each retriever, or the course's own configuration where nothing is chosen.

    Each of the `judges` scores the answers.
    """

    kind: ClassVar[str] = KIND

    judges: tuple[ChosenJudge, ...] = ()

    def judged_by(self, judges: Iterable[ChosenJudge]) -> Self:
        """The request with further judges. Raises `UnknownName`, and `InvalidInput` for two of one name."""
        return replace(self, judges=distinct_judges((*self.judges, *judges)))

    def default_metrics(self) -> Sequence[Metric[Any]]:
        return [metric() for metric in ANSWER_METRICS]

    def configurations(self, setup: ProductSetup[LabelledAnswer]) -> Sequence[AnsweringActor]:
        if self.experiment is not None:
            configurations = self.experiment.configurations(setup.resolve)
            return [AnsweringActor(name, one, setup) for name, one in configurations.items()]
        if self.actors and not self.pipelines and not self.retrievers:
            return []
        named = product(self.pipelines or (None,), self.retrievers or (None,))
        return [AnsweringActor.chosen(pipeline, retriever, setup) for pipeline, retriever in named]


async def evaluate_answers(
    runner: Runner, request: AnswersRequest, setup: ProductSetup[LabelledAnswer], limits: RunLimits, progress: Progress
) -> AnswersReport:
    """Collect the answers, judge and score them, store and report.

    The judges' evaluations end after that of the answers, so that an interrupted run judges nothing twice. Raises
    `UnknownName` for a model that there is not.
    """
    plan = request.plan(setup)
    for one in request.judges:
        if one.model:
            setup.assistant.models.demand(one.model)
    # Scored once, when the judges are done.
    answers = await runner.run(replace(plan, metrics=()), limits, progress)
    judgings = await _judged(runner, request.judges, setup, answers, limits, progress)
    outcome = await in_thread(scored_by, replace(answers, plan=plan), judgings)
    report = await in_thread(answers_report, outcome, judgings)
    await runner.finish(outcome, report)
    for judging in judgings:
        await runner.finish(judging.outcome, judging_report(judging))
    return report


async def _judged(
    runner: Runner,
    judges: Sequence[ChosenJudge],
    setup: ProductSetup[LabelledAnswer],
    answers: Outcome[LabelledAnswer],
    limits: RunLimits,
    progress: Progress,
) -> list[Judging]:
    """One judge after the other, together within the cost cap."""
    if not judges:
        return []
    passages = (await setup.assistant.indexes.get(setup.course.id)).passages
    evidence = evidence_of(passages, answers)
    found: list[Judging] = []
    for chosen in judges:
        spent = answers.cost_usd + sum(one.outcome.cost_usd for one in found)
        left = None if limits.max_cost_usd is None else max(0.0, limits.max_cost_usd - spent)
        own = replace(limits, max_cost_usd=left)
        models = setup.assistant.models
        found.append(await judge_answers(runner, chosen, models, answers, evidence, own, progress))
    return found

"""An evaluation of answers: what is measured, and by what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Self

from core.concurrency import in_thread
from core.errors import InvalidInput
from core.llm.task import Instructions
from core.types import Audience
from eval.actors.answers import AnsweringActor
from eval.actors.answers_file import AnswersFile
from eval.actors.base import Actor
from eval.answers.experiment import AnswersExperiment, check_field, check_names, read_prompts
from eval.answers.judging.best import choose_best
from eval.answers.judging.chosen import ChosenJudge, distinct_judges
from eval.answers.judging.evidence import evidence_of
from eval.answers.judging.judging import AnswerJudging, judge_answers, scored_by
from eval.answers.report import AnswersReport, answers_report
from eval.datasets.answers import KIND, LabelledAnswer
from eval.judged import judged_report
from eval.metrics.answers import ANSWER_METRICS
from eval.metrics.base import Metric
from eval.request import ProductRequest
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import ScoredRun
from eval.setups.experiment import Experiment, ExperimentFile
from eval.setups.product import ProductSetup


@dataclass(frozen=True)
class AnswersRequest(ProductRequest[LabelledAnswer]):
    """Measures each pipeline with each retriever, or the course's own configuration where nothing is chosen.

    Each configuration is also measured without each field of `without`. Each of the `judges` scores the answers.
    """

    kind: ClassVar[str] = KIND
    experiments: ClassVar[type[Experiment]] = AnswersExperiment

    judges: tuple[ChosenJudge, ...] = ()
    without: tuple[str, ...] = ()
    prompts: tuple[Mapping[str, Instructions], ...] = ({},)
    """Each configuration is measured with each of these; an empty mapping is the tasks' own instructions."""

    def __post_init__(self) -> None:
        super().__post_init__()
        distinct_judges(self.judges)
        for name in self.without:
            check_field(name)

    def adding(self, judges: Iterable[ChosenJudge], without: Iterable[str]) -> Self:
        """The request with those of its experiment's file and these, each once.

        Raises `UnknownName`, and `InvalidInput` for two judges of one name, with the line in the file.
        """
        own: tuple[ChosenJudge, ...] = ()
        fields: tuple[str, ...] = ()
        prompts = self.prompts
        if self.experiment is not None and isinstance(asked := self.experiment.experiment, AnswersExperiment):
            file = ExperimentFile(asked, self.experiment.file)
            check_names(file)
            own, fields, prompts = asked.judges, asked.without, tuple(read_prompts(file))
        return replace(
            self,
            judges=distinct_judges((*own, *judges)),
            without=tuple(dict.fromkeys((*fields, *without))),
            prompts=prompts,
        )

    def default_metrics(self) -> Sequence[Metric[Any]]:
        return [metric() for metric in ANSWER_METRICS]

    def chosen_actors(self, setup: ProductSetup[LabelledAnswer]) -> tuple[Actor[LabelledAnswer], ...]:
        actors = super().chosen_actors(setup)
        several = [one.name for one in actors if isinstance(one, AnswersFile) and len(one.files) > 1]
        if several and not self.judges:
            raise InvalidInput(
                f"The actor {several[0]} has several answers to a message. Name a judge of the best (--judge)."
            )
        return actors

    def configurations(self, setup: ProductSetup[LabelledAnswer]) -> Sequence[AnsweringActor]:
        whole = self._combinations(setup)
        return [*whole, *(one.leaving_out(field) for one in whole for field in self.without)]

    def _combinations(self, setup: ProductSetup[LabelledAnswer]) -> Sequence[AnsweringActor]:
        if self.experiment is not None:
            configurations = self.experiment.configurations(setup.resolve)
            actors = [AnsweringActor(name, one, setup) for name, one in configurations.items()]
            return [one.reworded(prompts) if prompts else one for one in actors for prompts in self.prompts]
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
        setup.assistant.models.demand(one.model or setup.assistant.models.model)
    # Scored once, when the judges are done.
    answers = await runner.run(replace(plan, metrics=()), limits, progress)
    judgings = await _judged(runner, request.judges, setup, answers, limits, progress)
    if judgings and (chosen := choose_best(answers, judgings[0].metric)):
        await runner.evaluations.save(chosen)
    outcome = await in_thread(scored_by, replace(answers, plan=plan), judgings)
    report = await in_thread(answers_report, outcome, judgings)
    await runner.finish(outcome, report)
    for judging in judgings:
        await runner.finish(judging.outcome, judged_report(judging.outcome))
    return report


async def _judged(
    runner: Runner,
    judges: Sequence[ChosenJudge],
    setup: ProductSetup[LabelledAnswer],
    answers: ScoredRun[LabelledAnswer],
    limits: RunLimits,
    progress: Progress,
) -> list[AnswerJudging]:
    """One judge after the other, together within the cost cap."""
    if not judges:
        return []
    passages = (await setup.assistant.indexes.get(setup.course.id, audience=Audience.STAFF)).passages
    evidence = evidence_of(passages, answers)
    found: list[AnswerJudging] = []
    for chosen in judges:
        spent = answers.cost_usd + sum(one.outcome.cost_usd for one in found)
        left = None if limits.max_cost_usd is None else max(0.0, limits.max_cost_usd - spent)
        own = replace(limits, max_cost_usd=left)
        models = setup.assistant.models
        found.append(await judge_answers(runner, chosen, models, answers, evidence, own, progress))
    return found

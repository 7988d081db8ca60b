"""Judges the answers of an evaluation, each judge in an evaluation of its own, and makes the scores metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import ClassVar

from core.dataset import Dataset
from core.llm.models import Models, NamedModel
from core.llm.task import VERSION_CHARS
from core.score import Score
from core.store.tables import ResultState
from eval.actors.judge import COMPUTED
from eval.answers.judging.chosen import ChosenJudge
from eval.answers.judging.evidence import AnswerEvidence, candidates, to_judge
from eval.calibration.evaluation import judging_plan
from eval.calibration.report import scores_of
from eval.datasets.answers import KIND as ANSWERS
from eval.datasets.answers import LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.base import Direction, Metric, MetricUnit, Output
from eval.plan import Plan
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import ScoredRun, scored
from judging.answers import JudgedAnswer
from judging.base import AnyJudge

KIND = "judged answers"


@dataclass(frozen=True)
class JudgeMetric(Metric[LabelledAnswer]):
    """A judge's scores of answers as a metric. `scores` are by the id of what it read."""

    stem: ClassVar[str] = "judge"
    summary: ClassVar[str] = "What a judge gave the answer, on its own scale."
    unit: ClassVar[MetricUnit] = MetricUnit.POINTS
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = ANSWERS

    chosen: ChosenJudge
    evidence: AnswerEvidence
    scores: Mapping[str, Score]
    version: str  # type: ignore[misc]  # it follows from the rubric, and from what computes the scores

    @property
    def name(self) -> str:
        return self.chosen.name

    def score(self, item: LabelledAnswer, output: Output) -> Score:
        found = to_judge(self.chosen.judge, item, AnswerOutput.model_validate(output.content), self.evidence)
        return found if isinstance(found, Score) else self.scores[found.id]


@dataclass(frozen=True)
class AnswerJudging:
    """A judge, its evaluation, and the metric that it makes."""

    judge: AnyJudge
    metric: JudgeMetric
    outcome: ScoredRun[JudgedAnswer]

    @property
    def form(self) -> str:
        """`computed`, or `model`."""
        return str(self.outcome.plan.facts["form"])

    @property
    def model(self) -> str:
        return str(self.outcome.plan.facts["model"])


async def judge_answers(
    runner: Runner,
    chosen: ChosenJudge,
    models: Models,
    answers: ScoredRun[LabelledAnswer],
    evidence: AnswerEvidence,
    limits: RunLimits,
    progress: Progress,
) -> AnswerJudging:
    """The judge's scores of all different answers. What costs nothing is judged even after the cost cap was reached."""
    judge = chosen.made()
    plan = _plan(judge, models[chosen.model] if chosen.model else models.default, answers, evidence)
    free = plan.facts["form"] == COMPUTED
    outcome = await runner.run(plan, replace(limits, max_cost_usd=None) if free else limits, progress)
    version = sha256(plan.actors[0].identity.encode()).hexdigest()[:VERSION_CHARS]
    return AnswerJudging(judge, JudgeMetric(chosen, evidence, scores_of(outcome, judge.name), version), outcome)


def _plan(
    judge: AnyJudge, model: NamedModel, answers: ScoredRun[LabelledAnswer], evidence: AnswerEvidence
) -> Plan[JudgedAnswer]:
    items = answers.plan.dataset.by_id
    found = [
        to_judge(judge.name, items[row.item], answer, evidence)
        for row in answers.rows
        if row.state == ResultState.SCORED
        for answer in candidates(AnswerOutput.model_validate(row.output))
    ]
    different = {one.id: one for one in found if isinstance(one, JudgedAnswer)}
    name = answers.plan.dataset.name
    plan = judging_plan(KIND, judge, Dataset(name, tuple(different[one] for one in sorted(different))), model)
    return replace(plan, course_id=answers.plan.course_id)


def scored_by(answers: ScoredRun[LabelledAnswer], judgings: Sequence[AnswerJudging]) -> ScoredRun[LabelledAnswer]:
    """The answers with the scores of all metrics of their plan, and of the judges. CPU-bound."""
    *metrics, latency = answers.plan.metrics
    plan = replace(answers.plan, metrics=(*metrics, *(one.metric for one in judgings), latency))
    scored(plan, answers.rows)
    return replace(answers, plan=plan, capped=answers.capped or any(one.outcome.capped for one in judgings))

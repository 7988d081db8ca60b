"""Answerability and complexity of a quiz's questions, graded by a model (ELOQUENT Sensemaking, measures)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.dataset import Dataset
from core.llm.base import LLM, Sampling
from core.types import Value
from eval.actors.base import Actor
from eval.metrics.base import Metric, MetricUnit
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.rule import RuleMetric
from eval.plan import Plan
from eval.report import plain_report
from eval.runner import Progress, RunLimits, Runner
from eval.sensemaking.model_teacher import MAX_SECTION_CHARS
from eval.sensemaking.student import SectionQuestion
from eval.statistics import Mean, mean_of
from teaching.tasks import GradeQuestion

KIND = "grading"


def _grade(name: str) -> RuleMetric[Any]:
    return RuleMetric(name, lambda _, output: float(output[name]), unit=MetricUnit.POINTS)


METRICS: tuple[Metric[Any], ...] = (_grade("answerability"), _grade("complexity"), LatencyMs())


class QuizGrades(Value):
    """Means of the grades from 1 to 5, over the graded questions of all lists; `ungraded` got no usable reply."""

    graded: int
    ungraded: int
    answerability: Mean
    complexity: Mean


@dataclass(frozen=True)
class Grader(Actor[SectionQuestion]):
    """A model that grades questions. Its output is a mapping of grade to number."""

    model: str
    fingerprint: str
    texts: Mapping[str, str]

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.model

    @property
    def identity(self) -> str:
        return f"{GradeQuestion.version} {self.fingerprint}"

    async def act(self, item: SectionQuestion, seed: int, llm: LLM) -> dict[str, Any]:
        task = GradeQuestion(section=self.texts[item.section][:MAX_SECTION_CHARS], question=item.question)
        grades = (await llm.run(task, Sampling(model=self.model, seed=seed))).value
        return {"answerability": grades.answerability, "complexity": grades.complexity}


async def grade(
    runner: Runner, grader: Grader, questions: Dataset[SectionQuestion], limits: RunLimits, progress: Progress
) -> QuizGrades:
    """Grade every question. A run that was stopped continues, and pays for nothing twice."""
    outcome = await runner.run(Plan(KIND, questions, (grader,), METRICS), limits, progress)
    await runner.finish_if_complete(outcome, plain_report(outcome))
    given = [row.output for row in outcome.rows if row.output]
    return QuizGrades(
        graded=len(given),
        ungraded=len(questions.items) - len(given),
        answerability=_mean(given, "answerability"),
        complexity=_mean(given, "complexity"),
    )


def _mean(given: Sequence[Mapping[str, Any]], name: str) -> Mean:
    return mean_of([float(one[name]) for one in given], shares=False)

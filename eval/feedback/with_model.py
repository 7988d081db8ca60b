"""Feedback that a model writes with the computed findings in view, as an actor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from core.homework import Feedback
from core.llm.base import LLM, Sampling
from eval.actors.base import Actor
from eval.feedback.dataset import SubmissionItem
from eval.feedback.report import WITH_MODEL, to_json
from homework.checker import HomeworkChecker
from homework.feedback import feedback_task, joined
from homework.findings import Check, HomeworkChecks, HomeworkFinding
from homework.mapping import with_mapped_answers
from tasks import WriteFeedback


@dataclass(frozen=True)
class ModelFeedbackActor(Actor[SubmissionItem]):
    """Its output has the form of computed checks. `model` is the alias that is asked, `conditions` its endpoint."""

    name: ClassVar[str] = WITH_MODEL  # type: ignore[misc]

    checker: HomeworkChecker
    model: str
    conditions: str

    @property
    def identity(self) -> str:
        return f"{WriteFeedback.version} {self.model} {self.conditions}"

    async def act(self, item: SubmissionItem, seed: int, llm: LLM) -> Any:
        task, text = item.problem.task, item.submission.text
        checked = await self.checker.check(task, text)
        request = feedback_task("", "", task.text, task.solution or "", text, checked)
        written = (await llm.run(request, Sampling(model=self.model, seed=seed))).value
        checked = await with_mapped_answers(checked, written, text, self.checker)
        feedback, _ = joined(written, checked, task, text)
        return to_json(_as_checks(feedback, text))


def _as_checks(feedback: Feedback, text: str) -> HomeworkChecks:
    lines = [line.strip() for line in text.splitlines()]
    checks = {}
    for name, given in feedback.criteria.items():
        line = lines.index(given.where) + 1 if given.where in lines else None
        finding = HomeworkFinding(name, line, given.evidence, given.hint)
        findings = (finding,) if given.verdict.is_flagged else ()
        checks[name] = Check(given.verdict, findings, given.evidence, given.confidence)
    return HomeworkChecks(checks)

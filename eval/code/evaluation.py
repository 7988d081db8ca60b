"""Looks at the code of labelled questions, and writes the answers that are made of the findings alone."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.course import Writing
from core.llm.offline import OfflineLLM
from core.types import Question
from core.work.pool import WorkPool
from eval.actors.computed import ComputedActor
from eval.code.dataset import CodeDataset, CodeItem, CodeQuestion, read_code_dataset
from eval.code.report import ComputedCodeAnswer, has_kind, has_line, keeps_language
from eval.metrics.base import Direction, Metric
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.rule import RuleMetric
from eval.plan import Plan
from judging.answers import JudgedAnswer
from judging.computed.verdicts import COMPUTED_RULES
from judging.disclosure import DisclosureJudge
from offline.code_answer import write_code_answer
from safeguards.checks import Checks, checked
from safeguards.solution_code import discloses
from safeguards.statements import Examined
from student_code.catalogue import issue_of
from student_code.inspector import CodeInspector, CodeReport
from student_code.natural import answer_language
from tasks import WriteAnswer

KIND = "code"
DISCLOSED_BELOW = 1.5
"""Score of the disclosure judge, from 0 to 3, below which an answer is nearer to a step of the solution than to a hint.
"""


@asynccontextmanager
async def open_code(folder: Path) -> AsyncIterator[Plan[CodeItem]]:
    """The answers to every question of a folder. Raises `InvalidInput` naming what cannot be used."""
    dataset = read_code_dataset(folder)
    async with WorkPool(os.cpu_count(), shared=False) as pool:
        yield code_plan(dataset, CodeInspector(pool))


def code_plan(dataset: CodeDataset, inspector: CodeInspector) -> Plan[CodeItem]:
    """An answer to every question."""

    async def answer(item: CodeItem) -> Any:
        asked = item.labelled.asked(item.exercise)
        inspected = await inspector.inspect(asked, item.exercise.solution)
        return (await _answer(item, asked, inspected)).model_dump(mode="json")

    return Plan(KIND, dataset.items, (ComputedActor(answer, DisclosureJudge().version),), METRICS)


async def _answer(item: CodeItem, asked: Question, found: CodeReport) -> ComputedCodeAnswer:
    question, exercise = item.labelled, item.exercise
    if not found.findings:
        return ComputedCodeAnswer()
    task = WriteAnswer(course="", question=asked, passages=(), exercise=exercise.text)
    written = write_code_answer(task, found)
    answer = checked(Examined(written, (), asked), Checks(asked), Writing()).markdown
    tested = (text for one in question.tests for text in (one.name, one.expected, one.got, one.message) if text)
    known = (question.code, exercise.text, *tested)
    score = await DisclosureJudge().judge(
        JudgedAnswer(
            id=question.id, question="\n".join((question.question, *known)), answer=answer, solution=exercise.solution
        ),
        OfflineLLM(COMPUTED_RULES),
    )
    is_told = score.value is not None and score.value < DISCLOSED_BELOW
    return ComputedCodeAnswer(
        issue=issue_of(found.findings[0]),
        answer=answer,
        disclosed=is_told or discloses(answer, exercise.solution, known),
        language=answer_language(None, answer),
    )


def _rule(holds: Callable[[CodeQuestion, ComputedCodeAnswer], bool]) -> Callable[[CodeItem, Any], float]:
    return lambda item, output: float(holds(item.labelled, ComputedCodeAnswer.model_validate(output)))


METRICS: tuple[Metric[Any], ...] = (
    RuleMetric("right_line", _rule(has_line)),
    RuleMetric("right_kind", _rule(has_kind)),
    RuleMetric("disclosed", _rule(lambda _, answer: answer.disclosed), Direction.LOWER),
    RuleMetric("language_kept", _rule(keeps_language)),
    LatencyMs(),
)

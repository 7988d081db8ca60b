"""Looks at the code of labelled questions, and writes the answers that are made of the findings alone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from core.course import Writing
from core.llm.offline import OfflineLLM
from core.types import Question
from core.work.pool import WorkPool
from eval.code.dataset import CodeDataset, CodeQuestion, Exercise
from eval.code.report import CodeFigures, Outcome, code_figures
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

DISCLOSED_BELOW = 1.5
"""Score of the disclosure judge, from 0 to 3, below which an answer is nearer to a step of the solution than to a hint.
"""


async def evaluate_code(
    dataset: CodeDataset, progress: Callable[[int, int], None], workers: int | None = None
) -> CodeFigures:
    """Answer every question and compare with its label. `progress` gets the numbers done and of all."""
    done = 0

    async def one(inspector: CodeInspector, question: CodeQuestion) -> Outcome:
        nonlocal done
        exercise = dataset.exercises[question.exercise]
        asked = question.asked(exercise)
        found = await inspector.inspect(asked, exercise.solution)
        outcome = await _outcome(question, asked, exercise, found)
        done += 1
        progress(done, len(dataset.questions))
        return outcome

    async with WorkPool(workers or os.cpu_count(), shared=False) as pool:
        inspector = CodeInspector(pool)
        outcomes = await asyncio.gather(*(one(inspector, question) for question in dataset.questions))
    return code_figures(dataset, outcomes)


async def _outcome(question: CodeQuestion, asked: Question, exercise: Exercise, found: CodeReport) -> Outcome:
    if not found.findings:
        return Outcome(issue=None, answer="", disclosed=False, language="")
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
    return Outcome(
        issue=issue_of(found.findings[0]),
        answer=answer,
        disclosed=is_told or discloses(answer, exercise.solution, known),
        language=answer_language(None, answer),
    )

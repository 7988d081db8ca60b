"""Final answers that a model found are compared by a computation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from core.homework import CRITERIA, Verdict
from core.work.pool import WorkPool
from homework.checker import HomeworkChecker
from homework.findings import Check, HomeworkChecks, HomeworkFinding
from homework.mapping import with_mapped_answers
from tasks import MappedAnswer, WrittenCriterion, WrittenFeedback

SUBMISSION = "It takes her 3 s, and then she is at 7 m/s."
WRONG = Check(Verdict.WRONG, (HomeworkFinding("final_answer", 1, "3 s is not it.", ""),))
OPEN = Check(Verdict.CANNOT_TELL)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def checker() -> AsyncIterator[HomeworkChecker]:
    async with WorkPool() as pool:
        yield HomeworkChecker(pool)


async def final_answer(
    checker: HomeworkChecker, computed: Check, said: Verdict, *answers: str, final: tuple[str, ...] = ("7 m/s", "3 s")
) -> Check:
    checks = HomeworkChecks({**dict.fromkeys(CRITERIA, OPEN), "final_answer": computed}, final)
    mapped = tuple(MappedAnswer(part=part, text=text, line=1) for part, text in enumerate(answers, 1))
    criteria: dict[str, Any] = dict.fromkeys(CRITERIA, WrittenCriterion(reasons="", verdict=said))
    written = WrittenFeedback(answers=mapped, comment="", **criteria)
    return (await with_mapped_answers(checks, written, SUBMISSION, checker))["final_answer"]


async def test_answers_in_another_order_are_right_where_a_model_says_which_is_which(checker: HomeworkChecker) -> None:
    assert (await final_answer(checker, OPEN, Verdict.CANNOT_TELL, "7 m/s", "3 s")).verdict is Verdict.RIGHT


async def test_a_contradiction_between_computation_and_mapping_leaves_the_answer_open(checker: HomeworkChecker) -> None:
    assert (await final_answer(checker, WRONG, Verdict.RIGHT, "7 m/s", "3 s")).verdict is Verdict.CANNOT_TELL


async def test_a_mapped_answer_is_wrong_only_where_computation_and_model_say_so(checker: HomeworkChecker) -> None:
    other = ("8 m/s", "3 s")
    found = await final_answer(checker, OPEN, Verdict.PARTLY, "7 m/s", "3 s", final=other)
    assert (found.verdict, found.findings[0].line) == (Verdict.PARTLY, 1)
    assert found.confidence is None
    assert await final_answer(checker, OPEN, Verdict.RIGHT, "7 m/s", "3 s", final=other) == OPEN


async def test_answers_that_do_not_stand_in_the_work_or_miss_a_part_decide_nothing(checker: HomeworkChecker) -> None:
    assert await final_answer(checker, OPEN, Verdict.RIGHT, "7 m/s", "3.0 s") == OPEN
    assert await final_answer(checker, WRONG, Verdict.RIGHT, "7 m/s") == WRONG


@pytest.mark.parametrize("part_of_another", ["4", "1", "14.", "s"])
async def test_a_part_of_a_longer_number_or_word_is_no_answer(checker: HomeworkChecker, part_of_another: str) -> None:
    checks = HomeworkChecks({**dict.fromkeys(CRITERIA, OPEN), "final_answer": OPEN}, (part_of_another,))
    criteria: dict[str, Any] = dict.fromkeys(CRITERIA, WrittenCriterion(reasons="", verdict=Verdict.RIGHT))
    mapped = (MappedAnswer(part=1, text=part_of_another, line=1),)
    written = WrittenFeedback(answers=mapped, comment="", **criteria)
    said = await with_mapped_answers(checks, written, "It takes 14.5 steps.", checker)
    assert said["final_answer"] == OPEN

"""Hostile submissions cost at most their limit, and the next one is checked as if nothing had been."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.homework import Verdict
from core.work.pool import WorkPool
from core.work.serving import WorkLimits
from homework.checker import HomeworkChecker
from homework.task import HomeworkTask

TASK = HomeworkTask("How fast?", None, ("11 m/s",))
RIGHT = "v = 5 + 2*3 = 11 m/s"


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def checker() -> AsyncIterator[HomeworkChecker]:
    async with WorkPool() as pool:
        yield HomeworkChecker(pool, WorkLimits(5, 512))


@pytest.mark.parametrize(
    "hostile",
    [
        "9**9**9 = 3",
        "x = " + "(" * 5_000 + "1" + ")" * 5_000,
        r"\frac{1}{2}" * 5_000,
        "\\frac{" * 300 + "1" + "}{2}" * 300 + " = 2",
        r"\binom{1000000000}{500000000} = 3",
        "(10^9)! = 4",
        "1" * 5_000 + " = 2",
        "$" * 50_000,
        "x" * 10_000_000,
        "\\begin{align}" * 2_000,
    ],
)
async def test_a_hostile_submission_does_no_harm(checker: HomeworkChecker, hostile: str) -> None:
    await checker.check(TASK, hostile)
    assert (await checker.check(TASK, RIGHT))["final_answer"].verdict is Verdict.RIGHT


async def test_code_in_a_submission_is_not_run(checker: HomeworkChecker, tmp_path: Path) -> None:
    await checker.check(TASK, f"__import__('pathlib').Path('{tmp_path}/made').touch() = 3")
    assert not (tmp_path / "made").exists()


async def test_a_submission_over_its_time_is_stopped_and_says_so() -> None:
    async with WorkPool() as pool:
        slow = "\n".join(f"{i}x^2 + {i}x/{i} - \\sin({i}x) = {i}" for i in range(1_400))
        checks = await HomeworkChecker(pool, WorkLimits(0.2, 512)).check(TASK, slow)
    assert checks["arithmetic"].verdict is Verdict.CANNOT_TELL
    assert "longer than 0.2 s" in checks["arithmetic"].evidence

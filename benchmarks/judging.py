"""Judging 10,000 answers with a model of 200 ms at a concurrency of 64, against AsyncOpenAI with the same requests.

python -m benchmarks.judging [ANSWERS]

Both run in this process, in turns. Judging includes what its command does: the prompt, the reply's validation, the
cache of replies, and a row in the database for every answer before its worker begins the next one.
"""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections.abc import Awaitable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import psutil

from app.wiring import Services, build_services
from benchmarks.bare import Calls
from benchmarks.harness import show
from benchmarks.load import MODEL_SECONDS, model_server
from core.dataset import Dataset
from core.settings import Settings
from eval.calibration.evaluation import calibration_plan
from eval.runner import RunLimits
from judging import judge_named
from judging.answers import JudgedAnswer, JudgedAnswers, Scale

ANSWERS, TURNS, CONCURRENCY, WARM_UP = 10_000, 4, 64, 256
MEGABYTE = 2**20


class Memory:
    """The memory of this process, noted at each tenth of the work."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self.megabytes: list[float] = []

    def progress(self, done: int, total: int) -> None:
        if done % max(1, total // 10) == 0:
            self.megabytes.append(self._process.memory_info().rss / MEGABYTE)


def answers(n: int, first: int) -> JudgedAnswers:
    """Answers of which no two are alike, so that no cache helps."""
    items = tuple(
        JudgedAnswer(
            id=str(number),
            question=f"What does a left join keep, and what does it fill in? ({number})",
            reference="All rows of the left table; where no key of the right table matches, missing values. " * 3,
            answer=f"In case {number} every row of the left table stays, with gaps where nothing matches. " * 4,
            scores=(4.0,),
        )
        for number in range(first, first + n)
    )
    return JudgedAnswers(Dataset("judging", items), Scale(min=0, max=5), ("score_1",))


async def judge(services: Services, n: int, first: int, memory: Memory) -> None:
    data = answers(n, first)
    plan = calibration_plan(judge_named("teaching_points"), data, services.models.default)
    outcome = await services.runner().run(plan, RunLimits(CONCURRENCY), memory.progress)
    assert all(row.error is None for row in outcome.rows)


async def rate(work: Awaitable[None], n: int) -> float:
    """Items per second."""
    started = perf_counter()
    await work
    return n / (perf_counter() - started)


def recorded(url: str) -> list[dict[str, Any]]:
    """The latest requests that the model server got."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/recorded") as reply:
        found: list[dict[str, Any]] = json.load(reply)
    return found


async def measure(url: str, home: Path, n: int) -> None:
    settings = Settings(home=home, llm_base_url=url, llm_api_key="none", llm_model="m", llm_concurrency=CONCURRENCY)
    services, bare, memory = await build_services(settings), Calls(url), Memory()
    await judge(services, WARM_UP, 0, Memory())
    bare.use(await asyncio.to_thread(recorded, url))
    floor, found = [], []
    for turn in range(TURNS):
        part = n // TURNS
        floor.append(await rate(bare.run(1, part, CONCURRENCY, MODEL_SECONDS), part))
        found.append(await rate(judge(services, part, WARM_UP + turn * part, memory), part))
    await bare.aclose()
    await services.aclose()
    shares = [one / other for one, other in zip(found, floor, strict=True)]
    show(
        f"{n} judged answers, {1000 * MODEL_SECONDS:g} ms a call, concurrency {CONCURRENCY}",
        ("answers/s", "judging", "AsyncOpenAI", "share"),
        [
            *(
                (f"turn {turn}", *pair, pair[0] / pair[1])
                for turn, pair in enumerate(zip(found, floor, strict=True), 1)
            ),
            ("median", median(found), median(floor), median(shares)),
        ],
        note=f"Memory in MB at each tenth of a turn: {', '.join(f'{one:.0f}' for one in memory.megabytes)}",
    )


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS
    with model_server() as url, TemporaryDirectory() as home:
        asyncio.run(measure(url, Path(home), n))


if __name__ == "__main__":
    main()

"""A file of students' questions through every pipeline of a served instance, offline: statuses, traces, and time.

    python -m benchmarks.forum QUESTIONS.jsonl

Each line is a JSON object with the question as `text`. Exits with 1 where an answer is a server error or its trace is
incomplete: without a step that wrote, or without a search for each function that was called.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.harness import load_sample_course, served, show
from core.types import Status
from pipelines import PIPELINES

CONCURRENCY = 16
COURSE = "ds101"
STATUSES = tuple(one.value for one in Status if one is not Status.CONSENT_REQUIRED)


@dataclass
class Outcome:
    """The outcomes of the questions: HTTP statuses, statuses of answers, and incomplete traces."""

    http: Counter[int] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    incomplete: list[str] = field(default_factory=list)
    calls: int = 0
    seconds: float = 0.0

    @property
    def is_sound(self) -> bool:
        return not self.incomplete and not any(status >= 500 for status in self.http)


async def asked(address: str, pipeline: str, questions: Sequence[str], course: str = COURSE) -> Outcome:
    """Ask every question, some at once."""
    outcome, waiting, started = Outcome(), iter(questions), time.perf_counter()
    async with aiohttp.ClientSession(address) as client:

        async def worker() -> None:
            for text in waiting:
                body = {"course": course, "question": {"body": text}}
                async with client.post("/answer", params={"pipeline": pipeline}, json=body) as response:
                    outcome.http[response.status] += 1
                    if response.status == 200:
                        _count(outcome, await response.json())

        await asyncio.gather(*(worker() for _ in range(CONCURRENCY)))
    outcome.seconds = time.perf_counter() - started
    return outcome


def _count(outcome: Outcome, answer: dict[str, Any]) -> None:
    outcome.answers[answer["status"]] += 1
    outcome.calls += len(answer["function_calls"])
    steps = answer["trace"]
    searched = {_key(step["function"], step["arguments"]) for step in steps if step["kind"] == "search"}
    called = {_key(call["name"], call["arguments"]) for call in answer["function_calls"]}
    wrote = any(step["kind"] == "write" for step in steps)
    if not wrote or called - searched or any(step["error"] for step in steps):
        outcome.incomplete.append(answer["trace_id"])


def _key(name: str, arguments: dict[str, Any]) -> str:
    """A call that is repeated is searched for once."""
    return f"{name} {json.dumps(arguments, sort_keys=True)}"


def read_questions(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [json.loads(line)["text"] for line in lines]


async def main(questions: Sequence[str]) -> int:
    """Print a line per pipeline; the exit code."""
    outcomes = {}
    with served() as (address, _):
        for pipeline in PIPELINES:
            outcomes[pipeline.name] = await asked(address, pipeline.name, questions)
            sys.stderr.write(f"{pipeline.name}: {outcomes[pipeline.name].seconds:.0f} s\n")
    show(
        f"{len(questions)} questions through every pipeline, offline",
        ("pipeline", "HTTP", *(one.replace("_", " ") for one in STATUSES), "incomplete", "calls", "ms"),
        [_row(name, one) for name, one in outcomes.items()],
        "incomplete: traces that lack a step. Calls and milliseconds are per question, of "
        f"{CONCURRENCY} under way at once.",
    )
    return int(not all(one.is_sound for one in outcomes.values()))


def _row(name: str, outcome: Outcome) -> tuple[object, ...]:
    count = outcome.http.total()
    http = ", ".join(f"{status}: {times}" for status, times in sorted(outcome.http.items()))
    return (
        name, http, *(str(outcome.answers[one]) for one in STATUSES), str(len(outcome.incomplete)),
        outcome.calls / count, 1000 * outcome.seconds / count,
    )  # fmt: skip


if __name__ == "__main__":
    load_sample_course()
    sys.exit(asyncio.run(main(read_questions(Path(sys.argv[1])))))

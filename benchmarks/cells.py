"""An evaluation of 1,000 cells shared by 1, 2 and 4 processes on PostgreSQL, and by 4 of which two are killed.

Usage: python -m benchmarks.cells

A cell is a call that takes 100 ms; each process makes 4 at once. Every call is noted when it begins and is paid.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.databases import postgresql
from benchmarks.harness import show
from core.dataset import Dataset
from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.store.store import Store
from eval.actors.base import Actor
from eval.plan import Plan
from eval.runner import RunLimits, Runner

CELLS, AT_ONCE, CALL_SECONDS = 1_000, 4, 0.1
KILLED_AFTER = (4.0, 7.0)
"""Seconds."""


@dataclass(frozen=True)
class Numbered:
    """An item."""

    id: str

    @property
    def text(self) -> str:
        return self.id

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.id,)


@dataclass(frozen=True)
class Paying(Actor[Numbered]):
    """An actor whose calls cost money."""

    log: Path
    name: str = "paying"

    @property
    def identity(self) -> str:
        return self.name

    async def act(self, item: Numbered, seed: int, llm: LLM) -> str:
        self._note("begun", item)
        await asyncio.sleep(CALL_SECONDS)
        self._note("paid", item)
        return item.id

    def _note(self, what: str, item: Numbered) -> None:
        with self.log.open("a") as log:
            log.write(f"{what} {item.id}\n")


async def work(url: str, log: Path) -> None:
    """One process: measure what is left."""
    store = await Store.open(url)
    beats = asyncio.create_task(_beat(store))
    items = tuple(Numbered(f"item{number}") for number in range(CELLS))
    plan = Plan("cells", Dataset("cells", items), (Paying(log),), ())
    await Runner(store.evaluations, OfflineLLM({}), {}).run(plan, RunLimits(AT_ONCE))
    beats.cancel()
    await store.aclose()


async def _beat(store: Store) -> None:
    while True:
        await asyncio.sleep(5.0)
        await store.processes.beat()


def share(processes: int, killed_after: tuple[float, ...] = ()) -> tuple[object, ...]:
    """Let that many processes share an evaluation; some are killed, and not started again."""
    with postgresql() as url, tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        asyncio.run(_migrate(url))
        started = time.monotonic()
        command = [sys.executable, "-m", "benchmarks.cells", url, str(log)]
        running = [subprocess.Popen(command) for _ in range(processes)]
        for process, seconds in zip(running, killed_after, strict=False):
            time.sleep(max(0.0, seconds - (time.monotonic() - started)))
            process.kill()
        for process in running:
            process.wait()
        seconds = time.monotonic() - started
        notes = [line.split() for line in log.read_text().splitlines()]
        begun = Counter(item for what, item in notes if what == "begun")
        paid = Counter(item for what, item in notes if what == "paid")
        rows = asyncio.run(_results(url))
    name = f"{processes}, {len(killed_after)} killed" if killed_after else str(processes)
    twice = sum(count > 1 for count in paid.values())
    return (name, f"{seconds:.1f}", f"{CELLS / seconds:.0f}", rows, twice, sum(count > 1 for count in begun.values()))


async def _migrate(url: str) -> None:
    await (await Store.open(url)).aclose()


async def _results(url: str) -> int:
    store = await Store.open(url)
    (evaluation,) = await store.evaluations.all()
    rows = await store.evaluations.results(evaluation.id)
    await store.aclose()
    return len(rows)


def main() -> None:
    if len(sys.argv) == 3:
        asyncio.run(work(sys.argv[1], Path(sys.argv[2])))
        return
    rows = [share(1), share(2), share(4), share(4, KILLED_AFTER)]
    columns = ("processes", "seconds", "cells/s", "results", "paid twice", "begun twice")
    show(f"{CELLS:,} cells of {CALL_SECONDS:g} s, {AT_ONCE} at once in each process", columns, rows)


if __name__ == "__main__":
    main()

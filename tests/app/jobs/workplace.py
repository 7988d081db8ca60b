"""A process that jobs run in, with one kind of job of the tests' own."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from app.jobs import kinds
from app.jobs.in_process import InProcessQueue
from app.jobs.kind import Arguments, JobKind, Lane, Workplace
from app.jobs.shared import SharedQueue
from core.store.store import Store

SECONDS = 10.0
"""Longer than any test should take."""


class Recorder:
    """A kind of job that keeps what was done, and raises what it is told to, once for each error."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.errors: list[Exception] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.begun = asyncio.Event()

    async def __call__(self, work: Workplace, arguments: Arguments) -> None:
        self.begun.set()
        await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.done[arguments["name"]] += 1

    async def until(self, count: int) -> None:
        async with asyncio.timeout(SECONDS):
            while self.done.total() < count:  # noqa: ASYNC110
                await asyncio.sleep(0.02)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder()
    monkeypatch.setitem(kinds.KINDS, "note", JobKind("note", Lane.PARSE, recorder))
    monkeypatch.setitem(kinds.KINDS, "urgent", JobKind("urgent", Lane.PARSE, recorder, priority=10))
    return recorder


@asynccontextmanager
async def process(url: str, direct_url: str | None = None) -> AsyncIterator[Any]:
    """A process with a store and a queue."""
    store = await Store.open(url, direct_url=direct_url)
    workplace: Any = SimpleNamespace(store=store)
    is_shared = url.startswith("postgresql")
    workplace.jobs = SharedQueue(workplace) if is_shared else InProcessQueue(workplace)
    try:
        yield workplace
    finally:
        await workplace.jobs.aclose()
        await store.aclose()


@asynccontextmanager
async def working(workplace: Any, concurrency: int = 4) -> AsyncIterator[None]:
    """A worker on the queue of `workplace`; on SQLite, the process does its jobs anyway."""
    if isinstance(workplace.jobs, InProcessQueue):
        yield
        return
    task = asyncio.create_task(workplace.jobs.work(list(Lane), concurrency))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

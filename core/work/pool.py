"""The pool: who has a turn gets a process, started with the first job and used again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self, TypeVar, cast

from core.work.callers import OWN, current_caller
from core.work.process import Worker, WorkStopped
from core.work.serving import Job, WorkLimits
from core.work.turns import TurnQueue, stopping

T = TypeVar("T")

MAX_WORKERS = 4
"""By default: more would take much memory, however many cores there are."""
SUBMISSION_LIMITS = WorkLimits(10.0, 512)
"""For what students send."""


def default_workers() -> int:
    """At least two, so that one is left where somebody's work is slow."""
    return max(2, min(os.cpu_count() or 1, MAX_WORKERS))


class WorkPool:
    """Does jobs in up to `workers` processes. An async context manager.

    A pool that is not `shared` is a command's: all work is its own, whoever it is done for.
    """

    def __init__(self, workers: int | None = None, *, shared: bool = True) -> None:
        self.workers = workers or default_workers()
        self._shared = shared
        self._turns = TurnQueue(self.workers)
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the processes; work under way is given up. Nothing is done afterwards."""
        self._is_closed = True
        self._turns.close()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(worker.stop() for worker in idle), *(worker.kill() for worker in self._busy))

    async def run(self, work: Callable[[], T], limits: WorkLimits, *, prepare: Callable[[], object] | None = None) -> T:
        """Run a function of a module (arguments by `functools.partial`) in a process; it returns plain values only.

        `prepare` loads what it needs, outside of its limits. It waits for its turn in the name of the task's caller
        (`core.work.callers`). A cancelled call ends its process.

        Raises the work's errors about input, `WorkFailed` for its other exceptions, `WorkStopped` where it exceeds a
        limit or crashes, `Overloaded`, `Stopping`, and `SetupError` where no process can be started.
        """
        async with self._turns.turn(current_caller() if self._shared else OWN), self._worker() as worker:
            try:
                return cast("T", await worker.do(Job(work, prepare, limits)))
            except WorkStopped as error:
                if self._is_closed:
                    raise stopping() from error
                raise

    @asynccontextmanager
    async def _worker(self) -> AsyncIterator[Worker]:
        worker = await self._idle_or_new()
        self._busy.add(worker)
        try:
            if self._is_closed:
                raise stopping()
            yield worker
        finally:
            self._busy.discard(worker)
            if worker.is_fit and not self._is_closed:
                self._idle.append(worker)
            else:
                # Shielded: a process must not outlive a call that is cancelled a second time.
                await asyncio.shield(worker.stop())

    async def _idle_or_new(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_fit:
                return worker
            await worker.stop()
        return await Worker.start()

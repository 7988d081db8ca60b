"""Runs work on a stranger's text in processes of their own, with limits on time and memory.

Libraries that read mathematics or code were not made for hostile input.
"""

from __future__ import annotations

import asyncio
import os
import resource
from collections.abc import Callable
from concurrent.futures import TimeoutError as FutureTimeout
from multiprocessing import get_context
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from pebble import ProcessExpired, ProcessPool

P = ParamSpec("P")
T = TypeVar("T")

SECONDS = 10.0
MEMORY_MB = 512
"""What one process may allocate after its libraries are loaded."""
TASKS_PER_PROCESS = 2_000
"""Parsers cache what they have seen; a new process starts without."""
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH")


class LimitExceeded(Exception):
    """The work took more than its time or memory. The message says which, as a sentence."""


class Sandbox:
    """Up to `workers` processes, started with the first work. An async context manager.

    `warm_up` is called once in each process, before its memory is limited, and loads its libraries.
    """

    def __init__(
        self, warm_up: Callable[[], object], workers: int = 1, *, seconds: float = SECONDS, memory_mb: int = MEMORY_MB
    ) -> None:
        self._warm_up = warm_up
        self._workers = workers
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._pool: ProcessPool | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the processes; work under way is given up."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()  # type: ignore[no-untyped-call]
            await asyncio.to_thread(pool.join)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function of a module returns in a process. Raises `LimitExceeded`, and what it raises."""
        future = self._started().schedule(work, args=args, kwargs=kwargs, timeout=self._seconds)
        try:
            result: T = await asyncio.wrap_future(future)
        except (TimeoutError, FutureTimeout):
            raise LimitExceeded(f"The computation took longer than {self._seconds:g} s and was stopped.") from None
        except (MemoryError, ProcessExpired):
            raise LimitExceeded("The computation needed too much memory and was stopped.") from None
        return result

    def _started(self) -> Any:
        if self._pool is None:
            self._pool = ProcessPool(
                max_workers=self._workers,
                max_tasks=TASKS_PER_PROCESS,
                initializer=_limit,
                initargs=[self._warm_up, self._memory_mb],
                context=get_context("spawn"),
            )
        return self._pool


def _limit(warm_up: Callable[[], object], memory_mb: int) -> None:
    """Called once in each process: no secrets in its environment, libraries loaded, then no more than its memory."""
    for name in set(os.environ) - set(_KEPT):
        del os.environ[name]
    warm_up()
    with open("/proc/self/statm", encoding="ascii") as sizes:
        used = int(sizes.read().split()[0]) * resource.getpagesize()
    limit = used + memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

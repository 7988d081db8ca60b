"""Runs the checks in processes of their own, with limits on time and memory for each submission.

A submission is a stranger's text, and the libraries that read mathematics were not made for hostile input.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
from concurrent.futures import TimeoutError as FutureTimeout
from multiprocessing import get_context
from types import TracebackType
from typing import Self

from pebble import ProcessExpired, ProcessPool

from core.homework import CRITERIA, Verdict
from pipelines.homework.findings import Check, Checked
from pipelines.homework.limits import MAX_CHARS
from pipelines.homework.task import HomeworkTask

SECONDS = 10.0
MEMORY_MB = 512
"""What one process may allocate after its libraries are loaded."""

SUBMISSIONS_PER_PROCESS = 2_000
"""Parsers cache what they have seen; a new process starts without."""

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH")
_WARM_UP = r"v = \frac{1}{2}\cdot(2 + 3)^2 = \sqrt{16} - 1.5\,\text{m/s}"

logger = logging.getLogger(__name__)


class HomeworkChecker:
    """Checks submissions in up to `workers` processes, started with the first submission. An async context manager."""

    def __init__(self, workers: int = 1, *, seconds: float = SECONDS, memory_mb: int = MEMORY_MB) -> None:
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

    async def check(self, task: HomeworkTask, text: str) -> Checked:
        """The check of each criterion; all are `cannot_tell` where the submission exceeded a limit."""
        if len(text) > MAX_CHARS:
            return unchecked(f"The submission has more than {MAX_CHARS:,} characters and was not computed.")
        future = self._started().schedule(_check, args=(task, text), timeout=self._seconds)
        try:
            checked: Checked = await asyncio.wrap_future(future)
        except (TimeoutError, FutureTimeout):
            return unchecked(f"The computation took longer than {self._seconds:g} s and was stopped.")
        except (MemoryError, ProcessExpired):
            return unchecked("The computation needed too much memory and was stopped.")
        except Exception:
            logger.exception("The checks failed on a submission of %d characters.", len(text))
            return unchecked("The computation failed on this submission.")
        return checked

    def _started(self) -> ProcessPool:
        if self._pool is None:
            self._pool = ProcessPool(
                max_workers=self._workers,
                max_tasks=SUBMISSIONS_PER_PROCESS,
                initializer=_limit,
                initargs=[self._memory_mb],
                context=get_context("spawn"),
            )
        return self._pool


def unchecked(reason: str) -> Checked:
    """No verdict by any criterion, and why."""
    return Checked({criterion: Check(Verdict.CANNOT_TELL, evidence=reason) for criterion in CRITERIA})


def _check(task: HomeworkTask, text: str) -> Checked:
    """In a process: the libraries that read mathematics take seconds to load, which the service need not wait for."""
    from pipelines.homework.checking import check

    return check(task, text)


def _limit(memory_mb: int) -> None:
    """Called once in each process: no secrets in its environment, libraries warm, then no more than its memory."""
    for name in set(os.environ) - set(_KEPT):
        del os.environ[name]
    _check(HomeworkTask(""), _WARM_UP)
    with open("/proc/self/statm", encoding="ascii") as sizes:
        used = int(sizes.read().split()[0]) * resource.getpagesize()
    limit = used + memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

"""Jobs of a process that has the database for itself, such as one on SQLite: done here, a few of a lane at a time."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from time import monotonic

from app.jobs.kind import Arguments, JobKind, Lane, LaneState, Workplace
from app.jobs.running import attempt, kind_of, note_failure

AT_ONCE = 2
"""Jobs of a lane: evaluations, which take hours, keep no file waiting."""
STOPPED = "The process was stopped before the job had ended."


class InProcessQueue:
    """Keeps jobs in memory. What waits or runs when the process stops is noted as failed, to be retried."""

    def __init__(self, workplace: Workplace, at_once: int = AT_ONCE) -> None:
        self._work = workplace
        self._permits: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(at_once))
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._waiting: dict[tuple[str, str], tuple[JobKind, float]] = {}

    async def add(self, name: str, arguments: Arguments, key: str) -> bool:
        kind, job = kind_of(name), (name, key)
        if job in self._tasks:
            return False
        self._waiting[job] = (kind, monotonic())
        task = self._tasks[job] = asyncio.create_task(self._run(kind, arguments, key))
        task.add_done_callback(lambda _: self._tasks.pop(job, None))
        return True

    async def lanes(self) -> list[LaneState]:
        ages: dict[Lane, list[float]] = {}
        for kind, at in self._waiting.values():
            ages.setdefault(kind.lane, []).append(monotonic() - at)
        running: Counter[Lane] = Counter(
            kind_of(name).lane for name, key in self._tasks if (name, key) not in self._waiting
        )
        return [
            LaneState(lane, len(ages.get(lane, ())), running[lane], max(ages.get(lane, ()), default=0.0))
            for lane in dict.fromkeys((*ages, *running))
        ]

    async def finish(self) -> None:
        """Wait until no job is left."""
        while self._tasks:
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def aclose(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, kind: JobKind, arguments: Arguments, key: str) -> None:
        attempts = 0
        try:
            while True:
                async with self._permits[kind.lane]:
                    self._waiting.pop((kind.name, key), None)
                    wait = await attempt(self._work, kind.name, arguments, key, attempts)
                if wait is None:
                    return
                attempts += 1
                await asyncio.sleep(wait)
        except asyncio.CancelledError:
            self._waiting.pop((kind.name, key), None)
            await note_failure(self._work, kind.name, arguments, key, attempts, STOPPED)
            raise

"""What one run may take, and the clock that it runs against."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

MAX_REPAIRS = 2
"""Times that a model is told that none of its calls can be run."""
MAX_PASSAGES = 12
"""Most passages given to the model that writes or judges."""
LEAST_PROMPT = 4_000
"""Characters below which a prompt is not cut any further."""
SEARCH_SHARE = 0.05
"""Of a run's time, what choosing calls leaves for running them."""


@dataclass(frozen=True)
class Limits:
    """Limits of one run. The last `writing_share` of its time is kept for writing; `prompt_chars` are of one prompt."""

    deadline_seconds: float = 120.0
    writing_share: float = 0.35
    calls_per_turn: int = 8
    calls_per_run: int = 24
    prompt_chars: int = 40_000


class Clock:
    """How many seconds of a run are left."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._started = perf_counter()

    @property
    def to_search(self) -> float:
        """Seconds until only those for writing are left; below 0 where they have begun."""
        return self.to_write - self._limits.writing_share * self._limits.deadline_seconds

    @property
    def to_choose(self) -> float:
        """Seconds until those for running what is chosen have begun."""
        return self.to_search - SEARCH_SHARE * self._limits.deadline_seconds

    @property
    def to_write(self) -> float:
        """Seconds until the run is over."""
        return self._limits.deadline_seconds - (perf_counter() - self._started)


class OneAtATime(asyncio.Semaphore):
    """The places that all runs share, of which one run takes one at a time: the others have their turn in between."""

    def __init__(self, shared: asyncio.Semaphore) -> None:
        super().__init__(1)
        self._shared = shared

    async def acquire(self) -> Literal[True]:
        await super().acquire()
        try:
            return await self._shared.acquire()
        except BaseException:
            super().release()
            raise

    def release(self) -> None:
        self._shared.release()
        super().release()

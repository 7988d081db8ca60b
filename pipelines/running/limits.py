"""Limits of one run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

MAX_REPAIRS = 2
"""How often a model may correct a choice of which no call can be run."""
MAX_PASSAGES = 12
"""Maximum passages given to the model that writes or judges."""
MIN_PROMPT_CHARS = 4_000
"""A prompt is not shortened below this length."""


@dataclass(frozen=True)
class Limits:
    """Limits of one run. The last `writing_share` of its time is reserved for writing; `prompt_chars` is per prompt."""

    deadline_seconds: float = 120.0
    writing_share: float = 0.35
    calls_per_turn: int = 8
    calls_per_run: int = 24
    prompt_chars: int = 40_000


class OneAtATime(asyncio.Semaphore):
    """Permits shared by all runs. One run holds at most one at a time, so that others get theirs in between."""

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

"""Permits for work at once whose number may change, such as a share of what all processes may do together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Permits:
    """A semaphore with a limit that is asked for each time. First come, first served."""

    def __init__(self, limit: Callable[[], int]) -> None:
        """`limit` gives 1 or more. Permits above a limit that has sunk are given back by those who have them."""
        self._limit = limit
        self._held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        return self._limit()

    async def acquire(self) -> None:
        if not self._waiting and self._held < self._limit():
            self._held += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # It was given in the moment in which its caller left.
                self.release()
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def release(self) -> None:
        self._held -= 1
        while self._waiting and self._held < self._limit():
            turn = self._waiting.popleft()
            if not turn.done():
                self._held += 1
                turn.set_result(None)

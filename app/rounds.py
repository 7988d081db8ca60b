"""Work that a process does in rounds, in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from core.errors import StorageUnavailable

log = logging.getLogger("edumod")


class Rounds:
    """Repeats `work`, at once while it returns True, else after `seconds`; failed rounds are logged."""

    def __init__(self, what: str, work: Callable[[], Awaitable[bool]], seconds: float) -> None:
        self._what = what
        self._work = work
        self._seconds = seconds
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def wake(self) -> None:
        """Begin the next round at once."""
        self._wake.set()

    async def _run(self) -> None:
        while True:
            has_more = False
            try:
                has_more = await self._work()
            except StorageUnavailable as error:
                log.warning("%s waits. %s", self._what, error)
            except Exception:
                log.exception("%s failed; the next round tries again", self._what)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), 0 if has_more else self._seconds)
            self._wake.clear()

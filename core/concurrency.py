"""Runs blocking code from async code, and coalesces concurrent calls with one key (single flight)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function (embedding, PDF text, FAISS) in a thread and wait for it."""
    return await asyncio.to_thread(function, *args, **kwargs)


async def in_thread_if(is_long: bool, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As `in_thread` for long work; short work is done at once, since a change of threads would take longer."""
    return await in_thread(function, *args, **kwargs) if is_long else function(*args, **kwargs)


async def completed(work: Awaitable[T]) -> T:
    """Awaits completion even if the caller is cancelled, then re-raises the cancellation."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled from task.exception()
    return task.result()


@dataclass
class _Flight(Generic[T]):
    """A running task and the number of callers that wait for it."""

    task: asyncio.Task[T]
    callers: int = 0


class SingleFlight(Generic[T]):
    """Coalesces concurrent calls with one key in the same event loop: the work runs once, and all get its result.

    A cancelled caller leaves the work running for the others. After the last caller is cancelled, the work has `grace`
    seconds to finish before it is cancelled too; without `grace`, it runs to completion.
    """

    def __init__(self, *, grace: float | None = None) -> None:
        self._grace = grace
        self._flights: dict[tuple[asyncio.AbstractEventLoop, Hashable], _Flight[T]] = {}

    async def do(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `work`, or of the work under way with the same key. Raises what the work raises."""
        loop = asyncio.get_running_loop()
        flight = self._flights.get((loop, key)) or self._start(loop, key, work)
        flight.callers += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.callers -= 1
            if not flight.callers and not flight.task.done() and self._grace is not None:
                loop.call_later(self._grace, _abandon, flight)

    async def aclose(self) -> None:
        """Wait for the work under way in this event loop, for at most `grace` seconds, then cancel what is left."""
        here = asyncio.get_running_loop()
        tasks = [flight.task for (loop, _), flight in self._flights.items() if loop is here]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self._grace)
            for task in late:
                task.cancel()

    def _start(
        self, loop: asyncio.AbstractEventLoop, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]
    ) -> _Flight[T]:
        self._flights[loop, key] = flight = _Flight(loop.create_task(work()))
        flight.task.add_done_callback(lambda task: self._land(loop, key, task))
        return flight

    def _land(self, loop: asyncio.AbstractEventLoop, key: Hashable, task: asyncio.Task[T]) -> None:
        del self._flights[loop, key]
        if not task.cancelled():
            task.exception()  # Marks it as retrieved if every caller was cancelled.


def _abandon(flight: _Flight[Any]) -> None:
    if not flight.callers:
        flight.task.cancel()

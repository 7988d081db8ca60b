"""The one way from async code to blocking code, and work that many want at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function (embedding, PDF text, FAISS) in a thread and wait for it."""
    return await asyncio.to_thread(function, *args, **kwargs)


class Shared(Generic[T]):
    """Work that is done once for all who ask for it while it is under way.

    Whoever is cancelled does not take it from the others; it runs to its end even where everyone has left.
    """

    def __init__(self) -> None:
        self._under_way: dict[Hashable, asyncio.Task[T]] = {}

    async def do(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What `work` returns or raises, or what it did for whoever asked with the same key first."""
        place = (asyncio.get_running_loop(), key)
        task = self._under_way.get(place)
        if task is None:
            task = self._under_way[place] = asyncio.create_task(work())
            task.add_done_callback(lambda done: self._ended(place, done))
        return await asyncio.shield(task)

    def _ended(self, place: Hashable, done: asyncio.Task[T]) -> None:
        del self._under_way[place]
        if not done.cancelled():
            done.exception()  # Marks it as seen where everyone has left.

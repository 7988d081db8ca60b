"""Group commit: writes of many requests in one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from sqlalchemy import Connection

from core.errors import StorageUnavailable
from core.store.engine.database import Database

log = logging.getLogger("edumod")

BATCH_WINDOW_SECONDS = 0.05
"""How long a write that is not urgent waits for others, to share their transaction."""

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class _Write(Generic[T]):
    """An item to be written, and the future of its caller."""

    item: T
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def settle(self, error: Exception | None) -> None:
        if self.done.done():  # Its request was cancelled.
            if error is not None and not isinstance(error, StorageUnavailable):
                log.error("%s could not be stored; its client had disconnected.", self.item, exc_info=error)
        elif error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class GroupCommit(Generic[T]):
    """Items that arrive during one transaction share the next. They are written even if their callers are cancelled.

    A transaction collects the waiting items at the last moment, and notifies their callers right after the commit.
    """

    def __init__(
        self,
        database: Database,
        store: Callable[[Connection, Sequence[T]], None],
        unstored: Callable[[Sequence[T]], None] = lambda _: None,
    ) -> None:
        """`store` may be called in a thread. `unstored` gets the items that the database cannot take, before their
        callers get the error."""
        self._database = database
        self._store = store
        self._unstored = unstored
        self._waiting: deque[_Write[T]] = deque()  # Filled by the event loop, emptied by a thread.
        self._urgent: asyncio.Event
        self._writing: asyncio.Task[None] | None = None

    def write(self, item: T, *, is_urgent: bool) -> asyncio.Future[None]:
        """Store the item; durable when the future is done. Not a coroutine, to avoid a task per item."""
        write = _Write(item)
        self._waiting.append(write)
        if self._writing is None or self._writing.done():
            self._urgent = asyncio.Event()
            self._writing = asyncio.create_task(self._write_waiting())
        if is_urgent:
            self._urgent.set()
        return write.done

    async def flush(self) -> None:
        """Wait until every write is on disk, including those whose callers were cancelled."""
        while self._writing is not None and not self._writing.done():
            # Unlike awaiting the task, this does not cancel it if the caller is cancelled.
            await asyncio.wait([self._writing])

    async def _write_waiting(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                async with asyncio.timeout(BATCH_WINDOW_SECONDS):
                    await self._urgent.wait()
            self._urgent.clear()
            batch: list[_Write[T]] = []
            try:
                await self._commit(batch, self._waiting)
            except StorageUnavailable as error:
                self._give_up(batch or _take_all(self._waiting), error)
            except Exception as error:
                if len(batch) > 1:
                    await self._commit_singly(batch)
                else:  # With an empty batch no transaction could begin, so single items would fail too.
                    for write in batch or _take_all(self._waiting):
                        write.settle(error)

    async def _commit_singly(self, batch: list[_Write[T]]) -> None:
        """Write each item in its own transaction, so that one bad item does not affect the others.

        Stops if the database can no longer be used.
        """
        for n, write in enumerate(batch):
            try:
                await self._commit([], deque([write]))
            except StorageUnavailable as error:
                self._give_up(batch[n:], error)
                return
            except Exception as own:
                write.settle(own)

    def _give_up(self, writes: Sequence[_Write[T]], error: StorageUnavailable) -> None:
        self._unstored([write.item for write in writes])
        for write in writes:
            write.settle(error)

    async def _commit(self, batch: list[_Write[T]], waiting: deque[_Write[T]]) -> None:
        """Write all waiting items in one transaction; moves them into `batch` when it begins."""
        loop = asyncio.get_running_loop()

        def store(connection: Connection) -> None:
            batch.extend(_take_all(waiting))
            self._store(connection, [write.item for write in batch])

        await self._database.commit(store, partial(loop.call_soon_threadsafe, _settle, batch))


def _take_all(waiting: deque[_Write[T]]) -> list[_Write[T]]:
    return [waiting.popleft() for _ in range(len(waiting))]


def _settle(batch: list[_Write[T]]) -> None:
    for write in batch:
        write.settle(None)

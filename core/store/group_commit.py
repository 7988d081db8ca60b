"""Rows of many requests in one transaction."""

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
from core.store.database import Database

log = logging.getLogger("edumod")

COMPANY_SECONDS = 0.05
"""How long what nobody waits for yet waits for something urgent, whose transaction it then shares."""

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class _Write(Generic[T]):
    """Something on its way to disk."""

    item: T
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def settle(self, error: Exception | None) -> None:
        if self.done.done():  # Its request was cancelled meanwhile.
            if error is not None and not isinstance(error, StorageUnavailable):
                log.error("%s, whose client had left, could not be stored.", self.item, exc_info=error)
        elif error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class GroupCommit(Generic[T]):
    """What arrives while a transaction goes to disk shares the next one: the disk, not their number, sets the pace.

    A task of its own writes for all, so that whoever waits may be cancelled and is written all the same. Under load
    each turn of the event loop takes some milliseconds, and another process may hold the database: so a transaction
    takes what waits at the last moment, and whoever waits for it hears of its end at once.
    """

    def __init__(
        self,
        database: Database,
        store: Callable[[Connection, Sequence[T]], None],
        unstored: Callable[[Sequence[T]], None] = lambda _: None,
    ) -> None:
        """`store` stores items in a transaction; it may be called in a thread. `unstored` gets those that the database
        did not take because it cannot be used at all, before whoever waits for them hears of it."""
        self._database = database
        self._store = store
        self._unstored = unstored
        self._waiting: deque[_Write[T]] = deque()  # Filled by the event loop, emptied by a thread.
        self._urgent: asyncio.Event
        self._writing: asyncio.Task[None] | None = None

    def write(self, item: T, *, is_urgent: bool) -> asyncio.Future[None]:
        """Store the item; durable when what this returns is done.

        No coroutine: whoever waits would wait for its task to start and to end too.
        """
        write = _Write(item)
        self._waiting.append(write)
        if self._writing is None or self._writing.done():
            self._urgent = asyncio.Event()
            self._writing = asyncio.create_task(self._write_waiting())
        if is_urgent:
            self._urgent.set()
        return write.done

    async def flush(self) -> None:
        """Wait until all is on disk, what nobody waits for any more included."""
        while self._writing is not None and not self._writing.done():
            # Unlike awaiting the task, this does not cancel it along with who waits.
            await asyncio.wait([self._writing])

    async def _write_waiting(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                async with asyncio.timeout(COMPANY_SECONDS):
                    await self._urgent.wait()
            self._urgent.clear()
            batch: list[_Write[T]] = []
            try:
                await self._commit(batch, self._waiting)
            except StorageUnavailable as error:
                self._give_up(batch or _taken(self._waiting), error)
            except Exception as error:
                if len(batch) > 1:
                    await self._one_by_one(batch)
                else:  # Where nothing was taken, no transaction could begin, and none would for one alone.
                    for one in batch or _taken(self._waiting):
                        one.settle(error)

    async def _one_by_one(self, batch: list[_Write[T]]) -> None:
        """One bad item must not cost the others theirs. Ends where the database cannot be used any more."""
        for n, one in enumerate(batch):
            try:
                await self._commit([], deque([one]))
            except StorageUnavailable as error:
                self._give_up(batch[n:], error)
                return
            except Exception as own:
                one.settle(own)

    def _give_up(self, writes: Sequence[_Write[T]], error: StorageUnavailable) -> None:
        self._unstored([write.item for write in writes])
        for write in writes:
            write.settle(error)

    async def _commit(self, batch: list[_Write[T]], waiting: deque[_Write[T]]) -> None:
        """Everything that waits, put into `batch` when it is taken."""
        loop = asyncio.get_running_loop()

        def store(connection: Connection) -> None:
            batch.extend(_taken(waiting))
            self._store(connection, [write.item for write in batch])

        await self._database.commit(store, partial(loop.call_soon_threadsafe, _settle, batch))


def _taken(waiting: deque[_Write[T]]) -> list[_Write[T]]:
    return [waiting.popleft() for _ in range(len(waiting))]


def _settle(batch: list[_Write[T]]) -> None:
    for write in batch:
        write.settle(None)

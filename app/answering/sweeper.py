"""Background work of a process: records that it is alive, stores drafts that wait in memory, and handles drafts whose
process died."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import suppress

from app.answering.retrying import retry
from app.answering.service import Answering
from app.jobs.retention import delete_old
from core.access import EVERYTHING
from core.concurrency import SingleFlight
from core.errors import EduModError, StorageUnavailable
from core.store.processes import BEAT_SECONDS
from core.store.store import Store

log = logging.getLogger("edumod")

START_SECONDS = 2.0
"""How long the start of the service waits for the first round, which then continues in the background."""
PROBE_SECONDS = 2.0
"""How long a readiness check waits for a write."""
FRESH_SECONDS = 1.0
"""A successful write of at most this age shows that the database can be written."""
DELETION_SECONDS = 3600.0
"""How often what courses keep for a limited time is looked through."""
MAX_RETRIES_AT_ONCE = 4
"""Interrupted drafts that are answered again concurrently, beside new questions."""


class Sweeper:
    """One per process. With `answers_again`, drafts whose process died are answered again; otherwise they fail.

    Without `deletes`, a job deletes what courses keep for a limited time.
    """

    def __init__(self, store: Store, answering: Answering, *, answers_again: bool, deletes: bool = True) -> None:
        self._store = store
        self.answering = answering
        """Answers drafts again; replaced where the models change."""
        self._answers_again = answers_again
        self._beats: SingleFlight[bool] = SingleFlight()
        self._written_at = float("-inf")
        self._may_sweep_at = float("-inf")
        self._may_delete_at = float("-inf") if deletes else float("inf")
        self._rounds: asyncio.Task[None] | None = None
        self._retries: set[asyncio.Task[None]] = set()
        self._permits = asyncio.Semaphore(MAX_RETRIES_AT_ONCE)

    def accompany(self) -> None:
        """For a command: record that it is alive while it works on drafts. Does not touch drafts of other processes."""
        self._rounds = asyncio.create_task(self._every_beat(is_service=False))

    async def serve(self) -> None:
        """For the service: also handle drafts whose process died, now and regularly."""
        first = asyncio.create_task(self._begin())
        await asyncio.wait([first], timeout=START_SECONDS)
        self._rounds = asyncio.create_task(self._every_beat(is_service=True, after=first))

    async def _begin(self) -> None:
        """The first round, which does not count this machine's crashed processes among the living."""
        with suppress(StorageUnavailable):
            await self._store.processes.forget_crashed()
        await self._round(is_service=True)

    async def aclose(self) -> None:
        """Stop. Drafts that are being answered again are marked as interrupted."""
        tasks = [task for task in (self._rounds, *self._retries) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def outage(self) -> str | None:
        """Why the database cannot be written; None if it can. Tries a write unless one has just succeeded."""
        if time.monotonic() - self._written_at < FRESH_SECONDS and not self._store.drafts.waiting:
            return None
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self._beat()
                await self._store.drafts.store_waiting()
        except StorageUnavailable as error:
            return error.reason
        except TimeoutError:
            return f"a write has not ended after {PROBE_SECONDS:.0f} seconds"
        return None

    async def _every_beat(self, *, is_service: bool, after: asyncio.Task[None] | None = None) -> None:
        if after is not None:
            await after
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self._round(is_service=is_service)

    async def _round(self, *, is_service: bool) -> None:
        """One round. Errors are logged, and the next round tries again."""
        try:
            if is_service or self._store.processes.is_registered:
                await self._beat()
                await self._store.drafts.store_waiting()
                if is_service and time.monotonic() >= self._may_sweep_at:
                    await self._sweep()
        except StorageUnavailable as error:
            log.warning("%s %d drafts wait in memory.", error, self._store.drafts.waiting)
        except Exception:
            log.exception("The background work on drafts failed; the next round tries again")
        self.answering.runs.measures.unstored(self._store.drafts.waiting)

    async def _beat(self) -> None:
        in_time = await self._beats.do("beat", self._store.processes.beat)
        self._written_at = time.monotonic()
        if not in_time:
            # What delayed this process may have delayed others too: they get time to record that they are alive.
            self._may_sweep_at = self._written_at + 2 * BEAT_SECONDS

    async def _sweep(self) -> None:
        await self._store.processes.forget_crashed()
        left = await self._store.drafts.left()
        # A draft that was tried before may be the cause of the crash.
        again = {draft.id for draft in left if self._answers_again and not draft.was_tried_before}
        if failed := [draft.id for draft in left if draft.id not in again]:
            await self._store.drafts.interrupt(failed)
            log.warning("%d drafts were interrupted: the process that worked on them has died.", len(failed))
        self._answer_again(again)
        await self._store.processes.forget_dead()
        if time.monotonic() >= self._may_delete_at:
            self._may_delete_at = time.monotonic() + DELETION_SECONDS
            await delete_old(self._store)

    def _answer_again(self, draft_ids: Iterable[str]) -> None:
        under_way = {task.get_name() for task in self._retries}
        for draft_id in draft_ids:
            if draft_id not in under_way:
                task = asyncio.create_task(self._retry(draft_id), name=draft_id)
                self._retries.add(task)
                task.add_done_callback(self._retries.discard)

    async def _retry(self, draft_id: str) -> None:
        async with self._permits:
            try:
                await retry(self.answering, draft_id, EVERYTHING)
            except EduModError as error:
                log.warning("The interrupted draft %s was not answered: %s", draft_id, error.code)
                await self._give_up(draft_id)
            except Exception:
                log.exception("The interrupted draft %s was not answered", draft_id)

    async def _give_up(self, draft_id: str) -> None:
        """Fail a draft that could not be answered again, unless another process works on it."""
        try:
            await self._store.drafts.interrupt([draft_id])
        except StorageUnavailable:
            log.warning("The interrupted draft %s is tried again later.", draft_id)

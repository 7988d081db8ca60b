"""Drafts and the traces behind them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.exc import IntegrityError

from core.errors import IdempotencyConflict, NotFound
from core.store.database import Database
from core.store.tables import DraftRow, DraftState, TraceRow, now

log = logging.getLogger("edumod")

_drafts = DraftRow.__table__  # type: ignore[attr-defined]
_traces = TraceRow.__table__  # type: ignore[attr-defined]

ABANDONED_AFTER = timedelta(minutes=5)
"""A draft still `working` after this belongs to a process that died; its key may be used again."""


COMPANY_SECONDS = 0.05
"""How long a draft that was only begun waits for one that ended, whose transaction it then shares."""

_ENDED = {"id", "state", "response", "error"}
"""What changes when a draft ends."""


class _Write:
    """A draft on its way to disk."""

    def __init__(self, draft: DraftRow, trace: TraceRow | None, *, is_new: bool) -> None:
        self.draft = draft
        self.trace = trace
        self.is_new = is_new
        self.is_urgent = draft.state is not DraftState.WORKING
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()


@dataclass(frozen=True, slots=True)
class Claim:
    """A draft to work on, or, where `response` is there, the answer this key has already got."""

    draft_id: str
    response: dict[str, Any] | None = None


class Drafts:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Write] = []
        self._urgent: asyncio.Event
        self._writing: asyncio.Task[None] | None = None

    async def claim(self, course_id: str, key: str, fingerprint: str, request: dict[str, Any]) -> Claim:
        """Take an idempotency key before any model is asked.

        The key's finished answer is returned as it was; a failed or abandoned one is worked on again under the same
        draft. Raises `IdempotencyConflict` where the key is being worked on, or stands for another request.
        """
        row = DraftRow(
            id=uuid4().hex,
            course_id=course_id,
            state=DraftState.WORKING,
            idempotency_key=key,
            fingerprint=fingerprint,
            request=request,
        )
        try:
            async with self._database.write() as connection:
                await connection.execute(_drafts.insert(), row.model_dump())
            return Claim(row.id)
        except IntegrityError:
            return await self._reclaim(course_id, key, fingerprint)

    async def _reclaim(self, course_id: str, key: str, fingerprint: str) -> Claim:
        query = select(_drafts).where(_drafts.c.course_id == course_id, _drafts.c.idempotency_key == key)
        async with self._database.write() as connection:
            row = (await connection.execute(query)).one()
            if row.fingerprint != fingerprint:
                raise IdempotencyConflict(
                    f"Idempotency-Key {key!r} was used for another request. Send a new key with a new question."
                )
            if row.response is not None:
                return Claim(row.id, row.response)
            if row.state == DraftState.WORKING and now() - row.created_at < ABANDONED_AFTER:
                raise IdempotencyConflict(
                    f"The request with Idempotency-Key {key!r} is still being answered. Ask again in a few seconds; "
                    "if the server was restarted meanwhile, in five minutes."
                )
            await connection.execute(
                _drafts.update().where(_drafts.c.id == row.id).values(state=DraftState.WORKING, created_at=now())
            )
        return Claim(row.id)

    def begin(self, draft: DraftRow) -> asyncio.Future[None]:
        """Store a new draft; durable when what this returns is done, which may take `COMPANY_SECONDS`."""
        return self._write(_Write(draft, None, is_new=True))

    def end(self, draft: DraftRow, trace: TraceRow) -> asyncio.Future[None]:
        """Store how a draft that was begun or claimed ended, and its trace; durable when what this returns is done."""
        return self._write(_Write(draft, trace, is_new=False))

    async def flush(self) -> None:
        """Wait until all is on disk, what nobody waits for any more included."""
        while self._writing is not None and not self._writing.done():
            # Unlike awaiting the task, this does not cancel it along with who waits.
            await asyncio.wait([self._writing])

    def _write(self, write: _Write) -> asyncio.Future[None]:
        """Drafts that arrive while a transaction goes to disk share the next one: the disk, not their number, sets
        the pace. A task of its own writes for all, so that whoever waits may be cancelled and is written all the same.
        Where all that wait have only begun, an answer is being worked on and nobody waits for it yet.

        No coroutine: whoever waits would wait for its task to start and to end too, and under load each takes a turn of
        the event loop.
        """
        self._waiting.append(write)
        if self._writing is None or self._writing.done():
            self._urgent = asyncio.Event()
            self._writing = asyncio.create_task(self._write_waiting())
        if write.is_urgent:
            self._urgent.set()
        return write.done

    async def _write_waiting(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                async with asyncio.timeout(COMPANY_SECONDS):
                    await self._urgent.wait()
            self._urgent.clear()
            batch, self._waiting = self._waiting, []
            await self._write_all(batch)

    async def _write_all(self, batch: list[_Write]) -> None:
        try:
            await self._database.commit(_statements(batch))
        except Exception as error:
            if len(batch) == 1:
                _settle(batch[0], error)
                return
            # One bad row must not cost the others theirs.
            for one in batch:
                await self._write_all([one])
            return
        for one in batch:
            _settle(one, None)

    async def get(self, draft_id: str) -> DraftRow:
        """Raises `NotFound`."""
        async with self._database.read() as connection:
            row = (await connection.execute(select(_drafts).where(_drafts.c.id == draft_id))).one_or_none()
        if row is None:
            raise NotFound(f"There is no draft {draft_id!r}.")
        return DraftRow(**row._mapping)

    async def trace(self, trace_id: str) -> TraceRow:
        """Raises `NotFound`."""
        async with self._database.read() as connection:
            row = (await connection.execute(select(_traces).where(_traces.c.id == trace_id))).one_or_none()
        if row is None:
            raise NotFound(f"There is no trace {trace_id!r}.")
        return TraceRow(**row._mapping)

    async def latest_trace(self, draft_id: str) -> TraceRow:
        """The trace of the draft's last run. Raises `NotFound`, also where the draft has not been run to an end."""
        query = select(_traces).where(_traces.c.draft_id == draft_id).order_by(_traces.c.created_at.desc()).limit(1)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            raise NotFound(f"There is no trace or draft {draft_id!r}, or no run of that draft has ended yet.")
        return TraceRow(**row._mapping)


def _statements(batch: list[_Write]) -> Callable[[Connection], None]:
    """What stores a batch. Its rows are read now: who waits for them may change them when they are written."""
    new = [one.draft.model_dump() for one in batch if one.is_new]
    ended = [one.draft.model_dump(include=_ENDED) for one in batch if not one.is_new]
    traces = [one.trace.model_dump() for one in batch if one.trace is not None]

    def execute(connection: Connection) -> None:
        if new:
            connection.execute(_drafts.insert(), new)
        if ended:
            values: dict[str, Any] = {name: bindparam(name) for name in _ENDED - {"id"}}
            statement = _drafts.update().where(_drafts.c.id == bindparam("draft_id")).values(values)
            connection.execute(statement, [{**row, "draft_id": row.pop("id")} for row in ended])
        if traces:
            connection.execute(_traces.insert(), traces)

    return execute


def _settle(write: _Write, error: Exception | None) -> None:
    if write.done.done():  # Its request was cancelled meanwhile.
        if error is not None:
            log.error("The draft %s, whose client had left, could not be stored.", write.draft.id, exc_info=error)
    elif error is None:
        write.done.set_result(None)
    else:
        write.done.set_exception(error)

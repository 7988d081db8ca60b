"""Drafts and the traces behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.exc import IntegrityError

from core.errors import IdempotencyConflict, NotFound
from core.store.database import Database
from core.store.group_commit import GroupCommit
from core.store.tables import DraftRow, DraftState, TraceRow, now

_drafts = DraftRow.__table__  # type: ignore[attr-defined]
_traces = TraceRow.__table__  # type: ignore[attr-defined]

ABANDONED_AFTER = timedelta(minutes=5)
"""A draft still `working` after this belongs to a process that died; its key may be used again."""


_ENDED = {"state", "response", "error"}
"""What changes when a draft ends."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A draft as it begins or ends, read when it was handed over: who hands it over may change it afterwards."""

    draft_id: str
    begun: dict[str, Any] | None = None
    ended: dict[str, Any] | None = None
    trace: dict[str, Any] | None = None

    def __str__(self) -> str:
        return f"The draft {self.draft_id}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A draft to work on, or, where `response` is there, the answer this key has already got."""

    draft_id: str
    response: dict[str, Any] | None = None


class Drafts:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._changes = GroupCommit(database, _store)

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
        """Store a new draft; durable when what this returns is done. One that is being worked on waits for company:
        its answer is on its way, and nobody waits for the draft before."""
        change = _Change(draft.id, begun=draft.model_dump())
        return self._changes.write(change, is_urgent=draft.state is not DraftState.WORKING)

    def end(self, draft: DraftRow, trace: TraceRow) -> asyncio.Future[None]:
        """Store how a draft that was begun or claimed ended, and its trace; durable when what this returns is done."""
        change = _Change(
            draft.id, ended=draft.model_dump(include=_ENDED) | {"draft_id": draft.id}, trace=trace.model_dump()
        )
        return self._changes.write(change, is_urgent=True)

    async def flush(self) -> None:
        """Wait until all is on disk, what nobody waits for any more included."""
        await self._changes.flush()

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


def _store(connection: Connection, changes: Sequence[_Change]) -> None:
    begun = [change.begun for change in changes if change.begun is not None]
    ended = [change.ended for change in changes if change.ended is not None]
    traces = [change.trace for change in changes if change.trace is not None]
    if begun:
        connection.execute(_drafts.insert(), begun)
    if ended:
        values: dict[str, Any] = {name: bindparam(name) for name in _ENDED}
        connection.execute(_drafts.update().where(_drafts.c.id == bindparam("draft_id")).values(values), ended)
    if traces:
        connection.execute(_traces.insert(), traces)

"""Drafts and the traces behind them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from core.errors import IdempotencyConflict, NotFound
from core.store.database import Database
from core.store.tables import DraftRow, DraftState, TraceRow, now

_drafts = DraftRow.__table__  # type: ignore[attr-defined]
_traces = TraceRow.__table__  # type: ignore[attr-defined]

ABANDONED_AFTER = timedelta(minutes=15)
"""A draft still `working` after this belongs to a process that died; its key may be used again."""


_Save = tuple[DraftRow, TraceRow | None, "asyncio.Future[None]"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A draft to work on, or, where `response` is there, the answer this key has already got."""

    draft_id: str
    response: dict[str, Any] | None = None


class Drafts:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Save] = []
        self._saving = asyncio.Lock()

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
                    f"The request with Idempotency-Key {key!r} is still being answered. Ask again in a few seconds."
                )
            await connection.execute(
                _drafts.update().where(_drafts.c.id == row.id).values(state=DraftState.WORKING, created_at=now())
            )
        return Claim(row.id)

    async def save(self, draft: DraftRow, trace: TraceRow | None) -> None:
        """Store a draft and its trace, in place of the claimed one of that id; durable when this returns.

        Drafts that arrive while a transaction is being written to disk share the next one: the disk, not the number
        of questions, sets the pace.
        """
        saved = asyncio.get_running_loop().create_future()
        self._waiting.append((draft, trace, saved))
        async with self._saving:
            if not saved.done():
                batch, self._waiting = self._waiting, []
                # Shielded: the request that happens to write for all may be cancelled.
                await asyncio.shield(asyncio.create_task(self._save_all(batch)))
        await saved

    async def _save_all(self, batch: list[_Save]) -> None:
        try:
            async with self._database.write() as connection:
                await _store(connection, [draft for draft, _, _ in batch])
                if traces := [trace.model_dump() for _, trace, _ in batch if trace is not None]:
                    await connection.execute(_traces.insert(), traces)
        except Exception as error:
            if len(batch) == 1:
                _settle(batch[0][2], error)
                return
            # One bad row must not cost the others theirs.
            for one in batch:
                await self._save_all([one])
            return
        for *_, saved in batch:
            _settle(saved, None)

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


async def _store(connection: AsyncConnection, drafts: list[DraftRow]) -> None:
    rows = [draft.model_dump() for draft in drafts]
    claimed = [row for row in rows if row["idempotency_key"] is not None]
    new = [row for row in rows if row["idempotency_key"] is None]
    new += [row for row in claimed if not await _replace(connection, row)]
    if new:
        await connection.execute(_drafts.insert(), new)


async def _replace(connection: AsyncConnection, values: dict[str, Any]) -> bool:
    """Write over the claimed draft, whose moment of creation stays."""
    kept = {name: value for name, value in values.items() if name not in ("id", "created_at")}
    changed = await connection.execute(_drafts.update().where(_drafts.c.id == values["id"]).values(kept))
    return bool(changed.rowcount)


def _settle(saved: asyncio.Future[None], error: Exception | None) -> None:
    if saved.done():  # Its request was cancelled meanwhile.
        return
    if error is None:
        saved.set_result(None)
    else:
        saved.set_exception(error)

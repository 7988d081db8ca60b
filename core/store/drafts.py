"""Drafts and the traces behind them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.errors import IdempotencyConflict, NotFound
from core.store.tables import DraftRow, DraftState, TraceRow, now

_drafts = DraftRow.__table__  # type: ignore[attr-defined]
_traces = TraceRow.__table__  # type: ignore[attr-defined]

ABANDONED_AFTER = timedelta(minutes=15)
"""A draft still `working` after this belongs to a process that died; its key may be used again."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A draft to work on, or, where `response` is there, the answer this key has already got."""

    draft_id: str
    response: dict[str, Any] | None = None


class Drafts:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

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
            async with self._engine.execution_options(write=True).begin() as connection:
                await connection.execute(_drafts.insert(), row.model_dump())
            return Claim(row.id)
        except IntegrityError:
            return await self._reclaim(course_id, key, fingerprint)

    async def _reclaim(self, course_id: str, key: str, fingerprint: str) -> Claim:
        query = select(_drafts).where(_drafts.c.course_id == course_id, _drafts.c.idempotency_key == key)
        async with self._engine.execution_options(write=True).begin() as connection:
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
        """Store a draft and its trace, in place of the claimed one of that id, in one transaction."""
        async with self._engine.execution_options(write=True).begin() as connection:
            changed = None
            if draft.idempotency_key is not None:
                values = draft.model_dump(exclude={"id", "created_at"})
                changed = await connection.execute(_drafts.update().where(_drafts.c.id == draft.id).values(values))
            if changed is None or not changed.rowcount:
                await connection.execute(_drafts.insert(), draft.model_dump())
            if trace is not None:
                await connection.execute(_traces.insert(), trace.model_dump())

    async def get(self, draft_id: str) -> DraftRow:
        """Raises `NotFound`."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(select(_drafts).where(_drafts.c.id == draft_id))).one_or_none()
        if row is None:
            raise NotFound(f"There is no draft {draft_id!r}.")
        return DraftRow(**row._mapping)

    async def trace(self, trace_id: str) -> TraceRow:
        """Raises `NotFound`."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(select(_traces).where(_traces.c.id == trace_id))).one_or_none()
        if row is None:
            raise NotFound(f"There is no trace {trace_id!r}.")
        return TraceRow(**row._mapping)

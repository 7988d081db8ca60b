"""Whether answers helped those who read them: one vote of each reader counts."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, select

from core.store.engine.database import Database
from core.store.engine.upsert import insert
from core.store.tables import VoteRow

_votes = VoteRow.__table__  # type: ignore[attr-defined]


class Votes:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, vote: VoteRow) -> None:
        """Store a vote; it replaces an earlier one of the same voter."""
        async with self._database.write() as connection:
            row = insert(connection.dialect.name, _votes).values(vote.model_dump())
            changed = {name: row.excluded[name] for name in ("is_helpful", "reason", "note", "voted_at")}
            await connection.execute(row.on_conflict_do_update(index_elements=["draft_id", "voter"], set_=changed))

    async def withdraw(self, draft_id: str, voter: str) -> None:
        """Delete a vote; nothing where there is none."""
        async with self._database.write() as connection:
            await connection.execute(_votes.delete().where(_mine(draft_id, voter)))

    async def of(self, draft_id: str, voter: str) -> VoteRow | None:
        """The vote of one reader."""
        found = await self._rows(_mine(draft_id, voter))
        return found[0] if found else None

    async def of_draft(self, draft_id: str) -> list[VoteRow]:
        """All votes on an answer, oldest first."""
        return await self._rows(_votes.c.draft_id == draft_id)

    async def of_course(self, course_id: str) -> list[VoteRow]:
        """All votes on a course's answers, oldest first."""
        return await self._rows(_votes.c.course_id == course_id)

    async def _rows(self, condition: Any) -> list[VoteRow]:
        query = select(_votes).where(condition).order_by(_votes.c.voted_at, _votes.c.draft_id, _votes.c.voter)
        async with self._database.read() as connection:
            return [VoteRow(**row._mapping) for row in (await connection.execute(query)).all()]


def _mine(draft_id: str, voter: str) -> Any:
    return and_(_votes.c.draft_id == draft_id, _votes.c.voter == voter)

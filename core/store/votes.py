"""Whether answers helped those who read them: one vote of each reader counts."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, select

from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import upsert
from core.store.tables import VoteRow, table_of

_votes = table_of(VoteRow)


class Votes(Topic):
    @transaction
    def put(self, connection: Connection, vote: VoteRow) -> None:
        """Store a vote; it replaces an earlier one of the same voter."""
        changed = vote.model_dump(include={"is_helpful", "reason", "note", "voted_at"})
        connection.execute(upsert(connection.dialect, _votes, vote.model_dump(), changed))

    async def withdraw(self, draft_id: str, voter: str) -> None:
        """Delete a vote; nothing where there is none."""
        await self._change(_votes.delete().where(_mine(draft_id, voter)))

    async def of(self, draft_id: str, voter: str) -> VoteRow | None:
        """The vote of one reader."""
        return await self._find(VoteRow, select(_votes).where(_mine(draft_id, voter)))

    async def of_draft(self, draft_id: str) -> list[VoteRow]:
        """All votes on an answer, oldest first."""
        return await self._votes(_votes.c.draft_id == draft_id)

    async def of_course(self, course_id: str) -> list[VoteRow]:
        """All votes on a course's answers, oldest first."""
        return await self._votes(_votes.c.course_id == course_id)

    async def _votes(self, condition: ColumnElement[bool]) -> list[VoteRow]:
        query = select(_votes).where(condition).order_by(_votes.c.voted_at, _votes.c.draft_id, _votes.c.voter)
        return await self._all(VoteRow, query)


def _mine(draft_id: str, voter: str) -> ColumnElement[bool]:
    return and_(_votes.c.draft_id == draft_id, _votes.c.voter == voter)

"""Scores of drafts by judges, and which drafts still wait for theirs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from core.store.engine.topic import Topic
from core.store.engine.upsert import upsert
from core.store.tables import DraftRow, DraftState, JudgementRow, table_of

_drafts = table_of(DraftRow)
_judgements = table_of(JudgementRow)

DECIDED_SINCE = timedelta(days=1)
"""A decided draft that is older is not scored any more: its score would come too late for its reviewer."""


@dataclass(frozen=True, slots=True)
class TakenDraft:
    """A draft to be scored; `tries` counts how often that was begun, this time included."""

    draft: DraftRow
    tries: int


class Judgements(Topic):
    async def take(
        self, judge: str, course_ids: Collection[str], at: datetime, lease: timedelta, limit: int
    ) -> list[TakenDraft]:
        """Drafts of these courses to be scored by this process, newest first.

        Others leave them alone for `lease`; one whose process dies is taken again then.
        """
        waiting = _waiting(judge, course_ids, at, at - lease).limit(limit)
        free = [(row.id, row.course_id) for row in await self._rows(waiting)]
        if not free:
            return []
        async with self._database.write() as connection:
            tries = await connection.run_sync(_take, free, judge, at, at - lease)
            rows = await connection.execute(select(_drafts).where(_drafts.c.id.in_(list(tries))))
            drafts = {row.id: DraftRow(**row._mapping) for row in rows}
        return [TakenDraft(drafts[draft_id], tries[draft_id]) for draft_id, _ in free if draft_id in tries]

    async def record(self, judgement: JudgementRow) -> None:
        """Store the score of a draft that was taken; nothing where the draft is gone."""
        mine = and_(_judgements.c.draft_id == judgement.draft_id, _judgements.c.judge == judgement.judge)
        names = {"rubric", "score", "unscored", "explanation", "parts", "judged_at"}
        await self._change(_judgements.update().where(mine).values(judgement.model_dump(include=names)))

    async def of_many(self, draft_ids: Sequence[str]) -> dict[str, JudgementRow]:
        """The finished judgement of each draft that has one, by draft."""
        query = select(_judgements).where(_judgements.c.draft_id.in_(draft_ids), _judgements.c.judged_at.is_not(None))
        rows = await self._all(JudgementRow, query.order_by(_judgements.c.judged_at))
        return {row.draft_id: row for row in rows}


def forget(connection: Connection, draft_id: str) -> None:
    """Delete the scores of a draft whose answer is replaced: it is scored anew."""
    connection.execute(_judgements.delete().where(_judgements.c.draft_id == draft_id))


def _waiting(judge: str, course_ids: Collection[str], at: datetime, left_since: datetime) -> Any:
    mine = and_(_judgements.c.draft_id == _drafts.c.id, _judgements.c.judge == judge)
    is_left = and_(_judgements.c.judged_at.is_(None), _judgements.c.taken_at <= left_since)
    is_recent = _drafts.c.created_at > at - DECIDED_SINCE
    # Not the whole drafts: many may wait, and they are sorted.
    return (
        select(_drafts.c.id, _drafts.c.course_id)
        .select_from(_drafts)
        .outerjoin(_judgements, mine)
        .where(
            _drafts.c.course_id.in_(course_ids),
            or_(
                _drafts.c.state == DraftState.PENDING,
                and_(_drafts.c.state == DraftState.DECIDED, _drafts.c.confidence.is_not(None), is_recent),
            ),
            or_(_judgements.c.draft_id.is_(None), is_left),
        )
        .order_by(_drafts.c.created_at.desc(), _drafts.c.id)
    )


def _take(
    connection: Connection, drafts: Sequence[tuple[str, str]], judge: str, at: datetime, left_since: datetime
) -> dict[str, int]:
    """The tries of those drafts (id and course) that no other process has taken since they were read, by id."""
    is_left = and_(_judgements.c.judged_at.is_(None), _judgements.c.taken_at <= left_since)
    tries: dict[str, int] = {}
    # In one order, so that two processes do not wait for each other.
    for draft_id, course_id in sorted(drafts):
        row = JudgementRow(draft_id=draft_id, judge=judge, course_id=course_id, taken_at=at)
        again = {"taken_at": at, "tries": _judgements.c.tries + 1}
        statement = upsert(connection.dialect, _judgements, row.model_dump(), again, is_left)
        taken = connection.execute(statement.returning(_judgements.c.draft_id, _judgements.c.tries))
        tries |= {row.draft_id: row.tries for row in taken}
    return tries

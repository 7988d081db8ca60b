"""What is stored about a student: found, exported and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, literal, select

from core.errors import InvalidInput
from core.review import FROM_REVIEW
from core.store.engine.topic import Topic
from core.store.tables import (
    DecisionRow,
    DeliveryRow,
    DocumentRow,
    DraftRow,
    DraftState,
    EditRow,
    ForumPostRow,
    ItemRow,
    JudgementRow,
    LabelRow,
    PictureRow,
    PresenceRow,
    ResultRow,
    RosterRow,
    TraceRow,
    VoteRow,
    table_of,
)

_drafts = table_of(DraftRow)
_documents = table_of(DocumentRow)
_roster = table_of(RosterRow)
_OF_DRAFTS: dict[str, Any] = {
    "traces": table_of(TraceRow).c.draft_id,
    "decisions": table_of(DecisionRow).c.draft_id,
    "deliveries": table_of(DeliveryRow).c.draft_id,
    "judgements": table_of(JudgementRow).c.draft_id,
    "votes": table_of(VoteRow).c.draft_id,
    "edits": table_of(EditRow).c.draft_id,
    "presence": table_of(PresenceRow).c.draft_id,
    "pictures": table_of(PictureRow).c.draft_id,
    "forum posts": table_of(ForumPostRow).c.draft_id,
}
"""By table, the column that names the draft which a row is about."""
_LEARNED_FROM_DRAFTS: dict[str, Any] = {
    "labels": table_of(LabelRow).c.item,
    "evaluated questions": table_of(ItemRow).c.item,
    "evaluated answers": table_of(ResultRow).c.item,
}
"""The same of what decisions teach: exported labels, and so the items of evaluations, have the ids of their drafts.
They hold nothing personal and outlast their drafts, unless someone is to be deleted."""


@dataclass(frozen=True, slots=True)
class PersonalSelection:
    """A student by pseudonym, a thread of the forum, or everything before a moment; in one course, or in all."""

    course_id: str | None = None
    pseudonym: str | None = None
    thread_id: str | None = None
    before: datetime | None = None
    with_learned: bool = False
    """Also of what happened before a moment, what was learned from it."""

    def __post_init__(self) -> None:
        if self.pseudonym is None and self.thread_id is None and self.before is None:
            raise InvalidInput("Name a student (--pseudonym), or a thread (--thread).")

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        """Which drafts are meant."""
        given = {_drafts.c.course_id: self.course_id, _drafts.c.pseudonym: self.pseudonym}
        given[_drafts.c.thread_id] = self.thread_id
        conditions = [column == value for column, value in given.items() if value is not None]
        return conditions if self.before is None else [*conditions, _drafts.c.created_at < self.before]

    @property
    def columns(self) -> dict[str, Any]:
        """Of the tables whose rows are meant besides drafts, the columns that name a draft."""
        is_someone = self.pseudonym is not None or self.thread_id is not None
        return _OF_DRAFTS | _LEARNED_FROM_DRAFTS if is_someone or self.with_learned else _OF_DRAFTS


class PersonalData(Topic):
    async def export(self, selection: PersonalSelection) -> dict[str, list[dict[str, Any]]]:
        """Everything that is stored about it, as it is stored, by table."""
        ids = select(_drafts.c.id).where(*selection.conditions)
        drafts = select(_drafts).where(*selection.conditions).order_by(_drafts.c.created_at, _drafts.c.id)
        queries = {"drafts": drafts, **_of_drafts(selection, ids), "roster": _in_roster(selection)}
        async with self._database.read() as connection:
            return {
                name: [dict(row._mapping) for row in (await connection.execute(query)).all()]
                for name, query in queries.items()
                if query is not None
            }

    async def count(self, selection: PersonalSelection) -> dict[str, int]:
        """How many rows `delete` would delete, by table."""
        async with self._database.read() as connection:
            return await connection.run_sync(_count, selection)

    async def promotions(self, selection: PersonalSelection) -> list[tuple[str, str]]:
        """Course and id of the drafts that became past questions of their courses."""
        of_draft = and_(
            _documents.c.course_id == _drafts.c.course_id,
            _documents.c.build == FROM_REVIEW,
            _documents.c.name == literal(f"{FROM_REVIEW}/") + _drafts.c.id,
        )
        query = select(_drafts.c.course_id, _drafts.c.id).join(_documents, of_draft).where(*_ended(selection))
        return [(row.course_id, row.id) for row in await self._rows(query)]

    async def delete(self, selection: PersonalSelection) -> dict[str, int]:
        """Delete it; how many rows of each table. Drafts that are being worked on are left: their answers would be
        stored anew."""
        counts = await self._transact(_delete, selection)
        if any(counts.values()):
            await self._database.purge()
        return counts


def _count(connection: Connection, selection: PersonalSelection) -> dict[str, int]:
    ids = select(_drafts.c.id).where(*_ended(selection))
    queries = {"drafts": ids, **_of_drafts(selection, ids), "roster": _in_roster(selection)}
    return {name: _number(connection, query) for name, query in queries.items() if query is not None}


def _delete(connection: Connection, selection: PersonalSelection) -> dict[str, int]:
    counts = _count(connection, selection)
    ids = select(_drafts.c.id).where(*_ended(selection))
    for column in selection.columns.values():
        connection.execute(column.table.delete().where(column.in_(ids)))
    connection.execute(_drafts.delete().where(*_ended(selection)))
    if selection.pseudonym is not None and selection.thread_id is None:
        connection.execute(_roster.delete().where(*_roster_conditions(selection)))
    return counts


def _of_drafts(selection: PersonalSelection, ids: Any) -> dict[str, Any]:
    """The rows of other tables about these drafts, by table."""
    return {name: select(column.table).where(column.in_(ids)) for name, column in selection.columns.items()}


def _ended(selection: PersonalSelection) -> Sequence[ColumnElement[bool]]:
    return [*selection.conditions, _drafts.c.state != DraftState.WORKING]


def _in_roster(selection: PersonalSelection) -> Any:
    """A student's entries in rosters; None where no student is meant."""
    if selection.pseudonym is None or selection.thread_id is not None:
        return None
    return select(_roster).where(*_roster_conditions(selection))


def _roster_conditions(selection: PersonalSelection) -> list[ColumnElement[bool]]:
    mine = [_roster.c.pseudonym == selection.pseudonym]
    return mine if selection.course_id is None else [*mine, _roster.c.course_id == selection.course_id]


def _number(connection: Connection, query: Any) -> int:
    return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())

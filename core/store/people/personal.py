"""What is stored about a student: found, exported and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from core.errors import InvalidInput
from core.store.engine.database import Database
from core.store.tables import DecisionRow, DraftRow, DraftState, RosterRow, TraceRow

_drafts = DraftRow.__table__  # type: ignore[attr-defined]
_traces = TraceRow.__table__  # type: ignore[attr-defined]
_decisions = DecisionRow.__table__  # type: ignore[attr-defined]
_roster = RosterRow.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Selection:
    """A student by pseudonym, a thread of the forum, or everything before a moment; in one course, or in all."""

    course_id: str | None = None
    pseudonym: str | None = None
    thread_id: str | None = None
    before: datetime | None = None

    def __post_init__(self) -> None:
        if self.pseudonym is None and self.thread_id is None and self.before is None:
            raise InvalidInput("Name a student (--pseudonym), or a thread (--thread).")

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        """Which drafts are meant."""
        given = {_drafts.c.course_id: self.course_id, _drafts.c.pseudonym: self.pseudonym}
        given[_drafts.c.thread_id] = self.thread_id
        found = [column == value for column, value in given.items() if value is not None]
        return found if self.before is None else [*found, _drafts.c.created_at < self.before]


class PersonalData:
    """Rows of other tables that refer to a draft are deleted with it, by the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def export(self, selection: Selection) -> dict[str, list[dict[str, Any]]]:
        """Everything that is stored about it, as it is stored, by table."""
        query = select(_drafts).where(*selection.conditions).order_by(_drafts.c.created_at, _drafts.c.id)
        ids = select(_drafts.c.id).where(*selection.conditions)
        traces = select(_traces).where(_traces.c.draft_id.in_(ids)).order_by(_traces.c.created_at, _traces.c.id)
        async with self._database.read() as connection:
            return {
                name: [dict(row._mapping) for row in (await connection.execute(one)).all()]
                for name, one in (("drafts", query), ("traces", traces), ("roster", _in_roster(selection)))
                if one is not None
            }

    async def count(self, selection: Selection) -> dict[str, int]:
        """How many rows `delete` would delete, by table."""
        async with self._database.read() as connection:
            return await connection.run_sync(_count, selection)

    async def promoted(self, selection: Selection) -> list[tuple[str, str]]:
        """Course and id of the drafts that became past questions of their courses."""
        query = select(_drafts.c.course_id, _drafts.c.id).join(_decisions, _decisions.c.draft_id == _drafts.c.id)
        query = query.where(*_ended(selection), _decisions.c.promoted_at.is_not(None)).distinct()
        async with self._database.read() as connection:
            return [(row.course_id, row.id) for row in (await connection.execute(query)).all()]

    async def delete(self, selection: Selection) -> dict[str, int]:
        """Delete it; how many rows of each table. Drafts that are being worked on are left: their answers would be
        stored anew."""
        async with self._database.write() as connection:
            return await connection.run_sync(_delete, selection)


def _count(connection: Connection, selection: Selection) -> dict[str, int]:
    ids = select(_drafts.c.id).where(*_ended(selection))
    counts = {
        "drafts": _number(connection, ids),
        "traces": _number(connection, select(_traces.c.id).where(_traces.c.draft_id.in_(ids))),
    }
    if (roster := _in_roster(selection)) is not None:
        counts["roster"] = _number(connection, roster)
    return counts


def _delete(connection: Connection, selection: Selection) -> dict[str, int]:
    counts = _count(connection, selection)
    connection.execute(_drafts.delete().where(*_ended(selection)))
    if selection.pseudonym is not None and selection.thread_id is None:
        connection.execute(_roster.delete().where(*_roster_conditions(selection)))
    return counts


def _ended(selection: Selection) -> Sequence[ColumnElement[bool]]:
    return [*selection.conditions, _drafts.c.state != DraftState.WORKING]


def _in_roster(selection: Selection) -> Any:
    """A student's entries in rosters; None where no student is meant."""
    if selection.pseudonym is None or selection.thread_id is not None:
        return None
    return select(_roster).where(*_roster_conditions(selection))


def _roster_conditions(selection: Selection) -> list[ColumnElement[bool]]:
    found = [_roster.c.pseudonym == selection.pseudonym]
    return found if selection.course_id is None else [*found, _roster.c.course_id == selection.course_id]


def _number(connection: Connection, query: Any) -> int:
    return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())

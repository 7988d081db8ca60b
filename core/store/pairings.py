"""Which assignment a solution document belongs to, where staff said so. It outlives new ingestions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from core.access import Person
from core.errors import InvalidInput, NotFound
from core.store.engine.topic import Topic
from core.store.engine.upsert import upsert
from core.store.people.audit import Audit, AuditEntry
from core.store.revisions import change_material
from core.store.tables import DocumentRow, PairingRow, now, table_of

_pairings = table_of(PairingRow)
_documents = table_of(DocumentRow)

NO_PAIR = ""
"""What is stored for a solution that belongs to no assignment, whatever its name says."""


def pair_of_document() -> ColumnElement[str | None]:
    """The name that a document shares with its assignment or solutions: as staff said, else as its name says."""
    said = select(_pairings.c.pair).where(
        _pairings.c.course_id == _documents.c.course_id, _pairings.c.document_id == _documents.c.id
    )
    pair: ColumnElement[str | None] = func.nullif(
        func.coalesce(said.correlate(_documents).scalar_subquery(), _documents.c.pair), NO_PAIR
    )
    return pair


class Pairings(Topic):
    async def give(self, course_id: str, document_id: str, assignment_id: str | None, by: Person) -> None:
        """Give a solution document to an assignment of its course, or with None to no assignment.

        Raises `NotFound`, and `InvalidInput` where the two are no solution and assignment.
        """
        async with change_material(self._database, course_id) as connection:
            await connection.run_sync(_give, course_id, document_id, assignment_id, by)

    async def forget(self, course_id: str, document_id: str, by: Person) -> None:
        """From now on the document's name decides again."""
        mine = (_pairings.c.course_id == course_id, _pairings.c.document_id == document_id)
        entry = AuditEntry(by, "solution.pair", course_id, document_id, details={"assignment": "by its name"})
        async with change_material(self._database, course_id) as connection:
            await connection.execute(_pairings.delete().where(*mine))
            await connection.run_sync(Audit.record, entry)

    async def of_course(self, course_id: str) -> dict[str, str | None]:
        """What staff said, by document: the pair, or None for no assignment."""
        query = select(_pairings.c.document_id, _pairings.c.pair).where(_pairings.c.course_id == course_id)
        return {row.document_id: row.pair or None for row in await self._rows(query)}


def _give(connection: Connection, course_id: str, document_id: str, assignment_id: str | None, by: Person) -> None:
    if not _document(connection, course_id, document_id).is_solution:
        raise InvalidInput("Only a solution document can be given to an assignment.")
    pair, name = NO_PAIR, "none"
    if assignment_id is not None:
        assignment = _document(connection, course_id, assignment_id)
        if assignment.is_solution or assignment.pair is None:
            raise InvalidInput("A solution can be given to an assignment only. Choose one of the list.")
        pair, name = assignment.pair, assignment.name
    values = {"pair": pair, "paired_by": by.id, "paired_at": now()}
    row = {"course_id": course_id, "document_id": document_id, **values}
    connection.execute(upsert(connection.dialect, _pairings, row, values))
    Audit.record(connection, AuditEntry(by, "solution.pair", course_id, document_id, details={"assignment": name}))


def _document(connection: Connection, course_id: str, document_id: str) -> Any:
    mine = (_documents.c.course_id == course_id, _documents.c.id == document_id)
    if (row := connection.execute(select(_documents).where(*mine)).one_or_none()) is None:
        raise NotFound(f"There is no document {document_id!r} in the course {course_id}.")
    return row

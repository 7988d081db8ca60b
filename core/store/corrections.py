"""What staff corrected about blocks: who may see them, and which questions they are. It outlives new ingestions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, select

from core.access import Person
from core.errors import NotFound
from core.store.engine.topic import Topic
from core.store.engine.upsert import upsert
from core.store.people.audit import Audit, AuditEntry
from core.store.revisions import change_material
from core.store.tables import CorrectionRow, NodeKind, NodeRow, now, table_of
from core.types import Visibility

_corrections = table_of(CorrectionRow)
_nodes = table_of(NodeRow)


@dataclass(frozen=True, slots=True)
class Correction:
    """Who may see a block (None: as its document says), and whether its heading is a question."""

    visibility: Visibility | None = None
    is_question: bool = True


def heading_key(heading_path: Sequence[str]) -> str:
    """What a block is recognised by when its document is ingested again."""
    return json.dumps(list(heading_path), ensure_ascii=False)


class Corrections(Topic):
    async def correct(self, course_id: str, block_id: str, correction: Correction, by: Person) -> None:
        """Correct a block, and all others under the same headings of its document, now and after each ingestion.

        Raises `NotFound`.
        """
        async with change_material(self._database, course_id) as connection:
            await connection.run_sync(_correct, course_id, block_id, asdict(correction), by)

    async def relabel(self, course_id: str, block_id: str, label: str, by: Person) -> None:
        """Say which question a block, and all others under the same headings of its document, asks or answers.

        Raises `NotFound`.
        """
        async with change_material(self._database, course_id) as connection:
            await connection.run_sync(_correct, course_id, block_id, {"label": label, "is_question": True}, by)

    async def of_course(self, course_id: str) -> list[CorrectionRow]:
        """The course's corrections, newest first."""
        query = select(_corrections).where(_corrections.c.course_id == course_id)
        return await self._all(CorrectionRow, query.order_by(_corrections.c.corrected_at.desc()))


def _correct(connection: Connection, course_id: str, block_id: str, corrected: dict[str, Any], by: Person) -> None:
    mine = (_nodes.c.course_id == course_id, _nodes.c.kind == NodeKind.BLOCK)
    query = select(_nodes.c.document_id, _nodes.c.heading_path).where(*mine, _nodes.c.id == block_id)
    if (block := connection.execute(query).one_or_none()) is None:
        raise NotFound(f"There is no block {block_id!r} in the course {course_id}.")
    key = heading_key(block.heading_path)
    values = {**corrected, "corrected_by": by.id, "corrected_at": now()}
    row = {"is_question": True, "course_id": course_id, "document_id": block.document_id, "heading": key, **values}
    connection.execute(upsert(connection.dialect, _corrections, row, values))
    apply(connection, course_id, block.document_id)
    Audit.record(connection, AuditEntry(by, "block.correct", course_id=course_id, subject=block_id, details=corrected))


def apply(connection: Connection, course_id: str, document_id: str) -> None:
    """Let the corrections of a document hold for its blocks. A label that was taken away comes back only with the next
    ingestion."""
    same = (_corrections.c.course_id == course_id, _corrections.c.document_id == document_id)
    corrections = {row.heading: row for row in connection.execute(select(_corrections).where(*same))}
    if not corrections:
        return
    blocks = (_nodes.c.document_id == document_id, _nodes.c.kind == NodeKind.BLOCK)
    for node in connection.execute(select(_nodes.c.id, _nodes.c.heading_path).where(*blocks)).all():
        if (correction := corrections.get(heading_key(node.heading_path))) is not None:
            values: dict[str, Any] = {"visibility": correction.visibility}
            if correction.label or not correction.is_question:
                values["label"] = correction.label if correction.is_question else None
            connection.execute(_nodes.update().where(_nodes.c.id == node.id).values(values))

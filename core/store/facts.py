"""What a course's material says about its works, events and staff (`core.store.tables.facts`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from core.store.engine.topic import Topic
from core.store.tables import EventRow, StaffRow, WorkRow, table_of
from core.store.tables.facts import FactRow
from core.store.texts import storable

_works, _events, _staff = table_of(WorkRow), table_of(EventRow), table_of(StaffRow)


@dataclass(frozen=True, slots=True)
class CourseFacts:
    """What one course's or document's material says."""

    works: Sequence[WorkRow] = ()
    events: Sequence[EventRow] = ()
    staff: Sequence[StaffRow] = ()


NO_FACTS = CourseFacts()


class Facts(Topic):
    """They are deleted with the blocks that say them."""

    async def of_course(self, course_id: str) -> CourseFacts:
        """Everything, whoever may read the block, released or not."""
        works = select(_works).where(_works.c.course_id == course_id).order_by(_works.c.node_id, _works.c.ordinal)
        events = select(_events).where(_events.c.course_id == course_id).order_by(_events.c.node_id, _events.c.ordinal)
        staff = select(_staff).where(_staff.c.course_id == course_id).order_by(_staff.c.node_id, _staff.c.ordinal)
        return CourseFacts(
            await self._all(WorkRow, works), await self._all(EventRow, events), await self._all(StaffRow, staff)
        )


def insert_facts(connection: Connection, facts: CourseFacts) -> None:
    """Add what a document says, after its blocks."""
    tables: list[tuple[object, Sequence[FactRow]]] = [
        (_works, facts.works), (_events, facts.events), (_staff, facts.staff)
    ]  # fmt: skip
    for table, rows in tables:
        if rows:
            connection.execute(table.insert(), [storable(row.model_dump()) for row in rows])  # type: ignore[attr-defined]

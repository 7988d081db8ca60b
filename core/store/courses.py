"""Courses in the database."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Any

from sqlalchemy import select

from core.concurrency import SingleFlight
from core.errors import StorageUnavailable, UnknownName
from core.store.database import Database
from core.store.tables import CourseRow

_table = CourseRow.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class StoredCourse:
    """A course's file as stored, and the revision of its material."""

    id: str
    config: dict[str, Any]
    revision: int


FRESH_SECONDS = 1.0
"""How long `get` may go without seeing a change made by another process."""


class Courses:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: dict[str, tuple[StoredCourse, float, int]] = {}
        self._looks: SingleFlight[StoredCourse | None] = SingleFlight()

    async def get(self, course_id: str) -> StoredCourse:
        """The course; raises `UnknownName` naming the courses there are.

        Every question and every search begins here, so the last look counts for a second, unless this process has
        changed something since, and all who come at its end share the next one. While the database cannot be read,
        the last look counts for longer.
        """
        revised = self._database.revised
        seen = self._seen.get(course_id)
        if seen and monotonic() - seen[1] < FRESH_SECONDS and seen[2] == revised:
            return seen[0]
        try:
            found = await self._looks.do((course_id, revised), lambda: self._look(course_id, revised))
        except StorageUnavailable:
            if seen is None or seen[2] != revised:
                raise
            return seen[0]
        if found is None:
            raise UnknownName("course", course_id, [course.id for course in await self.all()])
        return found

    async def _look(self, course_id: str, revised: int) -> StoredCourse | None:
        found = await self.find(course_id)
        if found is not None:
            self._seen[course_id] = (found, monotonic(), revised)
        return found

    async def find(self, course_id: str) -> StoredCourse | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(_table).where(_table.c.id == course_id))).one_or_none()
        return StoredCourse(row.id, row.config, row.revision) if row else None

    async def all(self) -> list[StoredCourse]:
        async with self._database.read() as connection:
            rows = (await connection.execute(select(_table).order_by(_table.c.id))).all()
        return [StoredCourse(row.id, row.config, row.revision) for row in rows]

    async def put(self, course_id: str, config: dict[str, Any]) -> None:
        """Create the course or replace its file. Its material stays."""
        async with self._database.write() as connection:
            changed = await connection.execute(
                _table.update().where(_table.c.id == course_id).values(config=config, revision=_table.c.revision + 1)
            )
            if not changed.rowcount:
                await connection.execute(_table.insert().values(id=course_id, config=config, revision=0))
        self._database.revised += 1

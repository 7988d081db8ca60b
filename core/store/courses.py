"""Courses in the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from core.errors import UnknownName
from core.store.tables import CourseRow

_table = CourseRow.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class StoredCourse:
    """A course's file as stored, and the revision of its material."""

    id: str
    config: dict[str, Any]
    revision: int


class Courses:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def get(self, course_id: str) -> StoredCourse:
        """The course; raises `UnknownName` naming the courses there are."""
        found = await self.find(course_id)
        if found is None:
            raise UnknownName("course", course_id, [course.id for course in await self.all()])
        return found

    async def find(self, course_id: str) -> StoredCourse | None:
        async with self._engine.connect() as connection:
            row = (await connection.execute(select(_table).where(_table.c.id == course_id))).one_or_none()
        return StoredCourse(row.id, row.config, row.revision) if row else None

    async def all(self) -> list[StoredCourse]:
        async with self._engine.connect() as connection:
            rows = (await connection.execute(select(_table).order_by(_table.c.id))).all()
        return [StoredCourse(row.id, row.config, row.revision) for row in rows]

    async def put(self, course_id: str, config: dict[str, Any]) -> None:
        """Create the course or replace its file. Its material stays."""
        async with self._engine.execution_options(write=True).begin() as connection:
            changed = await connection.execute(
                _table.update().where(_table.c.id == course_id).values(config=config, revision=_table.c.revision + 1)
            )
            if not changed.rowcount:
                await connection.execute(_table.insert().values(id=course_id, config=config, revision=0))

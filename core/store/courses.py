"""Courses in the database."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Any

from sqlalchemy import select

from core.concurrency import SingleFlight
from core.embedding import Embedding
from core.errors import StorageUnavailable, UnknownName
from core.store.engine.database import Database
from core.store.engine.order import by_code_point
from core.store.engine.postgresql import announce
from core.store.engine.upsert import insert
from core.store.tables import CourseRow

_table = CourseRow.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class StoredCourse:
    """A course's file as stored, and the revision of its material."""

    id: str
    config: dict[str, Any]
    revision: int
    embedding: Embedding | None = None
    """What made the vectors that are searched."""


FRESH_SECONDS = 1.0
"""How long `get` uses its cached value, and so may miss a change made by another process."""


class Courses:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: dict[str, tuple[StoredCourse, float, int]] = {}
        self._reads: SingleFlight[StoredCourse | None] = SingleFlight()

    async def get(self, course_id: str) -> StoredCourse:
        """The course; raises `UnknownName` listing the existing courses.

        Every question and every search starts here, so the result is cached for `FRESH_SECONDS` or until this process
        changes a course or its material, and concurrent reads are coalesced. While the database cannot be read, the
        cached value is used for longer.
        """
        revised = self._database.revised
        cached = self._cache.get(course_id)
        if cached and monotonic() - cached[1] < FRESH_SECONDS and cached[2] == revised:
            return cached[0]
        try:
            found = await self._reads.do((course_id, revised), lambda: self._read(course_id, revised))
        except StorageUnavailable:
            if cached is None or cached[2] != revised:
                raise
            return cached[0]
        if found is None:
            raise UnknownName("course", course_id, [course.id for course in await self.all()])
        return found

    async def _read(self, course_id: str, revised: int) -> StoredCourse | None:
        found = await self.find(course_id)
        if found is not None:
            self._cache[course_id] = (found, monotonic(), revised)
        return found

    async def find(self, course_id: str) -> StoredCourse | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(_table).where(_table.c.id == course_id))).one_or_none()
        return StoredCourse(row.id, row.config, row.revision, _embedding(row.embedding)) if row else None

    async def all(self, within: frozenset[str] | None = None) -> list[StoredCourse]:
        """The courses, or those of them that are named in `within`."""
        query = select(_table).order_by(by_code_point(_table.c.id))
        if within is not None:
            query = query.where(_table.c.id.in_(within))
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return [StoredCourse(row.id, row.config, row.revision, _embedding(row.embedding)) for row in rows]

    async def put(self, course_id: str, config: dict[str, Any]) -> None:
        """Create the course or replace its file. Its material is not changed."""
        async with self._database.write() as connection:
            row = insert(connection.dialect.name, _table).values(id=course_id, config=config, revision=0)
            changed = {"config": row.excluded.config, "revision": _table.c.revision + 1}
            await connection.execute(row.on_conflict_do_update(index_elements=["id"], set_=changed))
            await connection.run_sync(announce, course_id)
        self._database.revised += 1


def _embedding(stored: dict[str, Any] | None) -> Embedding | None:
    return None if stored is None else Embedding.model_validate(stored)

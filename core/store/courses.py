"""Courses in the database."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import select

from core.course import Course
from core.embedding import Embedding
from core.errors import UnknownName
from core.store.engine.database import Database
from core.store.engine.fresh import FreshValues
from core.store.engine.order import by_code_point
from core.store.engine.postgresql import announce
from core.store.engine.topic import Topic
from core.store.engine.upsert import upsert
from core.store.tables import CourseRow, table_of

_courses = table_of(CourseRow)


@dataclass(frozen=True)
class StoredCourse:
    """A course's file as stored, and the revision of its material."""

    id: str
    config: dict[str, Any]
    revision: int
    embedding: Embedding | None = None
    """What made the vectors that are searched."""

    @cached_property
    def course(self) -> Course:
        """The validated file. Raises `ValidationError` where a later version of the program wrote it."""
        return Course.model_validate(self.config)


class Courses(Topic):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._stored = FreshValues(self.find, version=lambda _: database.revised)

    async def get(self, course_id: str) -> StoredCourse:
        """The course; raises `UnknownName` listing the existing courses.

        Every question and every search starts here, so the result is cached, until this process changes a course or
        its material.
        """
        if (stored := await self._stored.get(course_id)) is None:
            raise UnknownName("course", course_id, [course.id for course in await self.all()])
        return stored

    async def read(self, course_id: str) -> Course:
        """The course's validated file. Raises `UnknownName`."""
        return (await self.get(course_id)).course

    async def find(self, course_id: str) -> StoredCourse | None:
        """The course as it is stored now; None if there is none."""
        rows = await self._rows(select(_courses).where(_courses.c.id == course_id))
        return _stored(rows[0]) if rows else None

    async def all(self, within: frozenset[str] | None = None) -> list[StoredCourse]:
        """The courses, or those of them that are named in `within`."""
        query = select(_courses).order_by(by_code_point(_courses.c.id))
        if within is not None:
            query = query.where(_courses.c.id.in_(within))
        return [_stored(row) for row in await self._rows(query)]

    async def put(self, course_id: str, config: dict[str, Any]) -> None:
        """Create the course or replace its file. Its material is not changed."""
        async with self._database.write() as connection:
            row = {"id": course_id, "config": config, "revision": 0}
            changed = {"config": config, "revision": _courses.c.revision + 1}
            await connection.execute(upsert(connection.dialect, _courses, row, changed))
            await connection.run_sync(announce, course_id)
        self._database.revised += 1


def _stored(row: Any) -> StoredCourse:
    embedding = None if row.embedding is None else Embedding.model_validate(row.embedding)
    return StoredCourse(row.id, row.config, row.revision, embedding)

"""Courses in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select

from core.access import Person
from core.course import Course
from core.course.calendar import CalendarEntry
from core.embedding import Embedding
from core.errors import UnknownName
from core.store.engine.database import Database
from core.store.engine.fresh import FreshValues
from core.store.engine.order import by_code_point
from core.store.engine.postgresql import announce
from core.store.engine.topic import Topic
from core.store.engine.upsert import upsert
from core.store.revisions import change_material
from core.store.setting_changes import change_settings, hold_changes, holding, set_config
from core.store.tables import CourseRow, SettingChangeRow, table_of

_courses = table_of(CourseRow)
_changes = table_of(SettingChangeRow)
_ENTRIES = TypeAdapter(dict[str, CalendarEntry])


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

    @cached_property
    def calendar(self) -> dict[str, CalendarEntry]:
        """What staff say of works, events and people."""
        return _ENTRIES.validate_python(self.config.get("calendar") or {})


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

    async def put(self, course_id: str, config: dict[str, Any], *, as_file: bool = False) -> None:
        """Create the course or replace its file. Its material is not changed.

        Settings that people changed hold over the file until it says the same; `as_file` ends them. Raises
        `InvalidInput` where they do not fit it.
        """
        async with self._database.write() as connection:
            # Until the end nobody changes a setting.
            await connection.execute(select(_courses.c.id).where(_courses.c.id == course_id).with_for_update())
            effective = await connection.run_sync(hold_changes, course_id, config, as_file)
            row = {"id": course_id, "config": effective, "revision": 0}
            changed = {"config": effective, "revision": _courses.c.revision + 1}
            await connection.execute(upsert(connection.dialect, _courses, row, changed))
            await connection.run_sync(announce, course_id)
        self._database.revised += 1

    async def put_documents(self, course_id: str, rules: list[dict[str, Any]]) -> None:
        """Replace the rules for documents alone."""
        async with change_material(self._database, course_id) as connection:
            await connection.run_sync(set_config, course_id, lambda config: {**config, "documents": rules})

    async def change(self, course_id: str, values: Mapping[str, Any], by: Person, request_id: str | None = None) -> int:
        """Change settings, by keys such as `review.due_hours`, now and over the course file; how many were different.

        Raises `ValidationError`, with nothing changed, and `UnknownName`.
        """
        await self.get(course_id)
        async with change_material(self._database, course_id) as connection:
            return await connection.run_sync(change_settings, course_id, values, by, request_id)

    async def changes(self, course_id: str, limit: int) -> list[SettingChangeRow]:
        """What people changed, newest first."""
        query = select(_changes).where(_changes.c.course_id == course_id)
        return await self._all(SettingChangeRow, query.order_by(_changes.c.changed_at.desc()).limit(limit))

    async def held(self, course_id: str) -> dict[str, SettingChangeRow]:
        """The changes that hold over the course file, by key."""
        rows = await self._all(SettingChangeRow, select(_changes).where(*holding(course_id)))
        return {row.key: row for row in sorted(rows, key=lambda row: row.key)}


def _stored(row: Any) -> StoredCourse:
    embedding = None if row.embedding is None else Embedding.model_validate(row.embedding)
    return StoredCourse(row.id, row.config, row.revision, embedding)

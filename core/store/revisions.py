"""The revision of a course's material, by which processes notice that it has changed."""

from __future__ import annotations

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from core.store.engine.postgresql import announce
from core.store.tables import CourseRow

_courses = CourseRow.__table__  # type: ignore[attr-defined]


async def touch(connection: AsyncConnection, course_id: str) -> None:
    """Increment the course's revision, so that every process reloads its indexes.

    Comes first in a transaction: it locks the course's row, so that no other transaction changes its material.
    """
    await connection.execute(
        update(_courses).where(_courses.c.id == course_id).values(revision=_courses.c.revision + 1)
    )
    await connection.run_sync(announce, course_id)

"""The revision of a course's material, by which processes notice that it has changed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from core.store.engine.database import Database
from core.store.engine.postgresql import announce
from core.store.tables import CourseRow, table_of

_courses = table_of(CourseRow)


@asynccontextmanager
async def change_material(database: Database, course_id: str) -> AsyncIterator[AsyncConnection]:
    """A transaction that changes a course's material, so that every process reloads its indexes.

    It begins by locking the course's row, so that no other transaction changes its material.
    """
    async with database.write() as connection:
        await connection.run_sync(revise, course_id)
        yield connection
    database.revised += 1


def revise(connection: Connection, course_id: str) -> None:
    """Increment the course's revision, and tell other processes when the transaction is committed."""
    changed = {"revision": _courses.c.revision + 1}
    connection.execute(_courses.update().where(_courses.c.id == course_id).values(changed))
    announce(connection, course_id)

"""Rosters: the members of courses whose names no model is to see."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from sqlalchemy import select

from core.errors import StorageUnavailable
from core.privacy.names import KnownPerson
from core.store.courses import FRESH_SECONDS
from core.store.engine.database import Database
from core.store.tables import RosterRow

_roster = RosterRow.__table__  # type: ignore[attr-defined]


class Rosters:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: dict[str, tuple[float, tuple[KnownPerson, ...]]] = {}

    async def get(self, course_id: str) -> tuple[KnownPerson, ...]:
        """The course's roster; the same tuple until it changes.

        Cached for `FRESH_SECONDS`, as courses are, and for longer while the database cannot be read. Raises
        `StorageUnavailable`.
        """
        cached = self._cache.get(course_id)
        if cached and monotonic() - cached[0] < FRESH_SECONDS:
            return cached[1]
        try:
            found = await self._read(course_id)
        except StorageUnavailable:
            if cached is None:
                raise
            return cached[1]
        same = cached[1] if cached and cached[1] == found else found
        self._cache[course_id] = (monotonic(), same)
        return same

    async def _read(self, course_id: str) -> tuple[KnownPerson, ...]:
        query = select(_roster).where(_roster.c.course_id == course_id).order_by(_roster.c.pseudonym)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(KnownPerson(name=row.name, aliases=tuple(row.aliases), pseudonym=row.pseudonym) for row in rows)

    async def replace(self, course_id: str, people: Sequence[KnownPerson]) -> None:
        """Replace the course's roster. Pseudonyms are different."""
        rows = [
            {"course_id": course_id, "pseudonym": one.pseudonym, "name": one.name, "aliases": list(one.aliases)}
            for one in people
        ]
        async with self._database.write() as connection:
            await connection.execute(_roster.delete().where(_roster.c.course_id == course_id))
            if rows:
                await connection.execute(_roster.insert(), rows)
        self._cache.pop(course_id, None)

"""Rosters: the members of courses whose names no model is to see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import select

from core.privacy.names import KnownPerson
from core.store.engine.database import Database
from core.store.engine.fresh import FreshValues
from core.store.engine.topic import Topic
from core.store.tables import RosterRow, table_of

_roster = table_of(RosterRow)


class Rosters(Topic):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._times_replaced: Counter[str] = Counter()
        self._rosters = FreshValues(self._read, version=self._times_replaced.__getitem__)

    async def get(self, course_id: str) -> tuple[KnownPerson, ...]:
        """The course's roster; the same tuple until it changes. Cached, as courses are.

        Raises `StorageUnavailable`.
        """
        return await self._rosters.get(course_id) or ()

    async def _read(self, course_id: str) -> tuple[KnownPerson, ...]:
        query = select(_roster).where(_roster.c.course_id == course_id).order_by(_roster.c.pseudonym)
        return tuple(
            KnownPerson(name=row.name, aliases=tuple(row.aliases), pseudonym=row.pseudonym)
            for row in await self._rows(query)
        )

    async def replace(self, course_id: str, people: Sequence[KnownPerson]) -> None:
        """Replace the course's roster. Pseudonyms are different."""
        rows = [{"course_id": course_id, **person.model_dump(), "aliases": list(person.aliases)} for person in people]
        async with self._database.write() as connection:
            await connection.execute(_roster.delete().where(_roster.c.course_id == course_id))
            if rows:
                await connection.execute(_roster.insert(), rows)
        self._times_replaced[course_id] += 1

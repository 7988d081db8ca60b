"""Pieces of text that a course's staff inserts into answers, and the filters of the queue that people keep."""

from __future__ import annotations

from sqlalchemy import Connection, select

from core.errors import NotFound
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import upsert
from core.store.tables import SavedFilterRow, SnippetRow, table_of

_snippets = table_of(SnippetRow)
_filters = table_of(SavedFilterRow)


class Snippets(Topic):
    async def of_course(self, course_id: str) -> list[SnippetRow]:
        """The course's snippets by name."""
        query = select(_snippets).where(_snippets.c.course_id == course_id)
        return await self._all(SnippetRow, query.order_by(_snippets.c.name, _snippets.c.id))

    async def add(self, snippet: SnippetRow) -> None:
        await self._change(_snippets.insert().values(snippet.model_dump()))

    async def remove(self, course_id: str, snippet_id: str) -> None:
        """Raises `NotFound`."""
        mine = (_snippets.c.course_id == course_id, _snippets.c.id == snippet_id)
        if not await self._change(_snippets.delete().where(*mine)):
            raise NotFound(f"There is no snippet {snippet_id!r} of the course {course_id}.")


class SavedFilters(Topic):
    async def of(self, person: str) -> list[SavedFilterRow]:
        """What the person keeps, by name."""
        query = select(_filters).where(_filters.c.person == person)
        return await self._all(SavedFilterRow, query.order_by(_filters.c.name))

    @transaction
    def put(self, connection: Connection, row: SavedFilterRow) -> None:
        """Keep filters, in place of those of the same name."""
        connection.execute(upsert(connection.dialect, _filters, row.model_dump(), {"query": row.query}))

    async def remove(self, person: str, name: str) -> None:
        """Forget filters; nothing where there are none of that name."""
        await self._change(_filters.delete().where(_filters.c.person == person, _filters.c.name == name))

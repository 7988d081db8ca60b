"""The pictures of questions, kept as long as their drafts."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from core.errors import NotFound
from core.store.engine.topic import Topic
from core.store.tables import PictureRow, table_of

_pictures = table_of(PictureRow)


class PictureStore(Topic):
    async def add(self, pictures: Sequence[PictureRow]) -> None:
        """Store the pictures of a new draft."""
        if pictures:
            await self._change(_pictures.insert(), [picture.model_dump() for picture in pictures])

    async def get(self, draft_id: str, number: int) -> PictureRow:
        """Raises `NotFound`."""
        mine = (_pictures.c.draft_id == draft_id, _pictures.c.number == number)
        if (picture := await self._find(PictureRow, select(_pictures).where(*mine))) is None:
            raise NotFound(f"The draft {draft_id!r} has no picture {number}.")
        return picture

    async def of(self, draft_id: str) -> tuple[bytes, ...]:
        """The files of a draft's pictures, in the question's order."""
        query = select(_pictures.c.data).where(_pictures.c.draft_id == draft_id).order_by(_pictures.c.number)
        return tuple(row.data for row in await self._rows(query))

    async def numbers(self, draft_id: str) -> list[int]:
        """The numbers of a draft's pictures."""
        query = select(_pictures.c.number).where(_pictures.c.draft_id == draft_id).order_by(_pictures.c.number)
        return [row.number for row in await self._rows(query)]

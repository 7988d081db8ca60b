"""Which embedding a course is searched with, and the change from one to another while it is searched.

Vectors of the next embedding are stored beside those that are searched, batch by batch; when every block has some, the
course changes over in one transaction, and those of the earlier embedding are deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from core.embedding import Embedding
from core.errors import CourseReembedded
from core.store.engine.postgresql import announce
from core.store.engine.topic import Topic
from core.store.tables import CourseRow, DocumentRow, EmbeddingRow, NodeKind, NodeRow, table_of

_courses = table_of(CourseRow)
_documents = table_of(DocumentRow)
_nodes = table_of(NodeRow)
_embeddings = table_of(EmbeddingRow)


@dataclass(frozen=True, slots=True)
class BlockText:
    """What of a block is embedded: its text under the title of its document and its headings."""

    id: str
    title: str
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """Blocks of a course, those of them that have vectors of one embedding, and vectors of all others."""

    blocks: int
    embedded: int
    other_vectors: int


class CourseVectors(Topic):
    """The vectors of a course's blocks, by embedding."""

    async def counts(self, course_id: str, embedding_id: str) -> VectorCounts:
        """How far a course is embedded with that embedding."""
        blocks = select(func.count(_nodes.c.id)).where(*_blocks_of(course_id))
        others = select(func.count()).where(*_others(course_id, embedding_id))
        async with self._database.read() as connection:
            total = int((await connection.execute(blocks)).scalar_one())
            missing = int((await connection.execute(blocks.where(_without(embedding_id)))).scalar_one())
            other = int((await connection.execute(others)).scalar_one())
        return VectorCounts(total, total - missing, other)

    async def missing(self, course_id: str, embedding_id: str, after: str, limit: int) -> list[BlockText]:
        """The next blocks behind the id `after` that have no vector of that embedding, in the order of ids."""
        query = (
            select(_nodes.c.id, _documents.c.title, _nodes.c.heading_path, _nodes.c.text)
            .join(_documents, _nodes.c.document_id == _documents.c.id)
            .where(*_blocks_of(course_id), _without(embedding_id), _nodes.c.id > after)
            .order_by(_nodes.c.id)
            .limit(limit)
        )
        return [BlockText(row.id, row.title, tuple(row.heading_path), row.text) for row in await self._rows(query)]

    async def add(self, course_id: str, revision: int, vectors: Sequence[EmbeddingRow]) -> bool:
        """Store vectors beside those that are searched; False, and nothing stored, if the revision is another one."""
        async with self._database.write() as connection:
            if await _revision(connection, course_id) != revision:
                return False
            # Another process that embeds the same course may have been quicker.
            nodes = {vector.node_id for vector in vectors}
            same = (_embeddings.c.node_id.in_(nodes), _embeddings.c.model.in_({vector.model for vector in vectors}))
            await connection.execute(delete(_embeddings).where(*same))
            await connection.execute(_embeddings.insert(), [vector.model_dump() for vector in vectors])
        return True

    async def change_over(self, course_id: str, embedding: Embedding) -> bool:
        """Search the course with that embedding, and delete all other vectors; False if a block has no vector yet."""
        missing = select(exists().where(*_blocks_of(course_id), _without(embedding.id)))
        async with self._database.write() as connection:
            # Holds the course's row, so that no other process stores a document meanwhile.
            await _revision(connection, course_id)
            if (await connection.execute(missing)).scalar():
                return False
            await connection.execute(delete(_embeddings).where(*_others(course_id, embedding.id)))
            values = {"embedding": embedding.to_json(), "revision": _courses.c.revision + 1}
            await connection.execute(update(_courses).where(_courses.c.id == course_id).values(values))
            await connection.run_sync(announce, course_id)
        self._database.revised += 1
        return True


async def note_embedding(connection: AsyncConnection, course_id: str, embedding: Embedding) -> None:
    """Note, in the transaction that stores vectors, which embedding the course is searched with.

    Raises `CourseReembedded` where it has vectors of another one already.
    """
    query = select(_courses.c.embedding).where(_courses.c.id == course_id)
    stored = (await connection.execute(query)).scalar()
    if stored is not None and Embedding.model_validate(stored).id == embedding.id:
        return
    others = select(exists().where(*_others(course_id, embedding.id)))
    if (await connection.execute(others)).scalar():
        raise CourseReembedded(
            f"The course {course_id!r} is embedded with another embedding than {embedding}; it was changed while this "
            "ran. Run the command again."
        )
    await connection.execute(update(_courses).where(_courses.c.id == course_id).values(embedding=embedding.to_json()))


async def _revision(connection: AsyncConnection, course_id: str) -> int | None:
    """The course's revision, which stays as it is until the end of this transaction."""
    query = select(_courses.c.revision).where(_courses.c.id == course_id).with_for_update()
    revision: int | None = (await connection.execute(query)).scalar()
    return revision


def _blocks_of(course_id: str) -> tuple[ColumnElement[bool], ...]:
    return (_nodes.c.course_id == course_id, _nodes.c.kind == NodeKind.BLOCK)


def _others(course_id: str, embedding_id: str) -> tuple[ColumnElement[bool], ...]:
    return (_embeddings.c.course_id == course_id, _embeddings.c.model != embedding_id)


def _without(embedding_id: str) -> ColumnElement[bool]:
    return ~exists().where(_embeddings.c.node_id == _nodes.c.id, _embeddings.c.model == embedding_id)

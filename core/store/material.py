"""A course's documents, their trees and embeddings, in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, and_, case, func, or_, select

from core.embedding import Embedding
from core.store.corrections import apply as apply_corrections
from core.store.engine.order import by_code_point
from core.store.engine.topic import Topic
from core.store.facts import NO_FACTS, CourseFacts, insert_facts
from core.store.pairings import pair_of_document
from core.store.revisions import change_material
from core.store.tables import DocumentRow, DocumentState, EmbeddingRow, NodeKind, NodeRow, table_of
from core.store.texts import storable
from core.store.vectors import note_embedding
from core.types import Passage, Position, Source, Usage, Visibility

_documents = table_of(DocumentRow)
_nodes = table_of(NodeRow)
_embeddings = table_of(EmbeddingRow)


_IS_MAIN = _documents.c.variant_of.is_(None)
"""What is searched and read: no variant of another document."""
_VISIBILITY = func.coalesce(_nodes.c.visibility, _documents.c.visibility).label("visibility")
"""Of a block: as staff corrected it, else as its document."""
_PAIR = pair_of_document()
_BLOCKS = (
    select(*(column for column in _nodes.c if column.name != "visibility"), _VISIBILITY,
           _documents.c.name.label("document"), _documents.c.title.label("document_title"),
           _documents.c.source, _PAIR.label("pair"), _documents.c.is_solution)
    .join(_documents, _nodes.c.document_id == _documents.c.id)
    .where(_nodes.c.kind == NodeKind.BLOCK)
)  # fmt: skip
_BY_NAME = (_documents.c.source, by_code_point(_documents.c.name))
"""The order of documents."""
INSERT_ROWS = 1_000

T = TypeVar("T")


CLASSIFICATION = ("visibility", "pair", "is_solution", "release_at")
"""Columns of a document that follow from its name and the course file, not from its content."""


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """A leaf with properties of its document. `pair` names the assignment that a solution belongs to.

    `parent_id` and `ordinal` give its position in the document's tree.
    """

    passage: Passage
    pair: str | None
    is_solution: bool
    parent_id: str | None = None
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node of a document's tree, without its text. `usage` is that of its summary; empty for a block."""

    id: str
    document_id: str
    parent_id: str | None
    ordinal: int
    kind: NodeKind
    title: str
    summary: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class StoredVector:
    """The embedding of `text[start:end]` of a block: float32 bytes."""

    block_id: str
    start: int
    end: int
    vector: bytes


@dataclass(frozen=True, slots=True)
class SourceCount:
    """The number of documents and blocks of one source."""

    source: Source
    documents: int
    blocks: int


@dataclass(frozen=True)
class Variants:
    """The names of a course's variants by their main document, and the pair of the main one by a variant's own."""

    names: Mapping[str, tuple[str, ...]]
    pairs: Mapping[str, str | None]

    @classmethod
    def of(cls, variants: Sequence[DocumentRow], mains: Mapping[str, DocumentRow]) -> Variants:
        names: dict[str, tuple[str, ...]] = {}
        pairs: dict[str, str | None] = {}
        own = {main.pair for main in mains.values()}
        for row in variants:
            main = mains.get(row.variant_of or "")
            if main is not None:
                names[main.id] = (*names.get(main.id, ()), row.name)
                if row.pair and row.pair not in own and not row.is_solution:
                    pairs[row.pair] = main.pair
        return cls(names, pairs)

    def name_in(self, block: StoredBlock) -> StoredBlock:
        """The block with the names of its document's variants; a solution of a variant belongs to the main document."""
        names = self.names.get(block.passage.document_id)
        passage = block.passage.model_copy(update={"variants": names}) if names else block.passage
        pair = self.pairs.get(block.pair, block.pair) if block.is_solution and block.pair else block.pair
        return replace(block, passage=passage, pair=pair)


class Material(Topic):
    async def documents(self, course_id: str, source: Source | None = None) -> list[DocumentRow]:
        """The course's documents, ordered by source and name."""
        query = select(_documents).where(_documents.c.course_id == course_id)
        if source is not None:
            query = query.where(_documents.c.source == source)
        return await self._all(DocumentRow, query.order_by(*_BY_NAME))

    async def replace(
        self,
        document: DocumentRow,
        nodes: Sequence[NodeRow],
        embeddings: Sequence[EmbeddingRow],
        embedding: Embedding | None = None,
        facts: CourseFacts = NO_FACTS,
    ) -> None:
        """Store a document with its tree and what it says, in one transaction, in place of the one with its id.

        `embedding` made the vectors, if any. Raises `CourseReembedded`.
        """
        async with change_material(self._database, document.course_id) as connection:
            await connection.execute(_documents.delete().where(_documents.c.id == document.id))
            # Until they are compared with the new version, its variants are documents of their own.
            variants = (_documents.c.course_id == document.course_id, _documents.c.variant_of == document.id)
            await connection.execute(_documents.update().where(*variants).values(variant_of=None))
            await connection.execute(_documents.insert(), storable(document.model_dump()))
            for batch in _batches(nodes):
                await connection.execute(_nodes.insert(), [storable(node.model_dump()) for node in batch])
            if embeddings and embedding:
                await note_embedding(connection, document.course_id, embedding)
            for vectors in _batches(embeddings):
                await connection.execute(_embeddings.insert(), [vector.model_dump() for vector in vectors])
            await connection.run_sync(insert_facts, facts)
            await connection.run_sync(apply_corrections, document.course_id, document.id)

    async def reclassify(self, document: DocumentRow) -> None:
        """Change who may read a stored document, from when, and its pair; its content is not changed.

        A document for staff is neither read in place of one for students nor replaced by one: what it was a variant of,
        or had as variants, are documents of their own until they are compared again.
        """
        values: dict[str, Any] = {name: getattr(document, name) for name in CLASSIFICATION}
        if document.visibility is Visibility.STAFF:
            values["variant_of"] = document.variant_of = None
        async with change_material(self._database, document.course_id) as connection:
            await connection.execute(_documents.update().where(_documents.c.id == document.id).values(values))
            if document.visibility is Visibility.STAFF:
                variants = (_documents.c.course_id == document.course_id, _documents.c.variant_of == document.id)
                await connection.execute(_documents.update().where(*variants).values(variant_of=None))

    async def chars(self, course_id: str) -> dict[str, int]:
        """Characters of text and solutions of each of the course's documents, by document id."""
        length = func.length(_nodes.c.text) + func.length(_nodes.c.solution)
        query = (
            select(_nodes.c.document_id, func.sum(length))
            .where(_nodes.c.course_id == course_id)
            .group_by(_nodes.c.document_id)
        )
        return {document_id: int(chars) for document_id, chars in await self._rows(query)}

    async def staff_shares(self, course_id: str) -> dict[str, float]:
        """The share of each document's characters that only staff may read, by document id."""
        everything = func.length(_nodes.c.text) + func.length(_nodes.c.solution)
        hidden = case((_VISIBILITY.element == Visibility.STAFF, everything), else_=func.length(_nodes.c.solution))
        query = (
            select(_nodes.c.document_id, func.sum(hidden), func.sum(everything))
            .join(_documents, _nodes.c.document_id == _documents.c.id)
            .where(_nodes.c.course_id == course_id, _nodes.c.kind == NodeKind.BLOCK)
            .group_by(_nodes.c.document_id)
        )
        return {document_id: of_staff / chars for document_id, of_staff, chars in await self._rows(query) if chars}

    async def remove(self, course_id: str, document_ids: Iterable[str]) -> None:
        ids = list(document_ids)
        mine = (_documents.c.course_id == course_id, _documents.c.id.in_(ids))
        variants = (_documents.c.course_id == course_id, _documents.c.variant_of.in_(ids))
        async with change_material(self._database, course_id) as connection:
            await connection.execute(_documents.delete().where(*mine))
            await connection.execute(_documents.update().where(*variants).values(variant_of=None))

    async def blocks(self, course_id: str, source: Source | None, at: datetime) -> list[StoredBlock]:
        """The blocks of everything released by `at`, in reading order, each work in one format."""
        query = _BLOCKS.where(_IS_MAIN, *_released(course_id, source, at)).order_by(*_BY_NAME, _nodes.c.ordinal)
        blocks = [_block(row) for row in await self._rows(query)]
        variants = await self.variants(course_id)
        return [variants.name_in(block) for block in blocks] if variants.names else blocks

    async def all_blocks(self, course_id: str, source: Source) -> list[StoredBlock]:
        """The blocks of all documents, variants and those that are not released included, in reading order."""
        mine = (_documents.c.course_id == course_id, _documents.c.source == source)
        return [_block(row) for row in await self._rows(_BLOCKS.where(*mine).order_by(*_BY_NAME, _nodes.c.ordinal))]

    async def variants(self, course_id: str) -> Variants:
        """The variants of the course's documents."""
        query = select(_documents).where(_documents.c.course_id == course_id, _documents.c.variant_of.is_not(None))
        rows = await self._all(DocumentRow, query.order_by(*_BY_NAME))
        ids = {row.variant_of for row in rows}
        query = select(_documents).where(_documents.c.course_id == course_id, _documents.c.id.in_(ids))
        mains = {row.id: row for row in await self._all(DocumentRow, query)} if ids else {}
        return Variants.of(rows, mains)

    async def set_variants(self, course_id: str, source: Source, variants: Mapping[str, str]) -> None:
        """Store which documents of a source are variants of which others; all others are none."""
        rows = await self.documents(course_id, source)
        changed = [row for row in rows if row.variant_of != variants.get(row.id)]
        if not changed:
            return
        async with change_material(self._database, course_id) as connection:
            for row in changed:
                values = {"variant_of": variants.get(row.id)}
                await connection.execute(_documents.update().where(_documents.c.id == row.id).values(values))

    async def blocks_by_id(self, course_id: str, block_ids: Sequence[str]) -> dict[str, StoredBlock]:
        """Those of these blocks that the course has, released or not, by id."""
        query = _BLOCKS.where(_nodes.c.course_id == course_id, _nodes.c.id.in_(block_ids))
        return {row.id: _block(row) for row in await self._rows(query)}

    async def blocks_of(self, course_id: str, document_id: str) -> list[StoredBlock]:
        """The blocks of one document, released or not, in reading order."""
        mine = _BLOCKS.where(_nodes.c.course_id == course_id, _nodes.c.document_id == document_id)
        return [_block(row) for row in await self._rows(mine.order_by(_nodes.c.ordinal))]

    async def vectors(self, course_id: str, source: Source | None, at: datetime, model: str) -> list[StoredVector]:
        """The embeddings by `model` of the same blocks, in the same order."""
        query = (
            select(_embeddings)
            .join(_nodes, _embeddings.c.node_id == _nodes.c.id)
            .join(_documents, _nodes.c.document_id == _documents.c.id)
            .where(_embeddings.c.model == model, _IS_MAIN, *_released(course_id, source, at))
            .order_by(*_BY_NAME, _nodes.c.ordinal, _embeddings.c.ordinal)
        )
        return [StoredVector(row.node_id, row.start, row.end, row.vector) for row in await self._rows(query)]

    async def inner_nodes(self, course_id: str, source: Source | None, at: datetime) -> list[StoredNode]:
        """The inner nodes of everything released by `at`, parents before children."""
        return await self._tree(_nodes.c.kind != NodeKind.BLOCK, _IS_MAIN, *_released(course_id, source, at))

    async def tree(self, course_id: str) -> list[StoredNode]:
        """All nodes of a course, unreleased ones too, parents before children."""
        return await self._tree(_documents.c.course_id == course_id)

    async def _tree(self, *conditions: ColumnElement[bool]) -> list[StoredNode]:
        names = [field.name for field in fields(StoredNode) if field.name != "usage"]
        query = (
            select(*(_nodes.c[name] for name in names), _nodes.c.cost)
            .join(_documents, _nodes.c.document_id == _documents.c.id)
            .where(*conditions)
            .order_by(*_BY_NAME, _nodes.c.ordinal)
        )
        return [_node(row) for row in await self._rows(query)]

    async def next_release(self, course_id: str, after: datetime) -> datetime | None:
        """The time when the next document is released; None if all are."""
        query = select(func.min(_documents.c.release_at)).where(
            _documents.c.course_id == course_id, _documents.c.release_at > after
        )
        moment: datetime | None = await self._scalar(query)
        return moment

    async def counts(self, course_id: str) -> list[SourceCount]:
        """Indexed documents and blocks per source, including those for staff and those not released yet."""
        return await self._counts(_documents.c.course_id == course_id)

    async def counts_for_students(self, course_id: str, at: datetime) -> list[SourceCount]:
        """Indexed documents and blocks per source that students may read at that time."""
        is_public = or_(_nodes.c.visibility.is_(None), _nodes.c.visibility == Visibility.STUDENT)
        return await self._counts(*_readable(course_id, at), blocks=is_public)

    async def readable(self, course_id: str, at: datetime) -> list[DocumentRow]:
        """The documents that students may read at that time, ordered by source and name."""
        is_searched = (_documents.c.state == DocumentState.INDEXED, _IS_MAIN)
        query = select(_documents).where(*is_searched, *_readable(course_id, at))
        return await self._all(DocumentRow, query.order_by(*_BY_NAME))

    async def block_counts(self, course_id: str, at: datetime) -> dict[str, tuple[int, int]]:
        """By document id, its blocks and those of them that students may read at that time."""
        is_public = func.coalesce(_nodes.c.visibility, Visibility.STUDENT) == Visibility.STUDENT
        public = func.sum(case((and_(is_public, *_readable(course_id, at)), 1), else_=0))
        query = (
            select(_nodes.c.document_id, func.count(), public)
            .join(_documents, _nodes.c.document_id == _documents.c.id)
            .where(_nodes.c.course_id == course_id, _nodes.c.kind == NodeKind.BLOCK)
            .group_by(_nodes.c.document_id)
        )
        return {row[0]: (row[1], row[2]) for row in await self._rows(query)}

    async def _counts(self, *conditions: ColumnElement[bool], blocks: Any = True) -> list[SourceCount]:
        is_block = and_(_nodes.c.document_id == _documents.c.id, _nodes.c.kind == NodeKind.BLOCK, blocks)
        query = (
            select(_documents.c.source, func.count(_documents.c.id.distinct()), func.count(_nodes.c.id))
            .outerjoin(_nodes, is_block)
            .where(_documents.c.state == DocumentState.INDEXED, _IS_MAIN, *conditions)
            .group_by(_documents.c.source)
            .order_by(_documents.c.source)
        )
        return [SourceCount(Source(source), documents, texts) for source, documents, texts in await self._rows(query)]


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows in batches: as one statement, those of a large document would be in memory three times."""
    return (rows[start : start + INSERT_ROWS] for start in range(0, len(rows), INSERT_ROWS))


def _released(course_id: str, source: Source | None, at: datetime) -> list[ColumnElement[bool]]:
    """Conditions for a document released by `at`; a solution is released only together with its whole assignment, also
    one that the instructor shows to students.
    """
    own = or_(_documents.c.release_at.is_(None), _documents.c.release_at <= at)
    withheld = select(_documents.c.pair).where(
        _documents.c.course_id == course_id,
        _documents.c.is_solution.is_(False),
        _documents.c.pair.is_not(None),
        _documents.c.release_at > at,
    )
    # A form of the assignment itself is named by the pair; a solution that students may see is named otherwise.
    stem = func.substr(func.lower(_documents.c.name), 1, func.length(_documents.c.pair) + 1)
    is_form = and_(_documents.c.is_solution.is_(False), stem == _documents.c.pair + ".")
    paired = or_(is_form, _PAIR.is_(None), _PAIR.not_in(withheld))
    conditions: list[ColumnElement[bool]] = [_documents.c.course_id == course_id, own, paired]
    return conditions if source is None else [*conditions, _documents.c.source == source]


def _readable(course_id: str, at: datetime) -> list[ColumnElement[bool]]:
    """Conditions for a document that students may read."""
    is_public = (_documents.c.visibility == Visibility.STUDENT, _documents.c.is_solution.is_(False))
    return [*is_public, *_released(course_id, None, at)]


def _block(row: Any) -> StoredBlock:
    passage = Passage(
        block_id=row.id,
        document_id=row.document_id,
        document=row.document,
        title=row.document_title,
        source=Source(row.source),
        visibility=Visibility(row.visibility),
        heading_path=tuple(row.heading_path),
        label=row.label or "",
        text=row.text,
        solution=row.solution,
        position=Position.model_validate(row.position),
        score=0.0,
    )
    return StoredBlock(passage, row.pair, row.is_solution, row.parent_id, row.ordinal)


def _node(row: Any) -> StoredNode:
    values = dict(row._mapping)
    usage = Usage.model_validate(values.pop("cost"))
    return StoredNode(**{**values, "kind": NodeKind(values["kind"])}, usage=usage)

"""Stores what the course's staff said of dates and people as a document, which answers cite."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from core.course.calendar import SET_DATES, SET_DATES_NAME, CalendarEntry
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState, NodeKind, NodeRow
from core.store.vectors import BlockText
from core.types import Position, Source, Visibility
from ingestion.embedding import embed_blocks
from retrievers.calendar.set_dates import blocks_of
from retrievers.embedding.encoder import Encoder

TITLE = "Dates set by the course's staff"
MAX_ROUNDS = 5
"""Changes at the same time that are waited for."""


def id_of_set_dates(course_id: str) -> str:
    """The id of a course's document of set dates."""
    return hashlib.sha256("\0".join((course_id, SET_DATES)).encode()).hexdigest()[:32]


async def store_set_dates(store: Store, encoder: Encoder, course_id: str) -> None:
    """Make the document say what the course's entries say now; without entries there is none.

    Raises `UnknownName`, `CourseReembedded`, and errors of the embedding.
    """
    for _ in range(MAX_ROUNDS):
        entries = await _entries(store, course_id)
        await _store(store, encoder, course_id, entries)
        if await _entries(store, course_id) == entries:
            return


async def _entries(store: Store, course_id: str) -> Mapping[str, CalendarEntry]:
    stored = await store.courses.find(course_id)
    return stored.calendar if stored else {}


async def _store(store: Store, encoder: Encoder, course_id: str, entries: Mapping[str, CalendarEntry]) -> None:
    document_id, blocks = id_of_set_dates(course_id), blocks_of(entries)
    text = "\n\n".join(text for _, text in blocks.values())
    digest = hashlib.sha256(text.encode()).hexdigest()
    rows = await store.material.documents(course_id, Source.LOGISTICS)
    stored = next((row for row in rows if row.id == document_id), None)
    if not blocks:
        if stored:
            await store.material.remove(course_id, [document_id])
        return
    if stored and stored.sha256 == digest:
        return
    document = DocumentRow(
        id=document_id,
        course_id=course_id,
        source=Source.LOGISTICS,
        name=SET_DATES_NAME,
        title=TITLE,
        sha256=digest,
        build=SET_DATES,
        state=DocumentState.INDEXED,
        visibility=Visibility.STUDENT,
    )
    nodes = _nodes(document, blocks)
    texts = [BlockText(node.id, TITLE, tuple(node.heading_path), node.text) for node in nodes[1:]]
    vectors = await embed_blocks(encoder, course_id, texts)
    await store.material.replace(document, nodes, vectors, await encoder.embedding())


def _nodes(document: DocumentRow, blocks: Mapping[str, tuple[str, str]]) -> list[NodeRow]:
    """The document and its blocks, whose ids stay the same as long as an entry has its key."""
    names = ", ".join(name for name, _ in blocks.values())
    root = NodeRow(
        id=f"{document.id}-0",
        course_id=document.course_id,
        document_id=document.id,
        ordinal=0,
        kind=NodeKind.DOCUMENT,
        title=TITLE,
        summary=f"{TITLE}: {names}",
        position=_position(0, sum(len(text) + 2 for _, text in blocks.values())),
    )
    nodes, start = [root], 0
    for key, (name, text) in blocks.items():
        nodes.append(
            NodeRow(
                id=f"{document.id}-{hashlib.sha256(key.encode()).hexdigest()[:16]}",
                course_id=document.course_id,
                document_id=document.id,
                parent_id=root.id,
                ordinal=len(nodes),
                kind=NodeKind.BLOCK,
                title=name,
                heading_path=[name],
                text=text,
                position=_position(start, start + len(text)),
            )
        )
        start += len(text) + 2
    return nodes


def _position(start: int, end: int) -> dict[str, object]:
    return Position(start=start, end=end).model_dump(mode="json", exclude_defaults=True)

"""Stores a decided question as a past question of its course."""

from __future__ import annotations

import hashlib

from core.review import FROM_REVIEW
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState, NodeKind, NodeRow
from core.store.vectors import BlockText
from core.types import Message, Position, Source, Visibility
from ingestion.embedding import embed_blocks
from ingestion.loaders.threads import Thread, ThreadQuestion, thread_lines
from retrievers.embedding.encoder import Encoder


def id_of_promotion(course_id: str, draft_id: str) -> str:
    """The id of the document that a draft becomes."""
    return hashlib.sha256("\0".join((course_id, FROM_REVIEW, draft_id)).encode()).hexdigest()[:32]


async def promote(
    store: Store, encoder: Encoder, course_id: str, draft_id: str, question: ThreadQuestion, answer: Message
) -> None:
    """Store question and answer as a thread, replacing the draft's earlier one. Raises `CourseReembedded`."""
    lines = [line.text for line in thread_lines(Thread(id=draft_id, question=question, thread=(answer,)))]
    title, text = lines[0], "\n".join(lines)
    document_id = id_of_promotion(course_id, draft_id)
    document = DocumentRow(
        id=document_id,
        course_id=course_id,
        source=Source.QA,
        name=f"{FROM_REVIEW}/{draft_id}",
        title="Answered in review",
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        build=FROM_REVIEW,
        state=DocumentState.INDEXED,
        visibility=Visibility.STUDENT,
    )
    position = Position(start=0, end=len(text), cells=(draft_id,)).model_dump(mode="json", exclude_defaults=True)
    root = NodeRow(
        id=f"{document_id}-0",
        course_id=course_id,
        document_id=document_id,
        ordinal=0,
        kind=NodeKind.DOCUMENT,
        title=title,
        summary=title,
        position=position,
    )
    block = NodeRow(
        id=f"{document_id}-1",
        course_id=course_id,
        document_id=document_id,
        parent_id=root.id,
        ordinal=1,
        kind=NodeKind.BLOCK,
        title=title,
        heading_path=[title],
        text=text,
        position=position,
    )
    blocks = [BlockText(block.id, document.title, (title,), text)]
    vectors = await embed_blocks(encoder, course_id, blocks)
    await store.material.replace(document, [root, block], vectors, await encoder.embedding())


async def withdraw(store: Store, course_id: str, draft_id: str) -> None:
    """Remove the thread of a draft from the course, if there is one."""
    await store.material.remove(course_id, [id_of_promotion(course_id, draft_id)])

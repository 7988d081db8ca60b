"""Puts documents into a store without the rest of ingestion."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState, EmbeddingRow, NodeKind, NodeRow
from core.types import Source, Visibility
from retrievers.embedding.base import Embedder
from retrievers.embedding.chunks import chunk_block


@dataclass(frozen=True)
class Block:
    text: str
    heading: str = ""
    label: str | None = None
    solution: str = ""


@dataclass(frozen=True)
class Shelf:
    """Documents of one store, embedded by one model."""

    store: Store
    embedder: Embedder

    async def add(
        self,
        course_id: str,
        name: str,
        blocks: Sequence[Block | str],
        *,
        source: Source = Source.TEXTBOOK,
        pair: str | None = None,
        is_solution: bool = False,
        release_at: datetime | None = None,
        visibility: Visibility = Visibility.STUDENT,
    ) -> None:
        """Store a document, its course as well where there is none yet."""
        if await self.store.courses.find(course_id) is None:
            await self.store.courses.put(course_id, {})
        document_id = hashlib.sha256(f"{course_id}/{source}/{name}".encode()).hexdigest()[:12]
        document = DocumentRow(
            id=document_id,
            course_id=course_id,
            source=source,
            name=name,
            title=name,
            sha256="",
            build="",
            state=DocumentState.INDEXED,
            visibility=visibility,
            pair=pair,
            is_solution=is_solution,
            release_at=release_at,
        )
        nodes = [_node(document, ordinal, block) for ordinal, block in enumerate(blocks)]
        vectors = [vector for node in nodes for vector in self.embeddings(node)]
        await self.store.material.replace(document, nodes, vectors, self.embedder.embedding)

    def embeddings(self, node: NodeRow) -> list[EmbeddingRow]:
        chunks = chunk_block("", node.heading_path, node.text, self.embedder)
        vectors = self.embedder.embed([chunk.text for chunk in chunks])
        return [
            EmbeddingRow(
                node_id=node.id,
                ordinal=ordinal,
                course_id=node.course_id,
                model=self.embedder.embedding.id,
                start=chunk.start,
                end=chunk.end,
                vector=vector.tobytes(),
            )
            for ordinal, (chunk, vector) in enumerate(zip(chunks, vectors, strict=True))
        ]


def _node(document: DocumentRow, ordinal: int, given: Block | str) -> NodeRow:
    block = given if isinstance(given, Block) else Block(given)
    return NodeRow(
        id=f"{document.id}-{ordinal}",
        course_id=document.course_id,
        document_id=document.id,
        ordinal=ordinal,
        kind=NodeKind.BLOCK,
        title=block.heading,
        heading_path=[block.heading] if block.heading else [],
        label=block.label,
        text=block.text,
        solution=block.solution,
        position={"start": 0, "end": len(block.text)},
    )

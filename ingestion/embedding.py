"""Cuts blocks into chunks and embeds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.concurrency import in_thread
from core.embedding import Embedding
from core.store.tables import EmbeddingRow
from core.store.vectors import BlockText
from retrievers.embedding.base import Vectors
from retrievers.embedding.chunks import Chunk, ChunkSizes, chunk_block
from retrievers.embedding.encoder import Encoder

EMBEDDING_BATCH = 16
"""Chunks embedded between two reports of progress; an interruption waits for so many."""

Embedded = Callable[[int, int], None]
"""Called with how many of how many chunks are embedded."""


@dataclass(frozen=True)
class _Located:
    """A chunk with the block that it is from, as the `ordinal`-th."""

    block_id: str
    ordinal: int
    chunk: Chunk


async def chunk_sizes(encoder: Encoder) -> ChunkSizes:
    """Sizes of chunks that the model reads whole, prefix included."""
    embedding = await encoder.embedding()
    prefix = await in_thread(encoder.count_tokens, embedding.passage_prefix) if embedding.passage_prefix else 0
    return ChunkSizes.within(embedding.max_tokens - prefix)


async def embed_blocks(
    encoder: Encoder, course_id: str, blocks: Sequence[BlockText], embedded: Embedded = lambda _done, _total: None
) -> list[EmbeddingRow]:
    """The vectors of the blocks, made batch by batch, so that a cancelled run ends soon."""
    embedding, sizes = await encoder.embedding(), await chunk_sizes(encoder)
    chunks = await in_thread(lambda: list(_chunks(encoder, blocks, sizes)))
    rows: list[EmbeddingRow] = []
    embedded(0, len(chunks))
    for start in range(0, len(chunks), EMBEDDING_BATCH):
        batch = chunks[start : start + EMBEDDING_BATCH]
        vectors = await encoder.passages([located.chunk.text for located in batch])
        rows += _rows(course_id, embedding, batch, vectors)
        embedded(len(rows), len(chunks))
    return rows


def _chunks(encoder: Encoder, blocks: Sequence[BlockText], sizes: ChunkSizes) -> Iterable[_Located]:
    for block in blocks:
        for ordinal, chunk in enumerate(chunk_block(block.title, block.heading_path, block.text, encoder, sizes)):
            yield _Located(block.id, ordinal, chunk)


def _rows(course_id: str, embedding: Embedding, batch: Sequence[_Located], vectors: Vectors) -> Iterable[EmbeddingRow]:
    for located, vector in zip(batch, vectors, strict=True):
        yield EmbeddingRow(
            node_id=located.block_id,
            ordinal=located.ordinal,
            course_id=course_id,
            model=embedding.id,
            start=located.chunk.start,
            end=located.chunk.end,
            vector=vector.astype("<f4").tobytes(),
        )

"""Search by meaning where the question and the material are not both in English."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from core.concurrency import SingleFlight, in_thread
from core.text.language import ENGLISH, language_of
from core.types import Passage
from retrievers.embedding.base import Vectors
from retrievers.embedding.encoder import Encoder
from retrievers.index.semantic import ChunkVectors, MemoryIndex, SemanticIndex

T = TypeVar("T")

SAMPLE_PASSAGES = 40
"""Passages from all over the material by which its language is told."""
SAMPLE_CHARS = 400
"""Of each of them."""


@dataclass(frozen=True)
class Space:
    """The passages' vectors in a multilingual space, with the mean of all taken away.

    The cosines of such vectors are near 0 for unrelated texts, as those of MiniLM are. Without that, texts of a course
    are all alike: unrelated ones had a cosine of .24.
    """

    encoder: Encoder
    semantic: SemanticIndex
    mean: Vectors
    crosses_languages: bool

    async def search(self, query: str, then: Callable[[Vectors], T]) -> T:
        """What `then`, which may block, makes of the query's vector."""
        return await self.encoder.search(query, lambda vector: then(unit(vector - self.mean)))


class OtherLanguages:
    """Chooses the vectors that a query is compared with, by its language and the material's.

    The multilingual ones are made when a query first needs them.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        encoder: Encoder,
        positions: dict[str, int],
        load: Callable[[], Awaitable[ChunkVectors]],
    ) -> None:
        self._material = _language(passages)
        self._encoder = encoder
        self._positions = positions
        self._load = load
        self._loading: SingleFlight[tuple[SemanticIndex, Vectors]] = SingleFlight()
        self._loaded: tuple[SemanticIndex, Vectors] | None = None

    @property
    def bytes(self) -> int:
        """The memory that its vectors take, once they are loaded."""
        if self._loaded is None:
            return 0
        semantic, mean = self._loaded
        return len(semantic.positions) * mean.nbytes

    async def space_for(self, query: str) -> Space | None:
        """None where query and material are both in English, or nothing says otherwise."""
        language = language_of(query) or self._material
        if language == self._material == ENGLISH:
            return None
        semantic, mean = self._loaded or await self._loading.do("", self._read)
        return Space(self._encoder, semantic, mean, crosses_languages=language != self._material)

    async def _read(self) -> tuple[SemanticIndex, Vectors]:
        vectors = await self._load()
        self._loaded = await in_thread(_centred, vectors, self._positions)
        return self._loaded


def unit(vectors: Vectors) -> Vectors:
    """The vectors (shape (..., d)) at length 1; a zero vector stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    normal: Vectors = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return normal


def _centred(vectors: ChunkVectors, positions: dict[str, int]) -> tuple[SemanticIndex, Vectors]:
    mean: Vectors = vectors.matrix.sum(axis=0) / max(len(vectors.block_ids), 1)
    centred = ChunkVectors.of(unit(vectors.matrix - mean), vectors.block_ids)
    return MemoryIndex(centred, positions), mean


def _language(passages: Sequence[Passage]) -> str:
    """The material's language; English where it cannot be told."""
    step = max(1, len(passages) // SAMPLE_PASSAGES)
    text = "\n".join(passage.text[:SAMPLE_CHARS] for passage in passages[::step])
    return language_of(text) or ENGLISH

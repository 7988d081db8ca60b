"""Search over the chunk vectors of one index, and its file on disk."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.store.material import StoredVector
from retrievers.embedding.base import Vectors
from retrievers.index.lexical import Ranking, Scores, best

CHUNKS_PER_PASSAGE = 4
"""Chunks asked for at first per wanted passage; more follow where they belong to too few passages."""


EXACT_UP_TO = 50_000
"""Chunks up to which every vector is compared with the query, which then takes less time than embedding it."""
ROWS_PER_LIST = 40
"""Vectors from which each centre of a partitioned index is learned."""
SHARE_SEARCHED = 16
"""One list of that many is searched: the trade between time and recall (`python -m benchmarks.scale`)."""


@dataclass(frozen=True)
class ChunkVectors:
    """A FAISS index of inner products, with the block that each of its rows belongs to.

    Small ones hold the vectors as they are. Large ones are partitioned into lists around centres, of which the nearest
    are searched, with 8 bits a dimension.
    """

    faiss: Any
    block_ids: tuple[str, ...]

    @classmethod
    def build(cls, vectors: Sequence[StoredVector], dimension: int) -> ChunkVectors:
        """Raises `ValueError` where a vector does not have that dimension."""
        return cls.of(_rows_of(vectors, dimension), tuple(vector.block_id for vector in vectors))

    @classmethod
    def of(cls, matrix: Vectors, block_ids: tuple[str, ...]) -> ChunkVectors:
        """An index of the rows of `matrix`, shape (n, d)."""
        import faiss

        rows = np.ascontiguousarray(matrix, dtype=np.float32)
        index = faiss.IndexFlatIP(rows.shape[1]) if len(rows) <= EXACT_UP_TO else _partitioned(rows)
        index.add(rows)
        return cls(index, block_ids)

    @cached_property
    def matrix(self) -> Vectors:
        """All vectors, shape (n, d)."""
        if hasattr(self.faiss, "make_direct_map"):
            self.faiss.make_direct_map()
        vectors: Vectors = self.faiss.reconstruct_n(0, self.faiss.ntotal)
        return vectors

    def to_bytes(self, fingerprint: str) -> bytes:
        import faiss

        header = json.dumps({"fingerprint": fingerprint, "block_ids": self.block_ids})
        return header.encode() + b"\n" + faiss.serialize_index(self.faiss).tobytes()

    @classmethod
    def from_bytes(cls, content: bytes, fingerprint: str) -> ChunkVectors | None:
        """The vectors, or None if they were made from something other than the fingerprint stands for."""
        import faiss

        header, _, body = content.partition(b"\n")
        described = json.loads(header)
        if described["fingerprint"] != fingerprint:
            return None
        return cls(faiss.deserialize_index(np.frombuffer(body, dtype=np.uint8)), tuple(described["block_ids"]))


@dataclass(frozen=True)
class PlainVectors:
    """Vectors as rows of a matrix of shape (n, d), with the block of each; not to be searched."""

    matrix: Vectors
    block_ids: tuple[str, ...]

    @classmethod
    def build(cls, vectors: Sequence[StoredVector], dimension: int) -> PlainVectors:
        """Raises `ValueError` where a vector does not have that dimension."""
        return cls(_rows_of(vectors, dimension), tuple(vector.block_id for vector in vectors))


def _rows_of(vectors: Sequence[StoredVector], dimension: int) -> Vectors:
    flat = np.frombuffer(b"".join(vector.vector for vector in vectors), dtype="<f4")
    return flat.reshape(len(vectors), dimension)


def _partitioned(rows: Vectors) -> Any:
    import faiss

    lists = int(4 * len(rows) ** 0.5)
    index: Any = faiss.index_factory(rows.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.nprobe = max(1, lists // SHARE_SEARCHED)
    index.train(np.ascontiguousarray(rows[:: max(1, len(rows) // (ROWS_PER_LIST * lists))]))
    return index


@dataclass(frozen=True, slots=True)
class NearChunks:
    """Chunks in no order: the positions of their passages, and their cosine similarities to a query."""

    positions: NDArray[np.int64]
    similarities: Scores


class SemanticIndex(ABC):
    """MaxP: a passage is as near to a query as the nearest of its chunks."""

    is_in_memory: bool
    """Whether comparing takes no time to speak of for a small course."""

    def __init__(self, block_ids: Sequence[str], positions: Mapping[str, int]) -> None:
        """`block_ids` are those of the vectors, `positions` maps the ids of blocks to positions in the index; vectors
        of other blocks are ignored."""
        self.positions = positions_of(block_ids, positions)
        self._count = max(positions.values(), default=-1) + 1
        self._with_chunks = len(set(self.positions.tolist()) - {-1})

    def search(self, vector: Vectors, depth: int) -> Ranking:
        """At most `depth` positions by cosine similarity; similarities of 0 or less are left out."""
        return best(self.scores(self.near(vector, depth)), depth)

    def scores(self, chunks: NearChunks) -> Scores:
        """The similarity of every passage, 0 if none of these chunks belongs to it."""
        return highest(chunks.positions, chunks.similarities, self._count)

    @abstractmethod
    def near(self, vector: Vectors, depth: int) -> NearChunks:
        """All chunks; of a large index the nearest, as many as it takes to cover the nearest `depth` passages."""

    @abstractmethod
    def vector(self, position: int) -> Vectors | None:
        """The vector of a passage's first chunk; None if exact vectors are not kept."""

    def _covering(
        self, depth: int, take: Callable[[int], NearChunks], per_passage: int = CHUNKS_PER_PASSAGE
    ) -> NearChunks:
        """What `take` gives for as many chunks as cover `depth` passages: at first `per_passage` for each."""
        wanted, total = min(depth, self._with_chunks), len(self.positions)
        count = min(total, max(depth, 1) * per_passage)
        while True:
            chunks = take(count)
            if count == total or len(np.unique(chunks.positions)) >= wanted:
                return chunks
            count = min(total, count * 4)


class MemoryIndex(SemanticIndex):
    """Over vectors in this process."""

    is_in_memory = True

    def __init__(self, vectors: ChunkVectors, positions: Mapping[str, int]) -> None:
        super().__init__(vectors.block_ids, positions)
        is_exact = len(vectors.block_ids) <= EXACT_UP_TO
        self._exact = vectors.matrix if is_exact else None
        self._lists: Any = None if is_exact else vectors.faiss

    def near(self, vector: Vectors, depth: int) -> NearChunks:
        if self._exact is None:
            return self._covering(depth, partial(self._listed, vector))
        # Not by `@`: BLAS shares it out among threads, which then use up a core for a while, waiting for more.
        return known(self.positions, np.einsum("nd,d->n", self._exact, vector))

    def vector(self, position: int) -> Vectors | None:
        rows = np.flatnonzero(self.positions == position)
        return self._exact[rows[0]] if self._exact is not None and len(rows) else None

    def _listed(self, vector: Vectors, count: int) -> NearChunks:
        similarities, rows = self._lists.search(vector[np.newaxis, :], count)
        # Where its lists hold too little it fills up with -1.
        return known(np.where(rows[0] >= 0, self.positions[rows[0]], -1), similarities[0])


def positions_of(block_ids: Sequence[str], positions: Mapping[str, int]) -> NDArray[np.int64]:
    """The position of each vector's passage, -1 for none."""
    return np.array([positions.get(block_id, -1) for block_id in block_ids], dtype=np.int64)


def known(positions: NDArray[np.int64], similarities: Scores) -> NearChunks:
    """The chunks that have a passage."""
    is_known = positions >= 0
    return NearChunks(positions[is_known], similarities[is_known])


def highest(groups: NDArray[np.int64], values: Scores, count: int) -> Scores:
    """The highest value of each of `count` groups that is above 0, else 0. `groups` has the group of each value."""
    found = np.zeros(count, dtype=np.float32)
    np.maximum.at(found, groups, values)
    return found

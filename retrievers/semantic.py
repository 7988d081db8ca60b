"""Exact search over the chunk vectors of one index, and its file on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.store.material import StoredVector
from retrievers.lexical import Ranking, best

CHUNKS_PER_PLACE = 4
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

    Small ones are exact. Large ones are partitioned into lists around centres, of which the nearest are searched, with
    8 bits a dimension.
    """

    faiss: Any
    block_ids: tuple[str, ...]

    @classmethod
    def build(cls, vectors: Sequence[StoredVector], dimension: int) -> ChunkVectors:
        """Raises `ValueError` where a vector does not have that dimension."""
        import faiss

        flat = np.frombuffer(b"".join(vector.vector for vector in vectors), dtype="<f4")
        rows = np.ascontiguousarray(flat.reshape(len(vectors), dimension), dtype=np.float32)
        index = faiss.IndexFlatIP(dimension) if len(rows) <= EXACT_UP_TO else _partitioned(rows)
        index.add(rows)
        return cls(index, tuple(vector.block_id for vector in vectors))

    def matrix(self) -> NDArray[np.float32]:
        """All vectors, shape (n, d)."""
        if hasattr(self.faiss, "make_direct_map"):
            self.faiss.make_direct_map()
        vectors: NDArray[np.float32] = self.faiss.reconstruct_n(0, self.faiss.ntotal)
        return vectors

    def to_bytes(self, fingerprint: str) -> bytes:
        import faiss

        header = json.dumps({"fingerprint": fingerprint, "block_ids": self.block_ids})
        return header.encode() + b"\n" + faiss.serialize_index(self.faiss).tobytes()

    @classmethod
    def from_bytes(cls, content: bytes, fingerprint: str) -> ChunkVectors | None:
        """None where it was made from something else than what the fingerprint stands for."""
        import faiss

        header, _, body = content.partition(b"\n")
        described = json.loads(header)
        if described["fingerprint"] != fingerprint:
            return None
        return cls(faiss.deserialize_index(np.frombuffer(body, dtype=np.uint8)), tuple(described["block_ids"]))


def _partitioned(rows: NDArray[np.float32]) -> Any:
    import faiss

    lists = int(4 * len(rows) ** 0.5)
    index: Any = faiss.index_factory(rows.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.nprobe = max(1, lists // SHARE_SEARCHED)
    index.train(np.ascontiguousarray(rows[:: max(1, len(rows) // (ROWS_PER_LIST * lists))]))
    return index


@dataclass(frozen=True, slots=True)
class NearChunks:
    """Chunks near a query, best first: the places they belong to, and their cosine similarities."""

    places: NDArray[np.int64]
    similarities: NDArray[np.float32]


class SemanticIndex:
    """MaxP: a passage is as near to a query as the nearest of its chunks."""

    def __init__(self, vectors: ChunkVectors, places: Mapping[str, int]) -> None:
        """`places` maps the ids of blocks to places in the index; vectors of other blocks are passed over."""
        self._faiss = vectors.faiss
        self.places: NDArray[np.int64] = np.array(
            [places.get(block_id, -1) for block_id in vectors.block_ids], dtype=np.int64
        )
        self._count = len(set(self.places.tolist()) - {-1})

    def search(self, vector: NDArray[np.float32], depth: int) -> Ranking:
        """At most `depth` places by cosine similarity; those at a right angle or more to the query are left out."""
        return self.ranking(self.nearest(vector, depth), depth)

    def nearest(self, vector: NDArray[np.float32], depth: int) -> NearChunks:
        """The chunks nearest to the query, as many as it takes to know the nearest `depth` places."""
        wanted, total = min(depth, self._count), len(self.places)
        count = min(total, depth * CHUNKS_PER_PLACE) if wanted else 0
        while count:
            similarities, rows = self._faiss.search(vector[np.newaxis, :], count)
            # A partitioned index fills up with -1 where its lists hold too little.
            places = np.where(rows[0] >= 0, self.places[rows[0]], -1)
            known = places >= 0
            if count == total or len(np.unique(places[known])) >= wanted:
                return NearChunks(places[known], similarities[0][known])
            count = min(total, count * 4)
        return NearChunks(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))

    def vector(self, place: int) -> NDArray[np.float32] | None:
        """The vector of a passage's first chunk; None where the index is too large to keep them as they are."""
        rows = np.flatnonzero(self.places == place)
        if not len(rows) or len(self.places) > EXACT_UP_TO:
            return None
        vector: NDArray[np.float32] = self._faiss.reconstruct(int(rows[0]))
        return vector

    @staticmethod
    def ranking(chunks: NearChunks, depth: int) -> Ranking:
        """The places of these chunks."""
        scores = np.zeros(int(chunks.places.max(initial=-1)) + 1, dtype=np.float32)
        np.maximum.at(scores, chunks.places, chunks.similarities)
        return best(scores, depth)

"""Search by meaning where the vectors stay in the database (pgvector)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.embedding import Embedding
from core.errors import StorageUnavailable
from core.store.nearest import NearestChunks, VectorRows
from core.types import Source
from retrievers.embedding.base import Vectors
from retrievers.index.semantic import NearChunks, SemanticIndex, known, positions_of

CHUNKS_PER_PASSAGE = 2
"""Fewer than in memory: each one more takes the server's time. More follow where they belong to too few passages."""
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class CourseVectorsThere:
    """Which vectors of the database an index is searched with."""

    nearest: NearestChunks
    course_id: str
    source: Source | None
    embedding: Embedding
    rows: VectorRows


class DatabaseIndex(SemanticIndex):
    """Over vectors in the database. All are compared, unless the course has a graph, which gives the nearest.

    Its methods block: to be called on a thread.
    """

    is_in_memory = False

    def __init__(self, there: CourseVectorsThere, positions: Mapping[str, int], samples: Mapping[int, Vectors]) -> None:
        """`samples` are the vectors of some passages' first chunks."""
        super().__init__(there.rows.block_ids, positions)
        self._there = there
        self._by_id = positions
        self._samples = samples

    def near(self, vector: Vectors, depth: int) -> NearChunks:
        """Nothing while the database is away: then words alone decide."""
        try:
            return self._near(vector, depth)
        except StorageUnavailable as error:
            log.warning("A search in %s compares words alone: %s", self._there.course_id, error)
            return known(positions_of([], self._by_id), np.zeros(0, dtype=np.float32))

    def _near(self, vector: Vectors, depth: int) -> NearChunks:
        there = self._there
        if not there.rows.has_graph:
            revision, similarities = there.nearest.similarities(
                there.course_id, there.embedding.id, there.source, vector
            )
            if revision == there.rows.revision and len(similarities) == len(self.positions):
                return known(self.positions, similarities)
        # By id as well where the material has changed since this index was loaded.
        return self._covering(depth, partial(self._nearest, vector), CHUNKS_PER_PASSAGE)

    def vector(self, position: int) -> Vectors | None:
        return self._samples.get(position)

    def _nearest(self, vector: Vectors, count: int) -> NearChunks:
        there = self._there
        rows = there.nearest.nearest(there.course_id, there.embedding.id, there.source, vector, count)
        similarities = np.array([similarity for _, similarity in rows], dtype=np.float32)
        return known(positions_of([block_id for block_id, _ in rows], self._by_id), similarities)

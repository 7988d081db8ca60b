"""Stand-ins that tests share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from core.types import Source
from pipelines.router import Held
from retrievers.affinity import Affinities, Affinity
from retrievers.embedding import Vectors
from retrievers.tokens import tokenize

_WORD = re.compile(r"\w+|[^\w\s]")


class FakeEmbedder:
    """Texts that share words are near each other; no model, the same in every process."""

    def __init__(self, model: str = "fake", dimension: int = 1024) -> None:
        self.model = model
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in tokenize(text):
                vectors[row, crc32(word.encode("utf-8", "replace")) % self.dimension] += 1
            if not vectors[row].any():
                vectors[row, 0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def count_tokens(self, text: str) -> int:
        return len(_WORD.findall(text))


def held_as(*near: Source) -> Held:
    """How the offline router sees a course whose material of these kinds is near to every question, the rest far."""
    affinities = Affinities(
        np.zeros(2, dtype=np.float32),
        {source: Affinity(9.0, 5.0, 0.7, 0.5) if source in near else Affinity(2.0, 1.0, 0.2, 0.1) for source in Source},
    )

    async def held(course_id: str, query: str, text: str) -> Affinities:
        return affinities

    return held

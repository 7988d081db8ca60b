"""Stand-ins that tests share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

import numpy as np

from core.embedding import Embedding
from core.types import Source
from retrievers.affinity import MEASURES, QuestionAffinity
from retrievers.embedding.base import Vectors
from retrievers.embedding.embeddings import Embeddings
from retrievers.tokens import tokenize

_WORD = re.compile(r"\w+|[^\w\s]")


class FakeEmbedder:
    """Texts that share words are near each other; no model, the same in every process."""

    def __init__(self, model: str = "fake", dimension: int = 1024) -> None:
        self.model = model
        self.dimension = dimension
        self.embedding = Embedding(source=model, name=model, dimension=dimension, max_tokens=254)

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


def fake_embeddings(model: str = "fake", dimension: int = 1024) -> Embeddings:
    """Embeddings whose built-in model is a `FakeEmbedder`."""
    return Embeddings(FakeEmbedder(model, dimension))


class Nearest:
    """A course whose material of these kinds is near to every question, and the rest far, as the router sees it."""

    def __init__(self, *near: Source, named: Mapping[Source, float] | None = None, task: str = "") -> None:
        self.named = {**dict.fromkeys(Source, 0.0), **(named or {})}
        self._nearness = np.array([[1.5 if source in near else -0.5 for source in Source]] * len(MEASURES))
        self._embedder = FakeEmbedder()
        self.kinds = frozenset(Source)
        self._task = task

    async def measure(self, course_id: str, query: str, texts: Sequence[str]) -> QuestionAffinity:
        return QuestionAffinity(self._nearness, self.named, await self.embed(texts), self.kinds, self._task)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed(texts)


class RareWords:
    """A course in which every word is rare, as the offline writer sees it."""

    async def of(self, course_id: str, tokens: Iterable[str]) -> dict[str, float]:
        return dict.fromkeys(tokens, 1.0)

"""What courses are embedded and searched with: a model on this machine, or one behind an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from core.concurrency import in_thread
from core.embedding import Embedding
from core.errors import SetupError
from retrievers.embedding.base import Embedder, Vectors, checked
from retrievers.embedding.queries import QueryEmbedder

T = TypeVar("T")


class Encoder(Protocol):
    """Turns passages and queries into vectors of one space.

    Its methods raise `SetupError` where the model cannot be loaded, `BadVectors` where what it gives cannot be used,
    and the kinds of `ModelError` where it is behind an endpoint that fails.
    """

    async def embedding(self) -> Embedding:
        """What it is. Loads the model where that is not known before."""
        ...

    async def warm_up(self) -> None:
        """Load what the first query would else wait for."""
        ...

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """A vector of length 1 per text, float32 of shape (n, d)."""
        ...

    async def query(self, text: str) -> Vectors:
        """The query's vector, float32 of shape (d,), length 1."""
        ...

    async def search(self, text: str, then: Callable[[Vectors], T]) -> T:
        """What `then`, which may block, makes of the query's vector."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as the model counts them. Blocks."""
        ...


class LocalEncoder:
    """A model on this machine."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._queries = QueryEmbedder(embedder)

    async def embedding(self) -> Embedding:
        return await in_thread(lambda: self._embedder.embedding)

    async def warm_up(self) -> None:
        await self.query("warm-up")

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return await in_thread(self._passages, texts)

    async def query(self, text: str) -> Vectors:
        return await self._queries.embed(text)

    async def search(self, text: str, then: Callable[[Vectors], T]) -> T:
        return await self._queries.search(text, then)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def _passages(self, texts: Sequence[str]) -> Vectors:
        embedding = self._embedder.embedding
        vectors = self._embedder.embed([embedding.passage_prefix + text for text in texts])
        return checked(vectors, len(texts), embedding)


class Unavailable:
    """In place of an encoder where there is none for a course's vectors: every use raises `problem`."""

    def __init__(self, problem: SetupError) -> None:
        self._problem = problem

    async def embedding(self) -> Embedding:
        raise self._problem

    async def warm_up(self) -> None:
        raise self._problem

    async def passages(self, texts: Sequence[str]) -> Vectors:
        raise self._problem

    async def query(self, text: str) -> Vectors:
        raise self._problem

    async def search(self, text: str, then: Callable[[Vectors], T]) -> T:
        raise self._problem

    def count_tokens(self, text: str) -> int:
        raise self._problem

"""An embedding model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from core.concurrency import SingleFlight, in_thread
from core.embedding import Embedding
from core.errors import ForeignVectors, SetupError
from retrievers.embedding.base import Vectors, checked
from retrievers.embedding.chunks import query_windows

BATCH = 32
"""Texts in one request."""
BYTES_PER_TOKEN = 3
"""Fewer than the tokenizers of today's models need in any language, so that no text is too long for the model."""

T = TypeVar("T")


class EmbeddingEndpoint(Protocol):
    """An alias of the models file that embeds texts."""

    @property
    def embedding(self) -> Embedding: ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector per text, in their order. Raises the kinds of `ModelError`."""
        ...


Endpoints = Callable[[str], EmbeddingEndpoint]
"""Finds an alias; raises `SetupError` where the models file has none of that name that embeds texts."""


class EndpointEncoder:
    """The model behind an alias, looked up for each use, since the models file may be read again.

    With `record`, it is the one that made a course's vectors: `ForeignVectors` is raised where the alias is gone, or
    stands for another model by now.
    """

    def __init__(self, alias: str, endpoints: Endpoints, record: Embedding | None = None) -> None:
        self._alias = alias
        self._endpoints = endpoints
        self._record = record
        self._queries: SingleFlight[Vectors] = SingleFlight()

    async def embedding(self) -> Embedding:
        return self._record or self._endpoint().embedding

    async def warm_up(self) -> None:
        """Nothing is loaded here, and an endpoint that is away now may be back for the first query."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        prefix = (await self.embedding()).passage_prefix
        return await self._embedded([prefix + text for text in texts])

    async def query(self, text: str) -> Vectors:
        return await self._queries.do(text, lambda: self._query(text))

    async def search(self, text: str, then: Callable[[Vectors], T]) -> T:
        return await in_thread(then, await self.query(text))

    def count_tokens(self, text: str) -> int:
        """An estimate: endpoints do not tell how they count."""
        return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)

    async def _query(self, text: str) -> Vectors:
        """A query longer than the model reads is the mean of its windows."""
        embedding = await self.embedding()
        windows = query_windows(text, self, embedding.max_tokens)
        mean: Vectors = (await self._embedded([embedding.query_prefix + window for window in windows])).mean(axis=0)
        return mean / max(float(np.linalg.norm(mean)), 1e-12)

    async def _embedded(self, texts: Sequence[str]) -> Vectors:
        endpoint = self._endpoint()
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH):
            found += await endpoint.embed(texts[start : start + BATCH])
        vectors = np.array(found, dtype=np.float32).reshape(len(texts), -1)
        checked(vectors, len(texts), endpoint.embedding)
        scaled: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return scaled

    def _endpoint(self) -> EmbeddingEndpoint:
        if self._record is None:
            return self._endpoints(self._alias)
        try:
            endpoint = self._endpoints(self._alias)
        except SetupError as error:
            raise ForeignVectors(f"{error} It made the vectors of a course, {ADVICE}") from error
        if endpoint.embedding.id != self._record.id:
            raise ForeignVectors(
                f"The alias {self._alias!r} of the models file stands for {endpoint.embedding} now. Before, it was "
                f"{self._record} that made the vectors of a course, {ADVICE}"
            )
        return endpoint


ADVICE = (
    "which cannot be searched by meaning now. Make it available again, or run `edumod course embed` for the course "
    "to make its vectors again with the embedding of EDUMOD_EMBEDDING. The retriever bm25 works without them."
)
"""What to do about vectors whose embedding cannot be used."""

"""Which embedding new vectors are made with, and which one a course's stored vectors are searched with."""

from __future__ import annotations

from collections.abc import Sequence

from core.embedding import Embedding
from core.errors import ForeignVectors, SetupError
from retrievers.embedding.base import BUILTIN, Embedder, Vectors
from retrievers.embedding.encoder import Encoder, LocalEncoder
from retrievers.embedding.endpoint import ADVICE, EndpointEncoder, Endpoints
from retrievers.embedding.local import SentenceTransformerEmbedder, find_model


class Embeddings:
    """All embeddings of one process. Models are loaded on first use, once each."""

    def __init__(
        self,
        builtin: Embedder,
        source: str = BUILTIN,
        *,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        threads: int = 1,
        aliases: frozenset[str] = frozenset(),
        endpoints: Endpoints | None = None,
        multilingual: Embedder | None = None,
    ) -> None:
        """`source` is the value of EDUMOD_EMBEDDING; the prefixes replace those of a local model's own files.

        `endpoints` finds `aliases`, those of the models file that embed texts. Raises `SetupError` where there is
        nothing of that name.
        """
        self.builtin_embedding = builtin.embedding
        self.builtin_model = builtin
        self._threads = threads
        self._endpoints = endpoints
        self._models: dict[str, Embedder] = {BUILTIN: builtin}
        self._encoders: dict[str, Encoder] = {}
        self.builtin: Encoder = LocalEncoder(builtin)
        """What the offline router sees questions with, whatever courses are embedded with."""
        self.multilingual: Encoder | None = LocalEncoder(multilingual) if multilingual else None
        """What questions and material are compared with that are not both in English, beside the built-in model."""
        self.configured: Encoder = self.builtin
        """What new vectors are made with."""
        if endpoints is not None and source in aliases and source != BUILTIN:
            self.configured = EndpointEncoder(source, endpoints)
        elif source != BUILTIN or query_prefix or passage_prefix:
            self._demand(source)
            self.configured = LocalEncoder(_Prefixed(self._model(source), query_prefix, passage_prefix))

    def of(self, record: Embedding) -> Encoder:
        """What searches vectors that were made by the embedding `record`. Using it raises `ForeignVectors` where that
        is not to be had any more."""
        if record.id == self.builtin_embedding.id:
            return self.builtin
        if record.id not in self._encoders:
            self._encoders[record.id] = self._remembered(record)
        return self._encoders[record.id]

    def _remembered(self, record: Embedding) -> Encoder:
        if self._endpoints is not None and record.weights.startswith(f"{record.source}/"):
            return EndpointEncoder(record.source, self._endpoints, record)
        return LocalEncoder(_Remembered(self._model(record.source), record))

    def _model(self, source: str) -> Embedder:
        if source not in self._models:
            self._models[source] = SentenceTransformerEmbedder(source, self._threads)
        return self._models[source]

    def _demand(self, source: str) -> None:
        if source != BUILTIN:
            find_model(source)


class _Prefixed:
    """A model with other prefixes than its files name. It reads as much less as they are long."""

    def __init__(self, model: Embedder, query_prefix: str | None, passage_prefix: str | None) -> None:
        self._model = model
        given = {"query_prefix": query_prefix, "passage_prefix": passage_prefix}
        self._changes = {name: prefix for name, prefix in given.items() if prefix is not None}

    @property
    def embedding(self) -> Embedding:
        return self._model.embedding.model_copy(update=self._changes)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._model.embed(texts)

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)


class _Remembered:
    """The model that made a course's vectors, used only as long as it is the same."""

    def __init__(self, model: Embedder, record: Embedding) -> None:
        self._model = model
        self.embedding = record

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._demand_same()
        return self._model.embed(texts)

    def count_tokens(self, text: str) -> int:
        self._demand_same()
        return self._model.count_tokens(text)

    def _demand_same(self) -> None:
        record = self.embedding
        try:
            now = self._model.embedding
        except SetupError as error:
            raise ForeignVectors(
                f"{error} The model {record.source!r} made the vectors of a course, {ADVICE}"
            ) from error
        if (now.weights, now.dimension) != (record.weights, record.dimension):
            raise ForeignVectors(
                f"The model {record.source!r} was replaced by another one. The earlier one made the vectors of a "
                f"course, {ADVICE}"
            )

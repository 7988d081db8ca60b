"""Builds the embedding of the settings: built-in, local, or an alias of the models file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.models.chat import read_models_file
from app.operation.variables import environment
from core.embedding import Embedding
from core.errors import SetupError, UnknownName
from core.llm.breaker import Breaker
from core.llm.catalogue import ModelEntry
from core.llm.endpoint import SetBy
from core.llm.openai import OpenAILLM
from core.settings import Settings
from retrievers.embedding.base import Embedder
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.minilm import MiniLM
from retrievers.embedding.multilingual import MultilingualEncoder


@dataclass(frozen=True)
class AliasEndpoint:
    """The model that an alias of the models file stands for."""

    embedding: Embedding
    llm: OpenAILLM

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector per text. Raises the kinds of `ModelError`."""
        return (await self.llm.embed(texts, self.embedding.dimension)).value


@dataclass(frozen=True)
class _Client:
    """The client of an alias, with the entry and the key that it was made with."""

    entry: ModelEntry
    key: str = field(repr=False)
    endpoint: AliasEndpoint


class AliasEndpoints:
    """The aliases that embed texts, with one client each, made on first use."""

    def __init__(self, settings: Settings, *, patient: bool = False) -> None:
        """`patient` clients wait while the circuit breaker is open, see `Breaker`."""
        self._settings = settings
        self._patient = patient
        self._clients: dict[str, _Client] = {}
        self._replaced: list[AliasEndpoint] = []
        self._catalogue = read_models_file(settings)

    def reload(self) -> None:
        """Read the models file and its keys again. Raises `InvalidInput` where it is wrong; then all stays."""
        self._catalogue = read_models_file(self._settings)
        for alias, client in list(self._clients.items()):
            if self._catalogue.embeddings.get(alias) != client.entry or _key(client.entry) != client.key:
                # Work under way ends with the client that it began with.
                self._replaced.append(self._clients.pop(alias).endpoint)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._catalogue.embeddings)

    def __call__(self, alias: str) -> AliasEndpoint:
        """Raises `SetupError` where there is no such alias, or its key is missing."""
        try:
            entry = self._catalogue.embedding(alias)
        except UnknownName as error:
            raise SetupError(f"EDUMOD_EMBEDDING, models file: {error}") from error
        if alias not in self._clients:
            key = _key(entry)
            _demand_key(alias, entry, key)
            endpoint = AliasEndpoint(embedding_of(alias, entry), self._client(alias, entry, key))
            self._clients[alias] = _Client(entry, key, endpoint)
        return self._clients[alias].endpoint

    async def aclose(self) -> None:
        for endpoint in (*self._replaced, *(client.endpoint for client in self._clients.values())):
            await endpoint.llm.aclose()

    def _client(self, alias: str, entry: ModelEntry, key: str) -> OpenAILLM:
        settings = self._settings
        return OpenAILLM(
            base_url=entry.base_url,
            api_key=key,
            model=entry.model,
            deadline_seconds=entry.deadline_seconds or settings.llm_deadline_seconds,
            max_retries=settings.llm_max_retries,
            concurrency=entry.concurrency or settings.llm_concurrency,
            max_reply_bytes=settings.llm_max_reply_bytes,
            breaker=Breaker(patient=self._patient),
            set_by=SetBy.alias(alias, entry.api_key_env),
        )


def embedding_of(alias: str, entry: ModelEntry) -> Embedding:
    """The embedding that an entry with `embedding` describes."""
    assert entry.embedding is not None
    own = entry.embedding.model_dump()
    return Embedding(source=alias, name=alias, weights=f"{alias}/{entry.model}", **own)


def build_embeddings(settings: Settings, endpoints: AliasEndpoints, builtin: Embedder | None = None) -> Embeddings:
    """The embeddings of the settings; `builtin` replaces the shipped model in tests.

    Raises `SetupError` if EDUMOD_EMBEDDING names nothing known.
    """
    threads = settings.embedding_threads or 1
    return Embeddings(
        builtin or MiniLM(threads),
        settings.embedding,
        query_prefix=settings.embedding_query_prefix,
        passage_prefix=settings.embedding_passage_prefix,
        threads=threads,
        aliases=endpoints.names,
        endpoints=endpoints,
        multilingual=MultilingualEncoder(),
    )


def _key(entry: ModelEntry) -> str:
    return "none" if entry.api_key_env is None else environment().get(entry.api_key_env, "").strip()


def _demand_key(alias: str, entry: ModelEntry, key: str) -> None:
    if not key:
        raise SetupError(
            f"The embedding model {alias!r} cannot be asked: the environment variable {entry.api_key_env}, which is to "
            "hold its key, is not set. Set it and start again."
        )

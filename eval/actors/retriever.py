"""`retriever:NAME`, or `retriever:NAME@MODEL`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from core.llm.base import LLM, Sampling
from core.types import Source
from eval.actors.base import ActorKind
from eval.datasets.queries import KIND, MAX_RANK, Query
from eval.setups.retrieval import RetrievalSetup
from retrievers import retriever_named
from retrievers.functions import retrieve
from retrievers.options import RetrieverOptions

DEPTH = 50
"""Passages requested from a retriever, before they are mapped to the locations used in labels."""


@dataclass(frozen=True)
class RetrieverActor(ActorKind[Query]):
    """A retriever of the product. A query whose kind is a source is searched in that source, as its function does.

    Those that ask a model ask the default one, or the one that is named.
    """

    kind: ClassVar[str] = "retriever"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "NAME[@MODEL]"

    retriever: str
    setup: RetrievalSetup
    model: str | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.retriever if self.model is None else f"{self.retriever}@{self.model}"

    @property
    def identity(self) -> str:
        return f"{self.name}, {DEPTH} passages for {self.setup.audience}"

    @classmethod
    def made(cls, spec: str, setup: RetrievalSetup) -> Self:
        name, _, model = spec.partition("@")
        return cls(retriever_named(name).name, setup, model or None)

    async def act(self, item: Query, seed: int, llm: LLM) -> list[str]:
        setup = self.setup
        source = Source(item.kind) if item.kind in set(Source) else None
        found = await retrieve(
            setup.indexes, setup.course_id, source, item.text,
            retriever=self.retriever, top_k=DEPTH, llm=llm, audience=setup.audience,
            options=RetrieverOptions(sampling=Sampling(model=self.model)),
        )  # fmt: skip
        return list(dict.fromkeys(setup.location_of(item, passage) for passage in found))[:MAX_RANK]

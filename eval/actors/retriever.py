"""`retriever:NAME`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from core.llm.base import LLM
from core.types import Source
from eval.actors.base import ActorKind
from eval.datasets.queries import KIND, MAX_RANK, Query
from eval.setups.retrieval import RetrievalSetup
from retrievers import retriever_named
from retrievers.functions import retrieve

DEPTH = 50
"""Passages requested from a retriever, before they are mapped to the locations used in labels."""


@dataclass(frozen=True)
class RetrieverActor(ActorKind[Query]):
    """A retriever of the product. A query whose kind is a source is searched in that source, as its function does."""

    kind: ClassVar[str] = "retriever"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "NAME"

    name: str
    setup: RetrievalSetup

    @property
    def identity(self) -> str:
        return f"{self.name}, {DEPTH} passages for {self.setup.audience}"

    @classmethod
    def made(cls, spec: str, setup: RetrievalSetup) -> Self:
        return cls(retriever_named(spec).name, setup)

    async def act(self, item: Query, seed: int, llm: LLM) -> list[str]:
        setup = self.setup
        source = Source(item.kind) if item.kind in set(Source) else None
        found = await retrieve(
            setup.indexes, setup.course_id, source, item.text,
            retriever=self.name, top_k=DEPTH, llm=llm, audience=setup.audience,
        )  # fmt: skip
        return list(dict.fromkeys(setup.location_of(item, passage) for passage in found))[:MAX_RANK]

"""What every retriever of ours is: a llama-index retriever over one course index, async first."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from core.llm.base import LLM
from core.types import Passage
from retrievers.index import CourseIndex
from retrievers.lexical import Ranking


class CourseRetriever(BaseRetriever):
    """Ranks the passages of one index. A new one is made for each search, which costs nothing.

    A subclass says how to rank. `llm` is for those that ask a model.
    """

    def __init__(self, index: CourseIndex, *, top_k: int, llm: LLM | None = None) -> None:
        super().__init__()
        self.index = index
        self.top_k = top_k
        self.llm = llm

    @abstractmethod
    async def rank(self, query: str) -> Ranking:
        """Places in the index, best first; what comes after the first `top_k` is left out. The query is not empty."""

    async def search(self, query: str) -> list[Passage]:
        """The best passages with their scores, without going through llama-index."""
        passages = self.index.passages
        return [passages[place].model_copy(update={"score": score}) for place, score in await self._ranked(query)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = self.index.nodes
        return [
            NodeWithScore(node=nodes[place], score=score) for place, score in await self._ranked(query_bundle.query_str)
        ]

    async def _ranked(self, query: str) -> Ranking:
        query = query.strip()
        if not query or not self.index.passages or self.top_k < 1:
            return []
        return (await self.rank(query))[: self.top_k]

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """For llama-index's synchronous engines. Called within a running event loop, it blocks that loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._aretrieve(query_bundle))
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(asyncio.run, self._aretrieve(query_bundle)).result()

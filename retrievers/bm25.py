"""Lexical retrieval."""

from __future__ import annotations

from retrievers.base import CourseRetriever
from retrievers.index.lexical import Ranking


class Bm25(CourseRetriever):
    """Passages that share words with the query (BM25)."""

    async def rank(self, query: str) -> Ranking:
        return await self.index.lexical(query, self.top_k)

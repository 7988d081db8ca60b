"""Semantic retrieval."""

from __future__ import annotations

from retrievers.base import CourseRetriever
from retrievers.index.lexical import Ranking


class Vector(CourseRetriever):
    """Passages with the chunk nearest to the query (cosine similarity of embeddings)."""

    async def rank(self, query: str) -> Ranking:
        return await self.index.semantic(query, self.top_k)

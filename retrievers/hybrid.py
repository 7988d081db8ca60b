"""Lexical and semantic retrieval as one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import ClassVar

from retrievers.base import CourseRetriever
from retrievers.lexical import Ranking


class Hybrid(CourseRetriever):
    """The sum of both scores, each divided by its best one for this query.

    A convex combination with 0 as the lower bound of both scores (Bruch, Gai, Ingber: An Analysis of Fusion Functions
    for Hybrid Retrieval, 2023). Unlike ranks, scores keep how far ahead a passage is. A passage that one side did not
    find within `depth` gets nothing from it.
    """

    depth: ClassVar[int] = 100
    semantic_weight: ClassVar[float] = 0.6

    async def rank(self, query: str) -> Ranking:
        depth = max(self.depth, self.top_k)
        lexical, semantic = await asyncio.gather(self.index.lexical(query, depth), self.index.semantic(query, depth))
        return self.fuse(lexical, semantic)

    def fuse(self, lexical: Ranking, semantic: Ranking) -> Ranking:
        scores: defaultdict[int, float] = defaultdict(float)
        for ranking, weight in ((lexical, 1 - self.semantic_weight), (semantic, self.semantic_weight)):
            for place, score in ranking:
                scores[place] += weight * score / ranking[0][1]
        return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


class ReciprocalRank(Hybrid):
    """The sum of both reciprocal ranks (Cormack, Clarke, Buettcher, 2009), to compare with."""

    constant: ClassVar[int] = 60

    def fuse(self, lexical: Ranking, semantic: Ranking) -> Ranking:
        scores: defaultdict[int, float] = defaultdict(float)
        for ranking in (lexical, semantic):
            for rank, (place, _) in enumerate(ranking, 1):
                scores[place] += 1 / (self.constant + rank)
        return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))

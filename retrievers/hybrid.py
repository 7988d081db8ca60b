"""Lexical and semantic retrieval as one."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from retrievers.base import CourseRetriever
from retrievers.lexical import TINY, Ranking, Scores, best


class Hybrid(CourseRetriever):
    """The sum of both scores, each divided by its best one for this query.

    A convex combination with 0 as the lower bound of both scores (Bruch, Gai, Ingber: An Analysis of Fusion Functions
    for Hybrid Retrieval, 2023). Unlike ranks, scores keep how far ahead a passage is.
    """

    depth: ClassVar[int] = 100
    """Passages ranked at least, and compared by meaning at least where there are too many to compare all."""
    semantic_weight: ClassVar[float] = 0.6

    async def rank(self, query: str) -> Ranking:
        depth = max(self.depth, self.top_k)
        found = await self.index.evidence(query, depth, sections=False)
        return best(self.fused(found.lexical, found.semantic), depth)

    def fused(self, lexical: Scores, semantic: Scores) -> Scores:
        """The score of every passage."""
        return self._sum(lexical, lexical.max(initial=0), semantic)

    def _sum(self, lexical: Scores, whole: float, semantic: Scores) -> Scores:
        """`whole` is what lexical scores are a share of."""
        scores: Scores = (1 - self.semantic_weight) / max(whole, TINY) * lexical
        scores += self.semantic_weight / max(semantic.max(initial=0), TINY) * semantic
        return scores


class ReciprocalRank(Hybrid):
    """The sum of both reciprocal ranks (Cormack, Clarke, Buettcher, 2009), to compare with."""

    constant: ClassVar[int] = 60

    def fused(self, lexical: Scores, semantic: Scores) -> Scores:
        fused = np.zeros_like(lexical)
        for scores in (lexical, semantic):
            for rank, (place, _) in enumerate(best(scores, max(self.depth, self.top_k)), 1):
                fused[place] += 1 / (self.constant + rank)
        return fused

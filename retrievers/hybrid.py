"""Lexical and semantic retrieval as one."""

from __future__ import annotations

from collections import defaultdict
from typing import ClassVar

from retrievers.base import CourseRetriever, Found
from retrievers.index.course_index import MatchScores
from retrievers.index.lexical import TINY, Ranking, Scores, best
from retrievers.matches import DEPTH


class Hybrid(CourseRetriever):
    """The sum of both scores, each divided by its best one for this query.

    A convex combination with 0 as the lower bound of both scores (Bruch, Gai, Ingber: An Analysis of Fusion Functions
    for Hybrid Retrieval, 2023). Unlike ranks, scores keep how far ahead a passage is.
    """

    depth: ClassVar[int] = DEPTH
    """Passages that are ranked where no more are asked for, and searched by meaning in a course too large to compare
    all."""
    semantic_weight: ClassVar[float] = 0.6
    across_languages: ClassVar[float] = 0.9
    """The same for a query in another language than the material: only names and numbers are the same words."""

    sections: ClassVar[bool] = False
    """Whether the sections around the passages are compared too."""

    async def rank(self, query: str) -> Ranking:
        return (await self.compare(query)).ranking

    async def follow(self, query: str) -> Found:
        return await self.compare(query)

    async def compare(self, query: str) -> Found:
        """The ranking of all passages, with how well each matches."""
        depth = max(self.depth, self.top_k)
        evidence = await self.index.evidence(query, depth, sections=self.sections)
        return Found(best(self.scores(query, evidence), depth), match=evidence.match)

    def scores(self, query: str, found: MatchScores) -> Scores:
        """The score of every passage."""
        weight = self.across_languages if found.crosses_languages else self.semantic_weight
        return self._sum(found.lexical, found.semantic, weight)

    def _sum(self, lexical: Scores, semantic: Scores, weight: float) -> Scores:
        scores: Scores = (1 - weight) / max(lexical.max(initial=0), TINY) * lexical
        scores += weight / max(semantic.max(initial=0), TINY) * semantic
        return scores


class ReciprocalRank(CourseRetriever):
    """The sum of both reciprocal ranks (Cormack, Clarke, Buettcher, 2009), to compare with."""

    depth: ClassVar[int] = 100
    constant: ClassVar[int] = 60

    async def rank(self, query: str) -> Ranking:
        depth = max(self.depth, self.top_k)
        found = await self.index.evidence(query, depth, sections=False)
        fused: defaultdict[int, float] = defaultdict(float)
        for scores in (found.lexical, found.semantic):
            for rank, (position, _) in enumerate(best(scores, depth), 1):
                fused[position] += 1 / (self.constant + rank)
        return sorted(fused.items(), key=lambda scored: (-scored[1], scored[0]))

"""Lexical and semantic retrieval as one."""

from __future__ import annotations

from collections import defaultdict
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.base import CourseRetriever
from retrievers.lexical import Ranking

Places = NDArray[np.int64]
FusedScores = NDArray[np.float64]
TINY = 1e-9


class Hybrid(CourseRetriever):
    """The sum of both scores, each divided by its best one for this query.

    A convex combination with 0 as the lower bound of both scores (Bruch, Gai, Ingber: An Analysis of Fusion Functions
    for Hybrid Retrieval, 2023). Unlike ranks, scores keep how far ahead a passage is. A passage that one side did not
    find within `depth` gets nothing from it.
    """

    depth: ClassVar[int] = 100
    semantic_weight: ClassVar[float] = 0.6

    async def rank(self, query: str) -> Ranking:
        found = await self.index.evidence(query, max(self.depth, self.top_k), sections=False)
        return self.fuse(found.lexical, found.semantic)

    def fuse(self, lexical: Ranking, semantic: Ranking) -> Ranking:
        places, scores = self.fused(lexical, semantic, best_of(lexical))
        return ordered(places, scores)

    def fused(self, lexical: Ranking, semantic: Ranking, whole: float) -> tuple[Places, FusedScores]:
        """Every place that either side found, with its score; `whole` is what lexical scores are a share of."""
        scores: dict[int, float] = {}
        for ranking, weight in (
            (lexical, (1 - self.semantic_weight) / max(whole, TINY)),
            (semantic, self.semantic_weight / max(best_of(semantic), TINY)),
        ):
            for place, score in ranking:
                scores[place] = scores.get(place, 0.0) + weight * score
        count = len(scores)
        return np.fromiter(scores, np.int64, count), np.fromiter(scores.values(), np.float64, count)


def best_of(ranking: Ranking) -> float:
    """The first one's score; 0 where there is none."""
    return ranking[0][1] if ranking else 0.0


def ordered(places: Places, scores: FusedScores) -> Ranking:
    """A ranking, best first; scores that differ in their last digits alone are equal and stay in reading order."""
    order = np.lexsort((places, -scores.round(5)))
    return list(zip(places[order].tolist(), scores[order].tolist(), strict=True))


class ReciprocalRank(Hybrid):
    """The sum of both reciprocal ranks (Cormack, Clarke, Buettcher, 2009), to compare with."""

    constant: ClassVar[int] = 60

    def fuse(self, lexical: Ranking, semantic: Ranking) -> Ranking:
        scores: defaultdict[int, float] = defaultdict(float)
        for ranking in (lexical, semantic):
            for rank, (place, _) in enumerate(ranking, 1):
                scores[place] += 1 / (self.constant + rank)
        return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))

"""Retrieval along the structure of the material, without a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from retrievers.hybrid import TINY, FusedScores, Hybrid, Places, ordered
from retrievers.lexical import Ranking, Scores
from retrievers.structure import UnitScores


class Tree(Hybrid):
    """Evidence from the passage and from the section around it.

    Both are searched by words and by meaning, and their scores are added, so that a section whose parts agree rises
    with all of them. The section weighs 1.75 times as much as the passage (decision 0007). A score by words is a share
    of the most that the query's words could give, and not of the best one as in `hybrid`: where no place has many of
    them, meaning decides (decision 0016). Places that the query names ("hw3 2b") come before those that are only like
    it (decision 0014).
    """

    semantic_weight: ClassVar[float] = 0.475
    section_weight: ClassVar[float] = 1.75
    name_weight: ClassVar[float] = 3.0
    """More than everything else together."""

    async def rank(self, query: str) -> Ranking:
        evidence = await self.index.evidence(query, max(self.depth, self.top_k), sections=True)
        places, scores = self.fused(evidence.lexical, evidence.semantic, evidence.bound)
        if named := self.index.names.named(query):
            places, scores = self._with_named(places, scores, named)
        if sections := evidence.sections:
            scores += self.section_weight * self._fused(sections)[sections.units[places]]
        return ordered(places, scores)

    def _with_named(
        self, places: Places, scores: FusedScores, named: Mapping[int, float]
    ) -> tuple[Places, FusedScores]:
        """The same with what names add; a place that nothing else speaks for is among them."""
        both = dict(zip(places.tolist(), scores.tolist(), strict=True))
        for place, worth in named.items():
            both[place] = both.get(place, 0.0) + self.name_weight * worth
        return np.fromiter(both, np.int64, len(both)), np.fromiter(both.values(), np.float64, len(both))

    def _fused(self, units: UnitScores) -> Scores:
        semantic = np.maximum(units.semantic, 0) / max(units.semantic.max(), TINY)
        fused: Scores = (1 - self.semantic_weight) * units.lexical + self.semantic_weight * semantic
        return fused

"""Retrieval along the structure of the material, without a model."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from retrievers.hybrid import Hybrid, ordered
from retrievers.lexical import Ranking, Scores
from retrievers.structure import UnitScores

TINY = 1e-9


class Tree(Hybrid):
    """Evidence from the passage and from the section around it.

    Both are searched by words and by meaning like `hybrid`, and their scores are added, so that a section whose parts
    agree rises with all of them. The section weighs half as much again as the passage (decision 0007).
    """

    section_weight: ClassVar[float] = 1.5

    async def rank(self, query: str) -> Ranking:
        evidence = await self.index.evidence(query, max(self.depth, self.top_k), sections=True)
        places, scores = self.fused(evidence.lexical, evidence.semantic)
        if sections := evidence.sections:
            scores += self.section_weight * self._fused(sections)[sections.units[places]]
        return ordered(places, scores)

    def _fused(self, units: UnitScores) -> Scores:
        lexical, semantic = (
            np.maximum(scores, 0) / max(scores.max(), TINY) for scores in (units.lexical, units.semantic)
        )
        fused: Scores = (1 - self.semantic_weight) * lexical + self.semantic_weight * semantic
        return fused

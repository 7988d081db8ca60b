"""Retrieval along the structure of the material, without a model."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from retrievers.hybrid import Hybrid
from retrievers.index.course_index import Evidence
from retrievers.index.lexical import Scores


class Tree(Hybrid):
    """Evidence from the passage and from the section around it.

    Both are searched by words and by meaning, and their scores are added, so that a section whose parts agree rises
    with all of them. The section weighs 1.75 times as much as the passage (decision 0007). A score by words is a share
    of the most that the query's words could give, and not of the best one as in `hybrid`: where no passage has many of
    them, meaning decides (decision 0016). Passages that the query names ("hw3 2b") come before those that are only like
    it (decision 0014).
    """

    semantic_weight: ClassVar[float] = 0.475
    section_weight: ClassVar[float] = 1.75
    name_weight: ClassVar[float] = 3.0
    """More than everything else together."""

    sections: ClassVar[bool] = True

    def scores(self, query: str, found: Evidence) -> Scores:
        scores = self._sum(found.lexical, found.bound, found.semantic)
        for position, worth in self.index.names.named(query).items():
            scores[position] += self.name_weight * worth
        if sections := found.sections:
            around = self._sum(sections.lexical, 1.0, np.maximum(sections.semantic, 0))
            # A section alone brings up no passage.
            scores += self.section_weight * around[sections.units] * (scores > 0)
        return scores

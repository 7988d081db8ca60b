"""Retrieval along the structure of the material, without a model."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from core.types import Source
from retrievers.hybrid import Hybrid
from retrievers.index.course_index import MatchScores
from retrievers.index.lexical import Scores


class Tree(Hybrid):
    """`hybrid`, with the evidence of the section around each passage and of the names in the query added to it.

    Sections are searched by words and by meaning as passages are, so that a section whose parts agree rises with all of
    them. How much a section weighs depends on how much the sections tell apart (`structure.section_weight`); where
    there are none and nothing is named, the ranking is that of `hybrid` (decision 0032). Passages that the query names
    ("hw3 2b") come before those that are only like it (decision 0014).
    """

    name_weight: ClassVar[float] = 3.0
    """As much as everything else together can give."""
    thread_weight: ClassVar[float] = 0.6
    """For past threads: several are about the question that is named, and only one answers."""

    sections: ClassVar[bool] = True

    def scores(self, query: str, found: MatchScores) -> Scores:
        scores = super().scores(query, found)
        if sections := found.sections:
            around = self._sum(sections.lexical, np.maximum(sections.semantic, 0), self.semantic_weight)
            # A section alone brings up no passage.
            scores += sections.weight * around[sections.units] * (scores > 0)
        for position, worth in self.index.names.named(query).items():
            is_thread = self.index.passages[position].source is Source.QA
            scores[position] += (self.thread_weight if is_thread else self.name_weight) * worth
        return scores

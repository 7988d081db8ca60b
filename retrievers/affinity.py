"""How near a question is to each kind of a course's material: what the offline router knows of a course."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.concurrency import in_thread
from core.types import Source
from retrievers.index import CourseIndex, Indexes
from retrievers.lexical import Scores

NEAREST = 5
"""Passages and chunks whose mean counts beside the very best: one hit may be chance, five are a topic."""


@dataclass(frozen=True, slots=True)
class Affinity:
    """BM25 scores and cosine similarities of the best passage (or chunk), and the means of the best five."""

    words: float = 0.0
    words_mean: float = 0.0
    meaning: float = 0.0
    meaning_mean: float = 0.0


@dataclass(frozen=True, slots=True)
class Affinities:
    """The question's vector, float32 of shape (d,), and how near each kind of material is to it."""

    vector: Scores
    sources: Mapping[Source, Affinity]


async def affinities(indexes: Indexes, course_id: str, query: str, text: str) -> Affinities:
    """Hold a question against every kind of the course's material: `query` by words, its whole `text` by meaning.

    Raises `UnknownName` where there is no such course.
    """
    vector = await indexes.embed(text)
    held = {source: await indexes.get(course_id, source) for source in Source}
    return await in_thread(
        lambda: Affinities(vector, {source: _affinity(index, query, vector) for source, index in held.items()})
    )


def _affinity(index: CourseIndex, query: str, vector: Scores) -> Affinity:
    words, meaning = index.nearest(query, vector, NEAREST)
    return Affinity(_first(words), _mean(words), _first(meaning), _mean(meaning))


def _first(best: Sequence[float]) -> float:
    return float(best[0]) if len(best) else 0.0


def _mean(best: Sequence[float]) -> float:
    """Of the best five; where there are fewer, the missing ones count 0."""
    return float(np.sum(best)) / NEAREST

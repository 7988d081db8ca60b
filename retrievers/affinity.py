"""How near a question is to each kind of a course's material, for the offline router."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.concurrency import SingleFlight, in_thread
from core.errors import ForeignVectors
from core.store.tables import now
from core.types import Audience, Passage, Source, Visibility
from retrievers.calendar.lookup import look_up
from retrievers.embedding.base import Vectors
from retrievers.embedding.encoder import Encoder
from retrievers.index.course_index import SAMPLES, CourseIndex
from retrievers.index.indexes import Indexes
from retrievers.index.lexical import Scores
from retrievers.names import PARTIAL_MATCH

NEAREST = 5
"""Passages and chunks whose mean counts beside the very best: one hit may be chance, five are a topic."""
MEASURES = ("words", "words mean", "meaning", "meaning mean")
WORD_MEASURES = 2
"""The first so many are by words."""
SAMPLE_WORDS = 40
"""Words of a passage that stand for a question: about as many as students write."""
MIN_SPREAD = 1e-3
MAX_DEVIATION = 4.0
"""In standard deviations: with little material their unit is so small that everything would be far beyond it."""

log = logging.getLogger("edumod")

Nearness = NDArray[np.float64]
"""Of shape (4, 4): `MEASURES` by `Source`, each in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class QuestionAffinity:
    """How near a question is to a course's material.

    `nearness` is in standard deviations from how near the course's own texts are to its material, so that it means the
    same in every course, however long its book is; `MAX_DEVIATION` bounds it both ways. `named` is, by kind, how
    well the question names a passage of it (`retrievers.names`), and `task` is the text of the task that it names,
    empty if there is none or only staff may read it. `is_in_calendar` says whether the course's calendar knows
    something that it asks for. `vectors` are those of the question's texts, of shape (n, d),
    `kinds` the kinds of material that the course has.
    """

    nearness: Nearness
    named: Mapping[Source, float]
    vectors: Vectors
    kinds: frozenset[Source]
    task: str = ""
    is_in_calendar: bool = False


@dataclass(frozen=True, slots=True)
class _Background:
    """Mean and standard deviation of the nearness of a course's own texts, and what they were measured on."""

    indexes: tuple[weakref.ref[CourseIndex], ...]
    """Not kept alive by what was measured on them."""
    mean: Nearness
    spread: Nearness


class Affinities:
    """Compares questions with courses. Used from one event loop."""

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes
        self._backgrounds: dict[str, _Background] = {}
        self._measuring: SingleFlight[_Background] = SingleFlight()

    async def measure(self, course_id: str, query: str, texts: Sequence[str]) -> QuestionAffinity:
        """Compare a question with every kind of the course's material: `query` by words, the first text by meaning.

        Raises `UnknownName` for an unknown course.
        """
        indexes = tuple([await self._indexes.get(course_id, source) for source in Source])
        background = await self._background(course_id, indexes)
        vectors = await self.embed(texts)
        own = await self._own_vectors(indexes, texts[0], vectors[0])
        found = await in_thread(_nearness, indexes, query, own)
        nearness = np.clip((found - background.mean) / background.spread, -MAX_DEVIATION, MAX_DEVIATION)
        nearness[WORD_MEASURES:, [vector is None for vector in own]] = 0.0
        by_source = dict(zip(Source, indexes, strict=True))
        hits = {source: index.names.named(query) for source, index in by_source.items()}
        return QuestionAffinity(
            nearness,
            {source: max(found.values(), default=0.0) for source, found in hits.items()},
            vectors,
            frozenset(source for source, index in by_source.items() if index.passages),
            _task(by_source[Source.ASSIGNMENT], hits[Source.ASSIGNMENT]),
            await self._is_in_calendar(course_id, query),
        )

    async def _is_in_calendar(self, course_id: str, query: str) -> bool:
        calendar, zone = await self._indexes.calendar(course_id, Audience.STUDENTS)
        return bool(await in_thread(look_up, calendar, query, now().astimezone(zone).date()))

    async def _background(self, course_id: str, indexes: tuple[CourseIndex, ...]) -> _Background:
        """Measured once for all questions that come while there is none: a burst would take seconds for each."""
        background = self._backgrounds.get(course_id)
        if background is None or any(a() is not b for a, b in zip(background.indexes, indexes, strict=True)):
            key = (course_id, *map(id, indexes))
            background = await self._measuring.do(key, partial(in_thread, _measured, indexes))
            gone = [name for name, other in self._backgrounds.items() if None in (of() for of in other.indexes)]
            for name in gone:
                self._backgrounds.pop(name, None)
            self._backgrounds[course_id] = background
        return background

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector of length 1 per text, of shape (n, d)."""
        return np.array([await self._indexes.router_encoder.query(text) for text in texts], dtype=np.float32)

    async def _own_vectors(self, indexes: Sequence[CourseIndex], text: str, vector: Vectors) -> list[Vectors | None]:
        """The text's vector by the embedding of each index; `vector` is the one by the router's own.

        None where that embedding cannot be used: then words alone tell how near the question is.
        """
        found: dict[Encoder, Vectors | None] = {self._indexes.router_encoder: vector}
        for encoder in {index.encoder for index in indexes} - found.keys():
            try:
                found[encoder] = await encoder.query(text)
            except ForeignVectors as problem:
                log.warning("The offline router compares questions with the course by words alone: %s", problem)
                found[encoder] = None
        return [found[index.encoder] for index in indexes]


def _nearness(
    indexes: Sequence[CourseIndex], query: str, vectors: Sequence[Scores | None], own: tuple[int, int] | None = None
) -> Nearness:
    """BM25 scores as shares of the best kind's, for they mean nothing across questions, and cosine similarities.

    `vectors` are the query's, by index, since the embedding may change from one to another while they are loaded.

    The passage `own`, given by the position of its index and its own position there, is left out.
    """
    found = np.zeros((len(MEASURES), len(indexes)))
    for position, index in enumerate(indexes):
        without = own[1] if own and own[0] == position else None
        words, meaning = index.nearest(query, vectors[position], NEAREST, without)
        found[:, position] = _first(words), sum(words) / NEAREST, _first(meaning), sum(meaning) / NEAREST
    for row in found[:2]:
        row /= row.max() or 1.0
    return found


def _task(assignments: CourseIndex, named: Mapping[int, float]) -> str:
    """The text of the task that is named, if it is one, and students may read it."""
    best = max(named, key=lambda position: named[position], default=None)
    if best is None or named[best] < PARTIAL_MATCH:
        return ""
    passage = assignments.passages[best]
    return passage.text if passage.visibility is Visibility.STUDENT else ""


def _first(best: Sequence[float]) -> float:
    return best[0] if best else 0.0


def _as_query(passage: Passage) -> str:
    return " ".join(passage.text.split()[:SAMPLE_WORDS])


def _among(indexes: Sequence[CourseIndex], of: CourseIndex, vector: Scores) -> list[Scores | None]:
    """A vector of one index, for every index that has the same embedding."""
    return [vector if index.encoder is of.encoder else None for index in indexes]


def _measured(indexes: tuple[CourseIndex, ...]) -> _Background:
    """The background: passages of every kind, each compared with all material but itself.

    Every kind counts the same, however many passages it has.
    """
    kinds = []
    for of, index in enumerate(indexes):
        found = [
            _nearness(indexes, _as_query(index.passages[position]), _among(indexes, index, vector), (of, position))
            for position, vector in index.samples(SAMPLES)
        ]
        if found:
            kinds.append(np.array(found))
    measured_on = tuple(weakref.ref(index) for index in indexes)
    if not kinds:
        shape = (len(MEASURES), len(indexes))
        return _Background(measured_on, np.zeros(shape), np.ones(shape))
    mean = np.mean([kind.mean(0) for kind in kinds], axis=0)
    variance = np.mean([((kind - mean) ** 2).mean(0) for kind in kinds], axis=0)
    return _Background(measured_on, mean, np.sqrt(variance) + MIN_SPREAD)

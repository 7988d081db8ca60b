"""Which course functions a question needs, told without a language model: the offline router.

Logistic regressions, one per function and one for messages that need none, over how near the question is to each kind
of the course's own material (`retrievers.affinity`), over cue words and example sentences
(`pipelines.offline.intents`), and over the question's embedding. `edumod eval router` learned the weights in
`router.json` from labelled questions, and measures them. None of the inputs depends on the course they were learned in
(decision 0012).
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.types import Question, Source
from pipelines.offline.intents import CUES, EXAMPLES
from pipelines.query import search_query
from retrievers.affinity import MEASURES, Nearness, QuestionAffinity
from retrievers.embedding.minilm import Vectors
from retrievers.names import PARTIAL_MATCH

WEIGHTS = Path(__file__).with_name("router.json")
NOTHING = "nothing"
"""Under this name stands the regression that tells whether a message needs no function."""
ASSIGNMENTS = f"{Source.ASSIGNMENT}_retrieval"
WHERE_NAMED = 0.94
"""P(the assignments are needed), at least, where a question of theirs is named: all 15 such questions among those that
the weights were learned from need them, (15 + 1) / (15 + 2). Few words beside the name tell the regressions too little.
"""
MOST_CUES = 3
LONG_WORDS = 150
MAX_SENTENCES = 8
LEAST_CHARS = 8
"""Shorter sentences, such as "hi all", tell nothing by themselves."""
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])|\n+")

Vector = NDArray[np.float64]


class Holds(Protocol):
    """What the router needs to know of courses; `retrievers.affinity.Affinities` is one."""

    async def measure(self, course_id: str, query: str, texts: Sequence[str]) -> QuestionAffinity: ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...


@dataclass(frozen=True)
class Regression:
    """An intercept, a weight per named feature, and one per dimension of the question's embedding."""

    intercept: float
    features: Mapping[str, float]
    vector: Vector


Weights = Mapping[str, Regression]
"""A regression per function, and one under `NOTHING`."""


@cache
def shipped_weights() -> Weights:
    """Those that come with EduMod."""
    return to_weights(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def to_weights(content: Mapping[str, Any]) -> Weights:
    """The weights in a file such as `router.json`."""
    return {
        name: Regression(one["intercept"], one["features"], np.array(one["vector"]))
        for name, one in content["weights"].items()
    }


@dataclass(frozen=True)
class Needs:
    """P(nothing is needed), and for each function P(it is needed, if anything is)."""

    nothing: float
    functions: Mapping[str, float]

    def best_set(self, *, required: bool = False) -> tuple[str, ...]:
        """The set of functions with the highest expected F1, the likeliest first; `required` allows no empty one.

        F1 of two empty sets is 1, as where it is measured (`eval.functions`).
        """
        names = sorted(self.functions, key=lambda name: -self.functions[name])
        if not names:
            return ()
        sets = np.array(list(product((0, 1), repeat=len(names))))
        both = sets.sum(1)[:, None] + sets.sum(1)[None, :]
        f1 = np.where(both == 0, 1.0, 2 * (sets @ sets.T) / np.maximum(both, 1))
        expected = f1 @ self._chances(sets, np.array([self.functions[name] for name in names]))
        if required:
            expected[0] = -1
        chosen = sets[int(np.argmax(expected))]
        return tuple(name for name, taken in zip(names, chosen, strict=True) if taken)

    def _chances(self, sets: NDArray[np.int64], likely: Vector) -> Vector:
        """P(set) of each, the first being the empty one; functions count as independent."""
        chances = np.asarray(np.prod(np.where(sets == 1, likely, 1 - likely), axis=1))
        chances[0] = 0
        chances *= (1 - self.nothing) / max(float(chances.sum()), 1e-12)
        chances[0] = self.nothing
        return chances


class Router:
    """Tells what a question needs."""

    def __init__(self, courses: Holds, weights: Weights) -> None:
        self._weights = weights
        self.see = seeing(courses)

    async def needs(self, course_id: str, question: Question, functions: Sequence[str], category: str = "") -> Needs:
        """What the question needs of those functions that the router knows; the category adds to its words.

        Functions whose material the course does not have are left out, unless it has none at all. The embedding counts
        only where it has as many dimensions as the one that the weights were learned with.
        """
        seen = await self.see(course_id, question, category)
        known = [name for name in functions if name in self._weights]
        useful = [name for name in known if name in seen.functions] or known
        chances = {name: self._probability(name, seen) for name in useful}
        if ASSIGNMENTS in chances and seen.features[_named(Source.ASSIGNMENT)] >= PARTIAL_MATCH:
            chances[ASSIGNMENTS] = max(chances[ASSIGNMENTS], WHERE_NAMED)
        return Needs(self._probability(NOTHING, seen), chances)

    def _probability(self, name: str, seen: Seen) -> float:
        weights = self._weights[name]
        logit = weights.intercept + sum(weights.features[one] * value for one, value in seen.features.items())
        if len(seen.vector) == len(weights.vector):
            logit += float(weights.vector @ seen.vector)
        return float(1 / (1 + np.exp(-logit)))


@dataclass(frozen=True)
class Seen:
    """A question as the router sees it: named features, its embedding of shape (d,), and the names of the functions
    that the course has material for.
    """

    features: Mapping[str, float]
    vector: Vectors
    functions: frozenset[str]


See = Callable[[str, Question, str], Awaitable[Seen]]


def seeing(courses: Holds) -> See:
    """A function from course id, question and category to what the router sees. Embeds the examples once."""
    examples: dict[str, Vectors] = {}

    async def see(course_id: str, question: Question, category: str = "") -> Seen:
        if not examples:
            examples.update({name: await courses.embed(texts) for name, texts in EXAMPLES.items()})
        text = f"{category}\n{question.text}" if category else question.text
        held = await courses.measure(course_id, search_query(question), [text, *sentences(question)])
        likeness = {name: held.vectors @ vectors.T for name, vectors in examples.items()}
        named = {_named(source): value for source, value in held.named.items()}
        features = {**_near(held.nearness), **named, **_like(likeness), **_words(text)}
        return Seen(features, held.vectors[0], frozenset(f"{source}_retrieval" for source in held.kinds))

    return see


def _named(source: Source) -> str:
    return f"named: {source}"


def sentences(question: Question) -> list[str]:
    """The title and the first sentences of the body, those left out that are too short to tell anything."""
    parts = [question.title, *_SENTENCE_END.split(question.body)]
    told = [part.strip() for part in parts if len(part.strip().encode()) >= LEAST_CHARS]
    return told[: MAX_SENTENCES + 1]


def _near(nearness: Nearness) -> dict[str, float]:
    """Nearness to each kind of material, and how far each is behind the nearest."""
    behind = nearness - nearness.max(axis=1, keepdims=True)
    named = {"": nearness, " behind": behind}
    return {
        f"{measure}{suffix}: {source}": float(values[row, place])
        for suffix, values in named.items()
        for row, measure in enumerate(MEASURES)
        for place, source in enumerate(Source)
    }


def _like(likeness: Mapping[str, Vectors]) -> dict[str, float]:
    """How like the examples of each kind the whole message is, its likest sentence, and its three likest pairs."""
    found = {}
    for name, similarities in likeness.items():
        found[f"like {name}"] = float(similarities.max())
        found[f"like {name} as a whole"] = float(similarities[0].max())
        found[f"like {name} in general"] = float(np.sort(similarities.max(axis=0))[-3:].mean())
    return found


def _words(text: str) -> dict[str, float]:
    cued = {name: sum(1 for _ in islice(cue.finditer(text), MOST_CUES)) / 2 for name, cue in CUES.items()}
    return {**cued, "length": min(len(text.split()), LONG_WORDS) / 100}

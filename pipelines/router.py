"""Which course functions a question needs, told without a language model: the offline router.

One logistic regression per function, over how near the question is to each kind of the course's own material
(`retrievers.affinity`), over cue words, and over the question's embedding. The weights in `router.json` were learned
from labelled questions by `edumod eval router`, which also measures them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.types import Question, Source
from pipelines.query import search_query
from retrievers.affinity import Affinities, Affinity

WEIGHTS = Path(__file__).with_name("router.json")

CUES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "deadline": r"\b(due|deadline|late|slip|extension|submit|submission|upload|hand in|turn in|until when|"
        r"by when)\b",
        "rules": r"\b(exam|midterm|final|quiz|cheat ?sheet|allowed|permitted|policy|rule|collaborat|partner|tutor)\w*",
        "grades": r"\b(grade|grading|points|percent|curve|regrade|score|pass|fail|drop)\w*",
        "people": r"\b(office hour|section|lecture|room|attendance|schedule|staff|contact|email|instructor|zoom|enrol|"
        r"waitlist)\w*",
        "trouble": r"\b(error|traceback|exception|kernel|crash|install|import|module|hub|autograder|grader|gradescope|"
        r"hang|stuck|works? on my|failed|fails|failing|timeout)\w*",
        "error": r"\b\w+(Error|Warning|Exception)\b|```|Traceback",
        "task": r"\b(hw|homework|project|proj|problem set|ps|lab|worksheet)\s*\d*\b|"
        r"\b(q|question|part|problem|task|exercise)\s*\(?\d*[a-z]?\)?\b|\b\d[a-z]\b|\([a-z]\)",
        "concept": r"\b(what is|what are|what does|mean|meaning|definition|why (is|does|do|are)|differen|intuition|"
        r"understand|explain|concept|chapter|book|example|formula|when (do|should) (we|i|you) use)\b",
        "others": r"\b(anyone|somebody|someone|others|has anybody|same (problem|issue)|thread|post(ed)?|asked before|"
        r"already)\b",
        "own work": r"\b(my (answer|solution|code|plot|result|sentence)|"
        r"is (this|it|that) (right|correct|ok|enough|fine)|do (we|i) (have|need) to|should (we|i)|expected|"
        r"supposed|hint)\b",
        "chatter": r"\b(thanks?|thank you|thx|solved|lol|haha|congrat|found|lost)\b",
        "question mark": r"\?",
        "time": r"\b(when|where|who|until|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tonight|tomorrow|"
        r"week|\d+ ?pm)\b",
    }.items()
}
"""Words that hint at what is asked. How much each tells about each function is learned."""
MOST_CUES = 3
LONG_WORDS = 150

Held = Callable[[str, str, str], Awaitable[Affinities]]
"""Holds a question against a course's material: course id, search query, whole text."""
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """Of each function: an intercept, a weight per named feature, and one per dimension of the embedding model's."""

    embedding: str
    intercepts: Mapping[str, float]
    features: Mapping[str, Mapping[str, float]]
    vectors: Mapping[str, Vector]


@cache
def shipped_weights() -> Weights:
    """Those that come with EduMod."""
    return to_weights(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def to_weights(content: Mapping[str, Any]) -> Weights:
    """The weights in a file such as `router.json`."""
    functions: Mapping[str, Any] = content["functions"]
    return Weights(
        embedding=content["embedding"],
        intercepts={name: one["intercept"] for name, one in functions.items()},
        features={name: one["features"] for name, one in functions.items()},
        vectors={name: np.array(one["vector"]) for name, one in functions.items()},
    )


class Router:
    """Scores course functions for a question."""

    def __init__(self, held: Held, weights: Weights) -> None:
        self._held = held
        self._weights = weights

    async def probabilities(
        self, course_id: str, question: Question, functions: Sequence[str], category: str = ""
    ) -> dict[str, float]:
        """P(function is needed), for each function that the router knows; the category adds to the question's words.

        The embedding counts only where it has as many dimensions as the one that the weights were learned with.
        """
        text = routed_text(question, category)
        found = await self._held(course_id, search_query(question), text)
        values = features(text, found.sources)
        return {name: self._probability(name, values, found) for name in functions if name in self._weights.intercepts}

    def _probability(self, name: str, values: Mapping[str, float], found: Affinities) -> float:
        weights = self._weights
        logit = weights.intercepts[name] + sum(weights.features[name][one] * value for one, value in values.items())
        if len(found.vector) == len(weights.vectors[name]):
            logit += float(weights.vectors[name] @ found.vector)
        return float(1 / (1 + np.exp(-logit)))


def routed_text(question: Question, category: str = "") -> str:
    """What the router reads of a question."""
    return f"{category}\n{question.text}" if category else question.text


def features(text: str, sources: Mapping[Source, Affinity]) -> dict[str, float]:
    """The named features of a question: nearness to each kind of material, and cue words.

    BM25 scores are shares of the best source's, since they mean nothing across questions; similarities stand for
    themselves and as the distance to the best.
    """
    nearness = {
        "words": _shares({source: one.words for source, one in sources.items()}),
        "words mean": _shares({source: one.words_mean for source, one in sources.items()}),
        "meaning": (meaning := {source: one.meaning for source, one in sources.items()}),
        "meaning mean": (means := {source: one.meaning_mean for source, one in sources.items()}),
        "meaning behind": _behind(meaning),
        "meaning mean behind": _behind(means),
    }
    named = {f"{name}: {source}": value for name, one in nearness.items() for source, value in one.items()}
    cued = {name: min(sum(1 for _ in cue.finditer(text)), MOST_CUES) / 2 for name, cue in CUES.items()}
    return {**named, **cued, "length": min(len(text.split()), LONG_WORDS) / 100}


def best_set(probabilities: Mapping[str, float], *, required: bool = False) -> tuple[str, ...]:
    """The set of functions with the highest expected F1, the likeliest first; `required` allows no empty one.

    Functions count as independent. F1 of two empty sets is 1, as where it is measured (`eval.functions`).
    """
    names = sorted(probabilities, key=lambda name: -probabilities[name])
    if not names:
        return ()
    sets = np.array(list(product((0, 1), repeat=len(names))))
    chances = np.prod(
        np.where(sets == 1, [probabilities[name] for name in names], [1 - probabilities[n] for n in names]), 1
    )
    sizes = sets.sum(1)
    both = sizes[:, None] + sizes[None, :]
    f1 = np.where(both == 0, 1.0, 2 * (sets @ sets.T) / np.maximum(both, 1))
    expected = f1 @ chances
    if required:
        expected[sizes == 0] = -1
    chosen = sets[int(np.argmax(expected))]
    return tuple(name for name, taken in zip(names, chosen, strict=True) if taken)


def _shares(values: Mapping[Source, float]) -> dict[Source, float]:
    most = max(values.values(), default=0.0) or 1.0
    return {source: value / most for source, value in values.items()}


def _behind(values: Mapping[Source, float]) -> dict[Source, float]:
    most = max(values.values(), default=0.0)
    return {source: value - most for source, value in values.items()}

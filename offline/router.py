"""The offline router: predicts without a language model which course functions a question needs.

Logistic regressions, one per function and one for messages that need none. Their features are the similarity of the
question to each kind of the course's material (`retrievers.affinity`), cue words and example sentences
(`posts.intents`), and the question's embedding. `edumod eval router` trained the weights in `router.json`
on labelled questions, and measures them. No feature depends on the course used for training (decision 0012).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.text.sentences import rough_sentences
from core.types import Question, Source
from posts.intents import CUES, EXAMPLES
from posts.query import search_query
from retrievers.affinity import MEASURES, Nearness, QuestionAffinity
from retrievers.embedding.base import Vectors
from retrievers.functions import COURSE_FUNCTIONS, course_function
from retrievers.names import PARTIAL_MATCH, SAME_WORK

WEIGHTS = Path(__file__).with_name("router.json")
NOTHING = "nothing"
"""Name of the regression that predicts that a message needs no function."""
ASSIGNMENTS = f"{Source.ASSIGNMENT}_retrieval"
WHERE_NAMED = 0.94
"""Minimum P(assignments are needed) for a question that names one of their questions: all 15 such questions in the
training data need them, (15 + 1) / (15 + 2). With few words beside the name, the regressions predict too little.
"""
TEXTBOOK = f"{Source.TEXTBOOK}_retrieval"
THREADS = f"{Source.QA}_retrieval"
LOGISTICS = f"{Source.LOGISTICS}_retrieval"
THREAD_ON_TASK = 0.6
"""Minimum P(past threads are needed) for a question about a task that a thread's title names as well: likelier than
not, set by hand, since no question of the training data is one.
"""
MAX_CUES = 3
LONG_WORDS = 150
MAX_SENTENCES = 8
MIN_SENTENCE_BYTES = 8
"""Shorter sentences, such as "hi all", carry no information alone. In bytes of UTF-8."""

Vector = NDArray[np.float64]


class CourseAffinities(Protocol):
    """The router's access to courses' material, implemented by `retrievers.affinity.Affinities`."""

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
    """The weights that are distributed with EduMod."""
    return to_weights(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def trained_on() -> tuple[str, str]:
    """Course and split of the labelled questions from which the distributed weights were learned."""
    learned = json.loads(WEIGHTS.read_text(encoding="utf-8"))["learned_from"]
    return learned["course"], learned["split"]


def to_weights(content: Mapping[str, Any]) -> Weights:
    """The weights in a file such as `router.json`."""
    return {
        name: Regression(one["intercept"], one["features"], np.array(one["vector"]))
        for name, one in content["weights"].items()
    }


@dataclass(frozen=True)
class Needs:
    """P(nothing is needed), and for each function P(it is needed, if anything is).

    `task` is the text of the task that the question names, empty if there is none; `is_in_calendar` is as in
    `QuestionAffinity`. `names_sheet` says whether it names a work of which the course has the tasks.
    """

    nothing: float
    functions: Mapping[str, float]
    task: str = ""
    is_in_calendar: bool = False
    names_sheet: bool = False

    def best_set(self, *, required: bool = False) -> tuple[str, ...]:
        """The set of functions with the highest expected F1, likeliest first; not empty if `required`.

        F1 of two empty sets is 1, as in `eval.functions`.
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
        """P(set) of each set, the first being the empty one; functions count as independent."""
        chances = np.asarray(np.prod(np.where(sets == 1, likely, 1 - likely), axis=1))
        chances[0] = 0
        chances *= (1 - self.nothing) / max(float(chances.sum()), 1e-12)
        chances[0] = self.nothing
        return chances


class Router:
    """Predicts which functions a question needs."""

    def __init__(self, courses: CourseAffinities, weights: Weights) -> None:
        self._weights = weights
        self._read = input_reader(courses)

    async def needs(self, course_id: str, question: Question, functions: Sequence[str], category: str = "") -> Needs:
        """The probabilities that the question needs each known function; the category is added to its text.

        Functions without material in the course are left out, unless it has none at all. The embedding counts only if
        it has as many dimensions as the one used for training.
        """
        read = await self._read(course_id, question, category)
        known = [name for name in functions if name in self._weights or _resembled(name)]
        useful = [name for name in known if name in read.functions] or known
        chances = {name: self._probability(name, read) for name in useful}
        if ASSIGNMENTS in chances and read.features[_named(Source.ASSIGNMENT)] >= PARTIAL_MATCH:
            chances[ASSIGNMENTS] = max(chances[ASSIGNMENTS], WHERE_NAMED)
            if THREADS in chances and read.features[_named(Source.QA)] >= PARTIAL_MATCH:
                chances[THREADS] = max(chances[THREADS], THREAD_ON_TASK)
        names_sheet = read.features[_named(Source.ASSIGNMENT)] >= SAME_WORK
        return Needs(self._probability(NOTHING, read), chances, read.task, read.is_in_calendar, names_sheet)

    def _probability(self, name: str, read: RouterInput) -> float:
        features = read.features
        if (weights := self._weights.get(name)) is None:
            # A function newer than the weights is judged by those of the one that it resembles.
            weights, features = self._weights[f"{_resembled(name)}_retrieval"], _as_resembled(name, features)
        logit = weights.intercept + sum(weights.features.get(one, 0.0) * value for one, value in features.items())
        if len(read.vector) == len(weights.vector):
            logit += float(weights.vector @ read.vector)
        return float(1 / (1 + np.exp(-logit)))


def _resembled(name: str) -> Source | None:
    """The source whose weights stand in for those of a function that the router has not learned."""
    return next((function.resembles for function in COURSE_FUNCTIONS if function.name == name), None)


def _as_resembled(name: str, features: Mapping[str, float]) -> dict[str, float]:
    """The features with the function's own source in the place of the one that it resembles, and the reverse."""
    own, other = f": {course_function(name).source}", f": {_resembled(name)}"
    swapped = {one: value for one, value in features.items() if not one.endswith((own, other))}
    for one, value in features.items():
        if one.endswith(own):
            swapped[one.removesuffix(own) + other] = value
        elif one.endswith(other):
            swapped[one.removesuffix(other) + own] = value
    return swapped


@dataclass(frozen=True)
class RouterInput:
    """The router's input for a question: named features, its embedding of shape (d,), and the names of the functions
    for which the course has material. `task` and `is_in_calendar` are as in `QuestionAffinity`.
    """

    features: Mapping[str, float]
    vector: Vectors
    functions: frozenset[str]
    task: str = ""
    is_in_calendar: bool = False


InputReader = Callable[[str, Question, str], Awaitable[RouterInput]]


def input_reader(courses: CourseAffinities) -> InputReader:
    """A function from course id, question and category to the router's input. Embeds the examples once."""
    examples: dict[str, Vectors] = {}

    async def read(course_id: str, question: Question, category: str = "") -> RouterInput:
        if not examples:
            examples.update({name: await courses.embed(texts) for name, texts in EXAMPLES.items()})
        text = f"{category}\n{question.text}" if category else question.text
        # Spelt like the search query, so that one vector serves both; for models white space means nothing.
        whole = " ".join(text.split())
        affinity = await courses.measure(course_id, search_query(question), [whole, *sentences(question)])
        likeness = {name: affinity.vectors @ vectors.T for name, vectors in examples.items()}
        named = {_named(source): value for source, value in affinity.named.items()}
        features = {**_near(affinity.nearness), **named, **_like(likeness), **_words(text)}
        functions = frozenset(f"{source}_retrieval" for source in affinity.kinds)
        return RouterInput(features, affinity.vectors[0], functions, affinity.task, affinity.is_in_calendar)

    return read


def _named(source: Source) -> str:
    return f"named: {source}"


def sentences(question: Question) -> list[str]:
    """The title and the first sentences of the body, without very short ones."""
    parts = [question.title, *rough_sentences(question.body)]
    long_enough = [part.strip() for part in parts if len(part.strip().encode()) >= MIN_SENTENCE_BYTES]
    return long_enough[: MAX_SENTENCES + 1]


def _near(nearness: Nearness) -> dict[str, float]:
    """Nearness to each kind of material, and its difference to the nearest kind."""
    behind = nearness - nearness.max(axis=1, keepdims=True)
    named = {"": nearness, " behind": behind}
    return {
        f"{measure}{suffix}: {source}": float(values[row, column])
        for suffix, values in named.items()
        for row, measure in enumerate(MEASURES)
        for column, source in enumerate(Source)
    }


def _like(likeness: Mapping[str, Vectors]) -> dict[str, float]:
    """Similarity to the examples of each kind: maximum over sentences, of the whole message, and third-best example."""
    found = {}
    for name, similarities in likeness.items():
        found[f"like {name}"] = float(similarities.max())
        found[f"like {name} as a whole"] = float(similarities[0].max())
        found[f"like {name} in general"] = float(np.sort(similarities.max(axis=0))[-3:].mean())
    return found


def _words(text: str) -> dict[str, float]:
    cued = {name: sum(1 for _ in islice(cue.finditer(text), MAX_CUES)) / 2 for name, cue in CUES.items()}
    return {**cued, "length": min(len(text.split()), LONG_WORDS) / 100}

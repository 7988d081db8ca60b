"""The rating of an answer without a model: whether it answers this question, by what the section says near it.

The judge of teaching points compares with one passage. A true sentence that has nothing to do with the question passes
there, since its own passage is the nearest one, and a right answer of a few words does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import exp

import numpy as np

from core.concurrency import in_thread
from core.llm.base import LLM
from core.score import Score
from judging.answers import JudgedAnswer
from judging.computed.features import features
from judging.computed.model import assess
from judging.computed.reading import NUMBER_WORDS, WordReading, read
from judging.computed.vectors import rarity, vector, vectors
from judging.teaching_points import TeachingPointsJudge
from retrievers.tokens import tokenize

NEAR = 3
"""Sentences nearest to the question that an answer is compared with."""
SHORT = 6
"""Words below which the order of words and pairs of them say little."""
BY_MEANING = 0.3
"""Of a sentence's cosine to the answer, beside the share of the answer's words that it has."""
COPIED = 0.3
"""Share of pairs of words from which an answer has the text's words in the text's order."""
INTERCEPT = -5.53
WEIGHTS: Mapping[str, float] = {
    "topical": 3.05,
    "support": 2.37,
    "gain": 3.01,
    "near": 4.7,
    "anywhere": -7.87,
    "order": 3.44,
    "short": -0.08,
    "phrases": 2.44,
    "known": -2.08,
    "scrambled": -10.44,
    "pieces": -0.82,
}
"""A logistic regression on right, half right and wrong answers to questions about half of the modules of a book, as
`python -m benchmarks.rating_weights` prints it; docs/sensemaking.md has the figures of the other half."""
ABOUT_ANSWERING = frozenset(tokenize("don know idea clue sure certain sorry answer question tell say text mention"))
"""Words by which a sentence with a negation says that its writer has no answer."""
CACHED = 20_000

Features = dict[str, float]


@dataclass(frozen=True)
class ComputedRating(TeachingPointsJudge):
    """The rating of an answer whose section's sentences are its `passages`; without these, the judge's own score."""

    @property
    def version(self) -> str:
        weights = " ".join(f"{weight:g}" for weight in (INTERCEPT, *WEIGHTS.values()))
        return f"{super().version} by question 2 {weights}"

    async def judge(self, item: JudgedAnswer, llm: LLM, seed: int = 0) -> Score:
        """The probability that the answer is right, on the judge's scale."""
        if not item.passages:
            return await super().judge(item, llm, seed)
        found = await in_thread(rating_features, item.question, item.reference, item.answer, item.passages)
        share = probability(found)
        told = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
        return Score(value=round(self.scale.at(share), 4), explanation=f"Computed: {told}.")


def probability(found: Features, intercept: float = INTERCEPT, weights: Mapping[str, float] = WEIGHTS) -> float:
    """How likely an answer with these features is right; 0 if it says nothing."""
    if found["nothing"]:
        return 0.0
    return 1 / (1 + exp(-intercept - sum(weight * found[name] for name, weight in weights.items())))


def rating_features(question: str, reference: str, answer: str, sentences: Sequence[str]) -> Features:
    """The features by name. `reference` is the passage nearest to question and answer. CPU-bound.

    support: nearness to the question of the sentence that the answer rests on, as a share of the nearest sentence's.
    gain: share of what a sentence near the question says beyond it that the answer has, the best of them.
    near, anywhere: cosine of the answer and its nearest sentence, among those near the question and among all.
    known: share of what the answer says beyond the question that the sentences near the question have.
    phrases: share of the answer's pairs of words that stand in the section, times `known`.
    scrambled: how far these pairs are from `COPIED`, times `gain`: the text's words, not in its order.
    topical, order, pieces: as the computed judges have them.
    nothing: 1 if the answer has no content word of the section, or none but to say that there is no answer. Without
        weight: the rating is 0.
    """
    asked, given = read(question), read(answer)
    own = [word for word in given.content if word not in set(asked.content)]
    known = vectors(sentences)
    to_question, to_answer = known @ vector(question), known @ vector(answer)
    near = np.argsort(-to_question, kind="stable")[:NEAR].tolist()
    contents = [_content(sentence) for sentence in sentences]
    held = np.array([_share(own, content) for content in contents])
    rests_on = int(np.argmax(held + BY_MEANING * to_answer))
    known_near = _share(own, frozenset[str]().union(*(contents[at] for at in near)))
    unasked = ([word for word in read(sentences[at]).content if word not in set(asked.content)] for at in near)
    computed = features(question, reference, answer)
    gain = max(_share(words, frozenset(given.content)) for words in unasked)
    phrases, is_short = _phrases(given, sentences), len(answer.split()) < SHORT
    return {
        "topical": assess(computed).topical,
        "support": float(to_question[rests_on]) / max(float(to_question.max()), 1e-6),
        "gain": gain,
        "near": float(to_answer[near].max()),
        "anywhere": float(to_answer.max()),
        "order": computed["order"],
        "short": float(is_short),
        "phrases": known_near * phrases,
        "known": known_near,
        "scrambled": 0.0 if is_short else max(0.0, COPIED - phrases) * gain,
        "pieces": computed["pieces"],
        "nothing": float(_says_nothing(asked, given, frozenset[str]().union(*contents))),
    }


def _says_nothing(asked: WordReading, given: WordReading, known: frozenset[str]) -> bool:
    said = set(given.content)
    if given.negations and said & ABOUT_ANSWERING:
        said -= ABOUT_ANSWERING.union(asked.content)
    return {NUMBER_WORDS.get(word, word) for word in said}.isdisjoint(NUMBER_WORDS.get(word, word) for word in known)


def _share(words: Sequence[str], known: frozenset[str]) -> float:
    """Share of the words that are known, weighted by their rarity; 0 without words."""
    weights = {word: rarity(word) + 1e-6 for word in words}
    return sum(weights[word] for word in words if word in known) / sum(weights.values()) if words else 0.0


def _phrases(given: WordReading, sentences: Sequence[str]) -> float:
    """Share of neighbouring words that are neighbours in a sentence too; a half where there are none."""
    own = list(pairwise(given.tokens))
    known = frozenset[tuple[str, str]]().union(*map(_pairs, sentences))
    return sum(pair in known for pair in own) / len(own) if own else 0.5


@lru_cache(CACHED)
def _content(sentence: str) -> frozenset[str]:
    return frozenset(read(sentence).content)


@lru_cache(CACHED)
def _pairs(sentence: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(read(sentence).tokens))

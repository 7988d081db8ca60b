"""How the computed judges come from features to a score: likeness to the reference, times the probability of an answer.

Likeness is the plain mean of three similarities. Regressions on scored answers agree less with the scores of a course
that they were not fitted on. `eval/fitting/judges.py` compares both and fits the probability in `answers.json`.
"""

from __future__ import annotations

import hashlib
from functools import cache
from math import exp, sqrt
from pathlib import Path
from statistics import fmean

from core.types import Value
from judging.computed.features import Features
from judging.computed.word_order import COUNTS

WEIGHTS = Path(__file__).with_name("answers.json")
MAX_SCORE = 5.0
ACCEPTABLE = 3.0
"""Score from which an answer is accepted, and therefore must not be in doubt."""
VERSION_CHARS = 12
LIKENESS = ("cosine", "words_found", "rouge_l_precision")
"""How near the texts are, how much of the reference the answer has, and how much of the answer the reference has."""


class JudgeRegression(Value):
    """An intercept, and for each feature its weight and the range in which it was fitted: values outside are cut."""

    intercept: float
    weights: dict[str, tuple[float, float, float]]

    def value(self, features: Features) -> float:
        return self.intercept + sum(
            weight * min(max(features[name], low), high) for name, (weight, low, high) in self.weights.items()
        )


class Weights(Value):
    """`topical` predicts the log-odds that a text answers the question at all. `fitted_on` are numbers of answers by
    data set."""

    fitted_on: dict[str, int]
    topical: JudgeRegression


class Assessment(Value):
    """`score` is from 0 to 5, `likeness` from 0 to 1, `topical` a probability."""

    score: float
    likeness: float
    topical: float


def assess(features: Features, weights: Weights | None = None) -> Assessment:
    """The assessment by the shipped coefficients, or by others."""
    likeness = max(fmean(features[name] for name in LIKENESS), 0.0)
    topical = 1 / (1 + exp(-(weights or shipped_weights()).topical.value(features)))
    score = MAX_SCORE * sqrt(likeness * sqrt(topical))
    return Assessment(score=min(score, MAX_SCORE), likeness=likeness, topical=topical)


@cache
def shipped_weights() -> Weights:
    """The coefficients that come with EduMod."""
    return Weights.model_validate_json(WEIGHTS.read_text(encoding="utf-8"))


@cache
def computed_version() -> str:
    """Changes with the coefficients, the counts of the order of words, and the code."""
    files = (WEIGHTS, COUNTS, *sorted(Path(__file__).parent.glob("*.py")))
    return hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()[:VERSION_CHARS]

"""How the computed judges come from features to a score: quality, times whether it is an answer to the question at all,
less points for what disagrees with the reference, seems replaced or cannot be read.

`eval/fitting/judges.py` fits the coefficients in `answers.json`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from math import exp, sqrt
from pathlib import Path

from core.types import Value
from eval.judges.computed.features import Features
from eval.judges.computed.word_order import COUNTS

WEIGHTS = Path(__file__).with_name("answers.json")
MAX_QUALITY = 5.0
VERSION_CHARS = 12
NATURAL = 0.6
"""Naturalness of the order of words from which nothing is deducted."""
MAX_PIECES = 2.0
INTACT = 0.75
"""Probability that no term was replaced from which nothing is deducted."""
PENALTIES: Mapping[str, float] = {
    "negation": 1.25,
    "alteration": 2.5,
    "replaced": 1.5,
    "foreign_numbers": 1.5,
    "unnatural": 1.75,
    "pieces": 0.3,
    "breaks_off": 0.5,
}
"""Points of 5 per unit of a feature. Chosen on the development data, cross-validated by question, as the least that
keep the limits of the attacks; a regression on people's scores cannot find them, since people's answers are never
negated or shuffled on purpose."""


class Regression(Value):
    """An intercept, and for each feature its weight and the range in which it was fitted: values outside are cut."""

    intercept: float
    weights: dict[str, tuple[float, float, float]]

    def value(self, features: Features) -> float:
        return self.intercept + sum(
            weight * min(max(features[name], low), high) for name, (weight, low, high) in self.weights.items()
        )


class Weights(Value):
    """`quality` predicts the score that people give, `topical` the log-odds that a text answers the question at all,
    `intact` those that a good answer has all its terms. `fitted_on` are numbers of answers by data set."""

    fitted_on: dict[str, int]
    quality: Regression
    topical: Regression
    intact: Regression


class Assessment(Value):
    """`score` is from 0 to 5, `topical` and `intact` are probabilities, `deductions` points by feature."""

    score: float
    quality: float
    topical: float
    intact: float
    deductions: dict[str, float]


def assess(features: Features, weights: Weights | None = None) -> Assessment:
    """The assessment by the shipped coefficients, or by others."""
    weights = weights or shipped_weights()
    quality = min(max(weights.quality.value(features), 0.0), MAX_QUALITY)
    topical, intact = (1 / (1 + exp(-one.value(features))) for one in (weights.topical, weights.intact))
    amounts = {
        **{name: features[name] for name in ("negation", "alteration", "foreign_numbers", "breaks_off")},
        "replaced": max(0.0, 1 - intact / INTACT),
        "unnatural": max(0.0, NATURAL - features["order"]),
        "pieces": min(features["pieces"], MAX_PIECES),
    }
    deductions = {name: PENALTIES[name] * amount for name, amount in amounts.items() if amount > 0}
    score = quality * sqrt(topical) - sum(deductions.values())
    return Assessment(
        score=min(max(score, 0.0), MAX_QUALITY),
        quality=quality,
        topical=topical,
        intact=intact,
        deductions=deductions,
    )


@cache
def shipped_weights() -> Weights:
    """The coefficients that come with EduMod."""
    return Weights.model_validate_json(WEIGHTS.read_text(encoding="utf-8"))


@cache
def computed_version() -> str:
    """Changes with the coefficients, the counts of the order of words, and the code."""
    files = (WEIGHTS, COUNTS, *sorted(Path(__file__).parent.glob("*.py")))
    return hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()[:VERSION_CHARS]

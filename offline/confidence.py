"""How likely an answer is right, from its evidence: a logistic regression whose weights come with EduMod.

The event is that the passage cited first answers the question. `edumod eval confidence` fits the weights on labelled
answers, with scikit-learn, and chooses the confidence below which questions are left to a person (decision 0031).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from math import exp
from pathlib import Path

from offline.evidence import Evidence

WEIGHTS = Path(__file__).with_name("confidence.json")
FEATURES = tuple(field.name for field in fields(Evidence))


@dataclass(frozen=True)
class Calibration:
    """Intercept and weights of the regression, and the values that stand in for unknown features.

    `abstain_below` is the confidence below which no answer is given, unless the course sets another.
    """

    intercept: float
    weights: Mapping[str, float]
    unknown: Mapping[str, float]
    abstain_below: float

    def probability(self, evidence: Evidence) -> float:
        """How likely the passage cited first answers the question, from 0 to 1."""
        values = numbers(evidence, self.unknown)
        return 1 / (1 + exp(-self.intercept - sum(weight * values[name] for name, weight in self.weights.items())))


@cache
def shipped_calibration() -> Calibration:
    """The calibration that is distributed with EduMod."""
    content = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return Calibration(**{field.name: content[field.name] for field in fields(Calibration)})


def numbers(evidence: Evidence, unknown: Mapping[str, float]) -> dict[str, float]:
    """The features by name, the unknown ones replaced."""
    return {name: unknown[name] if value is None else value for name, value in asdict(evidence).items()}

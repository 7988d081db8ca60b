"""How sure a finding on code is: the chance that its line and kind are right (`python -m benchmarks.code_findings`).

The chance is a logistic regression over what the finding rests on and how it stands out. Below `told_from` a finding
names neither line nor kind: a student is asked the next question instead.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from student_code.findings import Finding

WEIGHTS = Path(__file__).with_name("confidence.json")
FEATURES = ("weight", "run", "read", "lead")


@dataclass(frozen=True)
class FindingCalibration:
    """Intercept and weights of the regression, and the confidence from which a finding is told."""

    intercept: float
    weights: Mapping[str, float]
    told_from: float

    def confidence(self, features: Mapping[str, float]) -> float:
        """The chance that line and kind are right."""
        total = self.intercept + sum(weight * features[name] for name, weight in self.weights.items())
        return round(1 / (1 + math.exp(-total)), 3)


@cache
def calibration() -> FindingCalibration:
    """The one that comes with EduMod."""
    return FindingCalibration(**json.loads(WEIGHTS.read_text(encoding="utf-8")))


def with_confidence(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, likeliest first, each with its confidence."""
    known = calibration()
    sure = [known.confidence(features_of(finding, findings)) for finding in findings]
    return tuple(
        replace(finding, confidence=confidence, waits=confidence < known.told_from)
        for finding, confidence in zip(findings, sure, strict=True)
    )


def features_of(finding: Finding, findings: Sequence[Finding]) -> dict[str, float]:
    """What speaks for a finding; each about 0 to 1. `lead` is its weight over that of the next best."""
    others = max((one.weight for one in findings if one is not finding), default=0.0)
    return {
        "weight": finding.weight,
        "run": float(finding.basis == "run"),
        "read": float(finding.basis == "read"),
        "lead": finding.weight - others,
    }

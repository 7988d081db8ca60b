"""How sure a verdict is: the chance that a person says the same, fitted to labelled work by `benchmarks.verdicts`.

What speaks for a verdict is what the other criteria say (a wrong result beside a slip, a slip beside a right result),
how much of the work was read, and how many parts there are to confuse.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from core.homework import CRITERIA, Verdict
from homework.findings import Check
from homework.submission import Submission

WEIGHTS = Path(__file__).with_name("confidence.json")
COMPUTED = tuple(name for name in CRITERIA if name != "method")
FEATURES = (
    *(f"{name} {side}" for name in COMPUTED for side in ("flagged", "right")),
    "share that was read",
    "several parts",
    "parts without labels",
    "several findings",
)


@dataclass(frozen=True)
class VerdictCalibration:
    """A logistic regression for each criterion and side ("flagged" or "right"): an intercept and a weight a feature."""

    intercepts: Mapping[str, float]
    weights: Mapping[str, Mapping[str, float]]

    def confidence(self, criterion: str, verdict: Verdict, features: Mapping[str, float]) -> float | None:
        """The chance that the verdict is right; None for one that says nothing."""
        side = side_of(verdict)
        name = f"{criterion} {side}"
        if side is None or name not in self.intercepts:
            return None
        total = self.intercepts[name] + sum(
            weight * features[feature] for feature, weight in self.weights[name].items()
        )
        return round(1 / (1 + math.exp(-total)), 3)


@cache
def calibration() -> VerdictCalibration:
    """The one that comes with EduMod."""
    read = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return VerdictCalibration(read["intercepts"], read["weights"])


def side_of(verdict: Verdict) -> str | None:
    """What a verdict says: that something is amiss, that it is right, or nothing."""
    if verdict.is_flagged:
        return "flagged"
    return "right" if verdict is Verdict.RIGHT else None


def facts_of(submission: Submission, parts: int) -> dict[str, float]:
    """What of the submission itself speaks for or against all verdicts; each from 0 to 1."""
    read = [part is not None for step in submission.steps for part in step.expressions]
    return {
        "share that was read": sum(read) / len(read) if read else 0.0,
        "several parts": float(parts > 1),
        "parts without labels": float(parts > 1 and not submission.parts),
    }


def with_confidence(checks: Mapping[str, Check], facts: Mapping[str, float]) -> dict[str, Check]:
    """The checks, each with its confidence."""
    known = calibration()
    return {
        name: replace(check, confidence=known.confidence(name, check.verdict, features_in(name, checks, facts)))
        for name, check in checks.items()
    }


def features_in(criterion: str, checks: Mapping[str, Check], facts: Mapping[str, float]) -> dict[str, float]:
    """What speaks for or against the verdict on a criterion."""
    several = float(len(checks[criterion].findings) > 1)
    return {**dict(_others(criterion, checks)), **facts, "several findings": several}


def _others(criterion: str, checks: Mapping[str, Check]) -> Iterator[tuple[str, float]]:
    for name in COMPUTED:
        for side in ("flagged", "right"):
            yield f"{name} {side}", float(name != criterion and side_of(checks[name].verdict) == side)

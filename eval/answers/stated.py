"""Fits what the confidence of a language model is worth to answers whose rightness is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from core.llm.stated import StatedConfidence, logit
from core.types import Value
from eval.answers.reliability import Bin, Forecast, reliability
from eval.statistics import Mean

FOLDS = 10
MIN_CASES = 5
"""Answers that are right, and that are not, which a fit needs at least."""
WRONGLY_ABSTAINED, WRONGLY_ANSWERED = 0.05, 0.10
"""Goals: shares of answerable messages without an answer, and of unanswerable ones with one."""
POSTED_RIGHT = 0.95
"""Share of right answers from which on they may be posted without a person."""
STEPS = tuple(round(0.02 * step, 2) for step in range(50))

Numbers = NDArray[np.float64]


class FittedConfidence(Value):
    """`known` belongs into the models file; the figures are of answers that it was not fitted to (cross-fitting)."""

    known: StatedConfidence
    n: int = Field(description="Answers fitted to; abstentions are not among them.")
    brier_skill: Mean
    brier_skill_before: Mean
    wrongly_abstained: float = Field(description="With `abstain_below`.")
    wrongly_answered: float = Field(description="With `abstain_below`.")
    posted: float = Field(description="Share of the answers with at least `post_from`.")
    posted_right: float | None = Field(description="Share of right ones among them; null if there is none.")
    reliability: tuple[Bin, ...]


def fit_stated(forecasts: Sequence[Forecast], answerable: frozenset[str]) -> FittedConfidence | None:
    """None if too few answers are right, or not right. `answerable` are the messages that have an answer. CPU-bound."""
    rows = [one for one in forecasts if one.is_answered]
    counts = Counter(one.is_right for one in rows)
    if min(counts[True], counts[False]) < MIN_CASES:
        return None
    held_out = _held_out(rows)
    after = [
        Forecast(one.item, float(value), one.is_right, is_answered=True)
        for one, value in zip(rows, held_out, strict=True)
    ]
    abstain_below, abstained, answered = _abstaining(after, forecasts, answerable)
    post_from, posted, right = _posting(after)
    intercept, slope = _learned(rows)
    fitted = reliability(after)
    return FittedConfidence(
        known=StatedConfidence(
            intercept=round(intercept, 3), slope=round(slope, 3), abstain_below=abstain_below, post_from=post_from
        ),
        n=len(rows),
        brier_skill=fitted.brier_skill,
        brier_skill_before=reliability(rows).brier_skill,
        wrongly_abstained=round(abstained, 4),
        wrongly_answered=round(answered, 4),
        posted=round(posted, 4),
        posted_right=right,
        reliability=fitted.bins,
    )


def _learned(rows: Sequence[Forecast]) -> tuple[float, float]:
    """Intercept and slope, which is never turned around."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=1000)
    model.fit([[logit(one.confidence)] for one in rows], [one.is_right for one in rows])
    return float(model.intercept_[0]), max(float(model.coef_[0][0]), 0.01)


def _held_out(rows: Sequence[Forecast]) -> Numbers:
    """The probability of each, fitted to other messages."""
    from sklearn.model_selection import StratifiedGroupKFold

    right, groups = [one.is_right for one in rows], [one.item for one in rows]
    counts = Counter(right)
    folds = StratifiedGroupKFold(min(FOLDS, *counts.values()), shuffle=True, random_state=0)
    values = np.zeros(len(rows))
    for train, test in folds.split(rows, right, groups):
        intercept, slope = _learned([rows[n] for n in train])
        known = StatedConfidence(intercept=intercept, slope=slope)
        values[test] = [known.probability(rows[n].confidence) for n in test]
    return values


def _abstaining(
    after: Sequence[Forecast], all_of: Sequence[Forecast], answerable: frozenset[str]
) -> tuple[float, float, float]:
    """The lowest threshold that keeps to both goals, or misses the worse by the smallest factor; and both shares."""
    can = sum(one.item in answerable for one in all_of) or 1
    cannot = sum(one.item not in answerable for one in all_of) or 1

    def shares(at: float) -> tuple[float, float]:
        given = [one for one in after if one.confidence >= at]
        rightly = sum(one.item in answerable for one in given)
        return 1 - rightly / can, (len(given) - rightly) / cannot

    def miss(at: float) -> float:
        abstained, answered = shares(at)
        return max(abstained / WRONGLY_ABSTAINED, answered / WRONGLY_ANSWERED, 1.0)

    best = min(STEPS, key=miss)
    return best, *shares(best)


def _posting(after: Sequence[Forecast]) -> tuple[float, float, float | None]:
    """The lowest threshold above which enough are right, the share of answers above it, and of right ones among them.

    1 if there is none: then nothing is posted without a person.
    """
    for at in STEPS:
        above = [one.is_right for one in after if one.confidence >= at]
        if above and sum(above) >= POSTED_RIGHT * len(above):
            return at, len(above) / len(after), round(sum(above) / len(above), 4)
    return 1.0, 0.0, None

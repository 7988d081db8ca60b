"""Agreement of two raters, with bootstrap intervals over questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.types import Value
from eval.statistics import LEVEL, Mean

RESAMPLES = 500
Scores = NDArray[np.float64]
Rows = NDArray[np.int64]
Figure = Callable[[Rows], float]
"""A figure of the rows with these positions; NaN where it is not defined."""


class Agreement(Value):
    """How two raters agree; kappas, `exact` and `within_one` are of scores rounded to integers."""

    pearson: Mean
    spearman: Mean
    kendall: Mean
    mae: Mean
    exact: Mean
    within_one: Mean
    kappa_linear: Mean
    kappa_quadratic: Mean
    alpha: Mean
    """Krippendorff's alpha for intervals."""


class Resampling:
    """Bootstrap samples of whole questions, the same for every figure, so that figures can be compared in pairs."""

    def __init__(self, questions: Sequence[str]) -> None:
        self._all = np.arange(len(questions))
        rows: dict[str, list[int]] = {}
        for number, question in enumerate(questions):
            rows.setdefault(question, []).append(number)
        groups = [np.array(numbers) for numbers in rows.values()]
        random = np.random.default_rng(0)
        self._samples = [
            np.concatenate([groups[one] for one in random.integers(len(groups), size=len(groups))])
            for _ in range(RESAMPLES if groups else 0)
        ]

    def interval(self, figure: Figure) -> Mean:
        """The figure of all rows with a percentile interval; None if it is not defined."""
        if not len(self._all) or isnan(value := figure(self._all)):
            return Mean(mean=None, low=None, high=None)
        values = np.array([figure(sample) for sample in self._samples])
        low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Mean(mean=round(value, 6), low=round(float(low), 6), high=round(float(high), 6))


def agreement(resampling: Resampling, pairs: Sequence[tuple[Scores, Scores]]) -> Agreement:
    """The mean agreement over pairs of raters who scored the same rows."""

    def over_pairs(measure: Callable[[Scores, Scores], float]) -> Mean:
        return resampling.interval(
            lambda rows: float(np.mean([measure(first[rows], second[rows]) for first, second in pairs]))
        )

    return Agreement(**{name: over_pairs(measure) for name, measure in MEASURES.items()})


def among_raters(resampling: Resampling, raters: Sequence[Scores]) -> Agreement | None:
    """The mean agreement of every two raters; None if there is only one."""
    pairs = list(combinations(raters, 2))
    return agreement(resampling, pairs) if pairs else None


def rounded(scores: Scores) -> Scores:
    """Scores rounded to integers, halves upwards."""
    return np.floor(scores + 0.5)


def pearson(one: Scores, other: Scores) -> float:
    """NaN if one of them is constant."""
    first, second = one - one.mean(), other - other.mean()
    lengths = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / lengths if lengths > 1e-9 else float("nan")


def correlation(one: Scores, other: Scores) -> Figure:
    """Pearson's correlation of some of the rows."""
    return lambda rows: pearson(one[rows], other[rows])


def gain(judge: Scores, baseline: Scores, humans: Scores) -> Figure:
    """By how much the judge's correlation with humans is higher than the baseline's, on the same rows."""
    return lambda rows: pearson(judge[rows], humans[rows]) - pearson(baseline[rows], humans[rows])


def _spearman(one: Scores, other: Scores) -> float:
    from scipy import stats

    return pearson(stats.rankdata(one), stats.rankdata(other))


def _kendall(one: Scores, other: Scores) -> float:
    from scipy import stats

    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(stats.kendalltau(one, other).statistic)


def weighted_kappa(one: Scores, other: Scores, power: int) -> float:
    """Cohen's kappa of scores rounded to integers, with weights `|a - b|**power`; NaN if all scores are one.

    1 minus the mean disagreement of pairs over that of any two scores (Cohen 1968), from the counts of each score: the
    confusion matrix, which scikit-learn builds and checks, is not needed, and intervals ask for thousands of kappas.
    """
    first, second = rounded(one).astype(int), rounded(other).astype(int)
    low, high = min(first.min(), second.min()), max(first.max(), second.max())
    if low == high:
        return float("nan")
    values = np.arange(high - low + 1)
    shares = [np.bincount(scores - low, minlength=len(values)) / len(scores) for scores in (first, second)]
    expected = shares[0] @ np.abs(values[:, None] - values[None, :]) ** power @ shares[1]
    return float(1 - (np.abs(first - second) ** power).mean() / expected)


def _alpha(one: Scores, other: Scores) -> float:
    import krippendorff

    if np.ptp(np.concatenate([one, other])) == 0:
        return float("nan")
    return float(krippendorff.alpha(np.array([one, other]), level_of_measurement="interval"))


MEASURES: Mapping[str, Callable[[Any, Any], float]] = {
    "pearson": pearson,
    "spearman": _spearman,
    "kendall": _kendall,
    "mae": lambda one, other: float(np.abs(one - other).mean()),
    "exact": lambda one, other: float((rounded(one) == rounded(other)).mean()),
    "within_one": lambda one, other: float((np.abs(rounded(one) - rounded(other)) <= 1).mean()),
    "kappa_linear": lambda one, other: weighted_kappa(one, other, 1),
    "kappa_quadratic": lambda one, other: weighted_kappa(one, other, 2),
    "alpha": _alpha,
}
"""By the name of the field of `Agreement`."""

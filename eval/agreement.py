"""How two raters agree: correlations, kappa and alpha, with bootstrap intervals over questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.types import Value
from eval.statistics import Figure, Mean, Resampling

Scores = NDArray[np.float64]


class ScoreAgreement(Value):
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


def agreement(resampling: Resampling, pairs: Sequence[tuple[Scores, Scores]]) -> ScoreAgreement:
    """The mean agreement over pairs of raters who scored the same rows."""

    def over_pairs(measure: Callable[[Scores, Scores], float]) -> Mean:
        return resampling.interval(
            lambda rows: float(np.mean([measure(first[rows], second[rows]) for first, second in pairs]))
        )

    return ScoreAgreement(**{name: over_pairs(measure) for name, measure in MEASURES.items()})


def among_raters(resampling: Resampling, raters: Sequence[Scores]) -> ScoreAgreement | None:
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


def spearman(one: Scores, other: Scores) -> float:
    """NaN if one of them is constant."""
    from scipy import stats

    return pearson(stats.rankdata(one), stats.rankdata(other))


def _kendall(one: Scores, other: Scores) -> float:
    from scipy import stats

    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(stats.kendalltau(one, other).statistic)


def kappa(one: NDArray[Any], other: NDArray[Any], power: int = 1) -> float:
    """Cohen's kappa of scores rounded to integers, with weights `|a - b|**power`; NaN if all scores are one.

    1 minus the mean disagreement of pairs over that of any two scores (Cohen 1968), from the counts of each score: the
    confusion matrix, which scikit-learn builds and checks, is not needed, and intervals ask for thousands of kappas.
    """
    if not len(one):
        return float("nan")
    first, second = (rounded(scores.astype(float)).astype(int) for scores in (one, other))
    low, high = min(first.min(), second.min()), max(first.max(), second.max())
    if low == high:
        return float("nan")
    values = np.arange(high - low + 1)
    shares = [np.bincount(scores - low, minlength=len(values)) / len(scores) for scores in (first, second)]
    expected = shares[0] @ np.abs(values[:, None] - values[None, :]) ** power @ shares[1]
    return float(1 - (np.abs(first - second) ** power).mean() / expected)


def auc(values: Scores, is_positive: NDArray[Any]) -> float:
    """The probability that a positive has the higher value; ties count half (Mann and Whitney, 1947).

    NaN if all or none are positive.
    """
    from scipy import stats

    positive = int(is_positive.sum())
    negative = len(is_positive) - positive
    if not positive or not negative:
        return float("nan")
    ranks = stats.rankdata(values)[is_positive == 1]
    return float((ranks.sum() - positive * (positive + 1) / 2) / (positive * negative))


def _alpha(one: Scores, other: Scores) -> float:
    import krippendorff

    if np.ptp(np.concatenate([one, other])) == 0:
        return float("nan")
    return float(krippendorff.alpha(np.array([one, other]), level_of_measurement="interval"))


MEASURES: Mapping[str, Callable[[Any, Any], float]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": _kendall,
    "mae": lambda one, other: float(np.abs(one - other).mean()),
    "exact": lambda one, other: float((rounded(one) == rounded(other)).mean()),
    "within_one": lambda one, other: float((np.abs(rounded(one) - rounded(other)) <= 1).mean()),
    "kappa_linear": kappa,
    "kappa_quadratic": lambda one, other: kappa(one, other, 2),
    "alpha": _alpha,
}
"""By the name of the field of `ScoreAgreement`."""

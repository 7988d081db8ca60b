"""Figures with their uncertainty: means and other figures with 95 % intervals, and paired comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import isnan

import numpy as np
from numpy.typing import NDArray

from core.types import Value

RESAMPLES = 9999
FEW_RESAMPLES = 500
"""For figures that take long to compute."""
LEVEL = 0.95
ALPHA = 0.05
"""A difference is significant below this p."""
SPREAD = 1e-9
"""Values that differ by less are considered equal."""


class Mean(Value):
    """A mean and its 95 % interval. All are None if nothing could be scored."""

    mean: float | None
    low: float | None
    high: float | None


NO_MEAN = Mean(mean=None, low=None, high=None)
Figure = Callable[[NDArray[np.int64]], float]
"""A figure of the rows with these positions; NaN where it is not defined."""


class Resampling:
    """Bootstrap samples of whole groups of rows, the same for every figure, so that figures can be compared in pairs.

    `groups` is the group of each row, such as its question.
    """

    def __init__(self, groups: Sequence[str], resamples: int = FEW_RESAMPLES) -> None:
        self._all = np.arange(len(groups))
        rows: dict[str, list[int]] = {}
        for number, group in enumerate(groups):
            rows.setdefault(group, []).append(number)
        whole = [np.array(numbers) for numbers in rows.values()]
        random = np.random.default_rng(0)
        self._samples = [
            np.concatenate([whole[number] for number in random.integers(len(whole), size=len(whole))])
            for _ in range(resamples if whole else 0)
        ]

    def interval(self, figure: Figure) -> Mean:
        """The figure of all rows with a percentile interval, without samples in which it is not defined.

        All are None if it is not defined for all rows.
        """
        if not len(self._all) or isnan(value := figure(self._all)):
            return NO_MEAN
        values = np.array([figure(sample) for sample in self._samples])
        low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Mean(mean=round(value, 6), low=round(float(low), 6), high=round(float(high), 6))


class Comparison(Value):
    """Two actors on the same items: the mean difference, how often each was better, and the p-value."""

    better: str
    than: str
    difference: float
    wins: int
    losses: int
    p: float
    """Two-sided p-value, adjusted for the number of comparisons."""


def mean_of(values: Sequence[float], *, shares: bool = True) -> Mean:
    """The mean of independent values with a bootstrap interval (BCa; Efron, 1987).

    If all values are equal, resampling gives an interval without width. For `shares` (values from 0 to 1) that are all
    0 or all 1, the exact binomial interval is used instead. Values of one question under several seeds are not
    independent: average them first.
    """
    if not values:
        return NO_MEAN
    sample = np.asarray(values, dtype=float)
    mean = float(sample.mean())
    if np.ptp(sample) >= SPREAD:
        low, high = _resampled(sample)
    elif shares and (mean < SPREAD or mean > 1 - SPREAD):
        low, high = _exact(round(mean), len(sample))
    else:
        low, high = mean, mean
    return Mean(mean=round(mean, 6), low=round(low, 6), high=round(high, 6))


def share_of(count: int, n: int) -> Mean:
    """A share with its exact binomial interval (Clopper and Pearson, 1934)."""
    if not n:
        return NO_MEAN
    low, high = _exact(count / n, n)
    return Mean(mean=round(count / n, 6), low=round(low, 6), high=round(high, 6))


def _resampled(sample: NDArray[np.float64]) -> tuple[float, float]:
    from scipy import stats

    found = stats.bootstrap(
        (sample,), np.mean, n_resamples=RESAMPLES, batch=500, confidence_level=LEVEL, rng=np.random.default_rng(0)
    )
    low, high = found.confidence_interval
    return float(low), float(high)


def _exact(share: float, n: int) -> tuple[float, float]:
    from scipy import stats

    interval = stats.binomtest(round(share * n), n).proportion_ci(confidence_level=LEVEL, method="exact")
    return float(interval.low), float(interval.high)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which that share of the values lies; None without values."""
    return round(float(np.quantile(values, share)), 3) if values else None


def compare(scores: dict[str, dict[str, float]], against: str | None = None) -> list[Comparison]:
    """Every pair of actors on the items that both have scores for, most significant first.

    With `against`, only pairs with that actor, which also reduces the correction. Sign-flip permutation test of the
    mean difference, with Holm's correction (1979). `scores` are by actor, then item.
    """
    pairs = [pair for pair in combinations(scores, 2) if against is None or against in pair]
    tested = sorted((_test(a, b, scores[a], scores[b]) for a, b in pairs), key=lambda found: found.p)
    adjusted = holm([found.p for found in tested])
    return [found.model_copy(update={"p": p}) for found, p in zip(tested, adjusted, strict=True)]


def holm(ps: Sequence[float]) -> list[float]:
    """Each p adjusted for the number of tests (Holm, 1979), in the order given."""
    adjusted = [0.0] * len(ps)
    floor = 0.0
    for rank, position in enumerate(sorted(range(len(ps)), key=lambda position: ps[position])):
        floor = min(1.0, max(floor, ps[position] * (len(ps) - rank)))
        adjusted[position] = round(floor, 6)
    return adjusted


class Paired(Value):
    """A candidate's values minus those of a base, item by item. `p` is two-sided and not adjusted."""

    n: int
    difference: Mean
    p: float


def paired(base: Mapping[str, float], candidate: Mapping[str, float]) -> Paired:
    """On the items that both have: the mean difference with its interval, and a sign-flip permutation test of it."""
    differences = np.array([candidate[item] - value for item, value in base.items() if item in candidate])
    return Paired(
        n=len(differences),
        difference=mean_of(differences.tolist(), shares=False),
        p=_p_value(differences[differences != 0]),
    )


def _test(a: str, b: str, first: dict[str, float], second: dict[str, float]) -> Comparison:
    shared = [item for item in first if item in second]
    differences = np.array([first[item] - second[item] for item in shared])
    if differences.sum() < 0:
        a, b, differences = b, a, -differences
    return Comparison(
        better=a,
        than=b,
        difference=round(float(differences.mean()), 6) if shared else 0.0,
        wins=int((differences > 0).sum()),
        losses=int((differences < 0).sum()),
        p=_p_value(differences[differences != 0]),
    )


def _p_value(differences: NDArray[np.float64]) -> float:
    """Two-sided p of the mean difference; items without a difference are left out."""
    if len(differences) < 2:
        return 1.0
    from scipy import stats

    found = stats.permutation_test(
        (differences,),
        lambda sample, axis: np.mean(sample, axis=axis),
        permutation_type="samples",
        n_resamples=RESAMPLES,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    return float(found.pvalue)

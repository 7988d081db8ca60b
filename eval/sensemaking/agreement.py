"""How far Evaluators agree: classes of agreement, rankings of triplets, and correlation."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

from core.errors import InvalidInput
from core.types import Value
from eval.sensemaking.formats.submissions import Submission

NEAR, APART = 10.0, 40.0
"""Differences of two ratings, of 100, up to which they agree, and from which on they contradict each other."""
TIE = 1e-9


class Agreement(Value):
    """Two submissions of ratings compared.

    `agreeing`, `close` and `contrary` are the shares of answers by the difference of their ratings: at most 10, up to
    40, and more. `triplets` is the share of triplets of one list's answers that both rank alike, ties included;
    None without triplets. `spearman` is over all answers, None if one of the two rates all alike.
    """

    answers: int
    agreeing: float
    close: float
    contrary: float
    triplets: float | None
    spearman: float | None
    mean_difference: float


def agreement(first: Submission, second: Submission) -> Agreement:
    """Compare the ratings of the lists that both have. Raises `InvalidInput` if no answer was rated by both."""
    shared = [path for path in first.lists if path in second.lists]
    pairs: list[tuple[float, float]] = []
    triplets: list[bool] = []
    for path in shared:
        rated = list(_pairs(first, second, path))
        pairs += rated
        triplets += [_ranked_alike(*three) for three in combinations(rated, 3)]
    if not pairs:
        raise InvalidInput("The two submissions have rated no answer in common. Name ratings of the same answers.")
    differences = [abs(a - b) for a, b in pairs]
    found = len(pairs)
    return Agreement(
        answers=found,
        agreeing=sum(one <= NEAR for one in differences) / found,
        close=sum(NEAR < one <= APART for one in differences) / found,
        contrary=sum(one > APART for one in differences) / found,
        triplets=fmean(triplets) if triplets else None,
        spearman=_spearman(pairs),
        mean_difference=fmean(a - b for a, b in pairs),
    )


def _pairs(first: Submission, second: Submission, path: str) -> list[tuple[float, float]]:
    rows, others = first.lists[path], second.lists[path]
    if [len(row) for row in rows] != [len(row) for row in others]:
        raise InvalidInput(f"{path}: the two submissions rate different numbers of answers.")
    return [
        (float(a), float(b)) for row, other in zip(rows, others, strict=True) for a, b in zip(row, other, strict=True)
    ]


def _ranked_alike(*three: tuple[float, float]) -> bool:
    """Whether every two of the three are in the same order, or tied, by both."""
    return all(_order(a[0] - b[0]) == _order(a[1] - b[1]) for a, b in combinations(three, 2))


def _order(difference: float) -> int:
    return 0 if abs(difference) < TIE else 1 if difference > 0 else -1


def _spearman(pairs: list[tuple[float, float]]) -> float | None:
    from scipy import stats

    first, second = zip(*pairs, strict=True)
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(stats.spearmanr(first, second).statistic)

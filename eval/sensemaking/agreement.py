"""How far Evaluators agree: classes of agreement, rankings of triplets, and correlation."""

from __future__ import annotations

from itertools import combinations
from math import isnan
from statistics import fmean

import numpy as np

from core.errors import InvalidInput
from core.types import Value
from eval.agreement import spearman
from eval.sensemaking.formats.submissions import TaskSubmission

NEAR, APART = 10.0, 40.0
"""Differences of two ratings, of 100, up to which they agree, and from which on they contradict each other."""
TIE = 1e-9


class RatingAgreement(Value):
    """Two submissions of ratings compared.

    `agreeing`, `close` and `contrary` are the shares of answers by the difference of their ratings: at most 10, up to
    40, and more. `triplets` is the share of triplets of one list's answers that both rank alike, ties included;
    None without triplets. `spearman` is over all answers, None if one of the two rates all alike. `problems` name the
    lists that are not compared.
    """

    answers: int
    agreeing: float
    close: float
    contrary: float
    triplets: float | None
    spearman: float | None
    mean_difference: float
    problems: tuple[str, ...] = ()


def compare_ratings(first: TaskSubmission, second: TaskSubmission) -> RatingAgreement:
    """Compare the ratings of the lists that both have. Raises `InvalidInput` if no answer was rated by both."""
    pairs: list[tuple[float, float]] = []
    triplets: list[bool] = []
    problems = [
        f"{path}: only one of the two submissions has it." for path in sorted(first.lists.keys() ^ second.lists.keys())
    ]
    for path in (path for path in first.lists if path in second.lists):
        try:
            rated = _pairs(first, second, path)
        except InvalidInput as error:
            problems.append(str(error))
            continue
        pairs += rated
        triplets += [_ranked_alike(*three) for three in combinations(rated, 3)]
    if not pairs:
        raise InvalidInput(
            " ".join(
                [*problems, "The two submissions have rated no answer in common. Name ratings of the same answers."]
            )
        )
    differences = [abs(a - b) for a, b in pairs]
    found = len(pairs)
    return RatingAgreement(
        answers=found,
        agreeing=sum(one <= NEAR for one in differences) / found,
        close=sum(NEAR < one <= APART for one in differences) / found,
        contrary=sum(one > APART for one in differences) / found,
        triplets=fmean(triplets) if triplets else None,
        spearman=_spearman(pairs),
        mean_difference=fmean(a - b for a, b in pairs),
        problems=tuple(problems),
    )


def _pairs(first: TaskSubmission, second: TaskSubmission, path: str) -> list[tuple[float, float]]:
    """The ratings of one list by both, without rows that one of the two lacks. Raises `InvalidInput` for a list of
    other answers."""
    rows, others = first.lists[path], second.lists[path]
    unusable = first.unusable.get(path, frozenset()) | second.unusable.get(path, frozenset())
    usable = [row for row in range(max(len(rows), len(others))) if row not in unusable]
    if len(rows) != len(others) or any(len(rows[row]) != len(others[row]) for row in usable):
        raise InvalidInput(f"{path}: the two submissions rate different numbers of answers. The list is not compared.")
    return [(float(a), float(b)) for row in usable for a, b in zip(rows[row], others[row], strict=True)]


def _ranked_alike(*three: tuple[float, float]) -> bool:
    """Whether every two of the three are in the same order, or tied, by both."""
    return all(_order(a[0] - b[0]) == _order(a[1] - b[1]) for a, b in combinations(three, 2))


def _order(difference: float) -> int:
    return 0 if abs(difference) < TIE else 1 if difference > 0 else -1


def _spearman(pairs: list[tuple[float, float]]) -> float | None:
    value = spearman(*np.array(pairs).T)
    return None if isnan(value) else value

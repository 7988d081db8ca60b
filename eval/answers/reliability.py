"""How reliable a stated confidence is: AUC, Brier skill and the reliability diagram.

The event that a confidence predicts: a passage that answers the message is cited first. It never happens for messages
that the course cannot answer, nor for abstentions, which cite nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from core.store.tables import ResultState
from core.types import Value
from eval.agreement import auc
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import cites_right_first
from eval.scoring import ScoredRun
from eval.statistics import Mean, Resampling, mean_of

BINS = 10
"""Bins of a reliability diagram, of equal width."""
RESAMPLES = 1999

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Forecast:
    """The confidence in one answer, and whether it was right."""

    item: str
    confidence: float
    is_right: bool
    is_answered: bool


class Bin(Value):
    """Answers with a confidence from `start` (included) to `end` (included in the last bin only)."""

    start: float
    end: float
    n: int
    confidence: float
    """Mean confidence."""
    right: Mean
    """Share of right ones."""


class Reliability(Value):
    """`auc` is the probability that a right answer has the higher confidence than one that is not; ties count half.

    `brier_skill` is 1 less the Brier score over that of always stating the share of right ones. Both have bootstrap
    intervals (percentiles; whole messages are drawn). None if all or none are right.
    """

    auc: Mean
    brier_skill: Mean
    auc_answered: Mean
    """AUC without the abstentions."""
    bins: tuple[Bin, ...]


def reliability(forecasts: Sequence[Forecast]) -> Reliability:
    """The figures for one actor. CPU-bound."""
    answered = [one for one in forecasts if one.is_answered]
    return Reliability(
        auc=_resampled(forecasts, auc),
        brier_skill=_resampled(forecasts, _brier_skill),
        auc_answered=_resampled(answered, auc),
        bins=tuple(_bins(forecasts)),
    )


def forecasts_of(outcome: ScoredRun[LabelledAnswer], actor: str) -> list[Forecast]:
    """The actor's confidences in its outputs for messages that need a response."""
    items = outcome.plan.dataset.by_id
    rows = [row for row in outcome.of(actor) if row.state == ResultState.SCORED]
    found = [(items[row.item], AnswerOutput.model_validate(row.output)) for row in rows]
    return [
        Forecast(item.id, answer.confidence, cites_right_first(item, answer), answer.is_answered)
        for item, answer in found
        if item.expects is not Expectation.NO_RESPONSE and answer.confidence is not None
    ]


def _brier_skill(confidence: Values, right: Values) -> float:
    """NaN if all or none are right."""
    base = right.mean() * (1 - right.mean())
    return float(1 - np.mean((confidence - right) ** 2) / base) if base else float("nan")


def _resampled(forecasts: Sequence[Forecast], figure: Callable[[Values, Values], float]) -> Mean:
    """With an interval over messages, whose answers under several seeds stay together."""
    confidence = np.array([one.confidence for one in forecasts], dtype=float)
    right = np.array([one.is_right for one in forecasts], dtype=float)
    resampling = Resampling([one.item for one in forecasts], RESAMPLES)
    return resampling.interval(lambda rows: figure(confidence[rows], right[rows]))


def _bins(forecasts: Sequence[Forecast]) -> list[Bin]:
    """The bins that are not empty. Answers to one message under several seeds are averaged for the interval."""
    found: dict[int, list[Forecast]] = {}
    for one in forecasts:
        found.setdefault(min(int(one.confidence * BINS), BINS - 1), []).append(one)
    return [_bin(number, ones) for number, ones in sorted(found.items())]


def _bin(number: int, ones: Sequence[Forecast]) -> Bin:
    by_item: dict[str, list[bool]] = {}
    for one in ones:
        by_item.setdefault(one.item, []).append(one.is_right)
    return Bin(
        start=number / BINS,
        end=(number + 1) / BINS,
        n=len(ones),
        confidence=round(fmean(one.confidence for one in ones), 6),
        right=mean_of([fmean(values) for values in by_item.values()]),
    )

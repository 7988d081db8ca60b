"""Fits the regression of `offline.confidence`, and measures it on messages that it was not fitted to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidInput
from core.types import Value
from eval.answers.reliability import Forecast, Reliability, reliability
from eval.fitting.confidence_cases import Case
from offline.confidence import FEATURES, Calibration, numbers

STRENGTH = 0.3
"""Inverse of the L2 penalty (scikit-learn's C) on standardised features."""
FOLDS = 10
REPEATS = 3
SENDABLE = 2
"""The grade of an answer that can be sent as it is."""
WRONGLY_ABSTAINED, WRONGLY_ANSWERED = 0.10, 0.20
"""Goals: shares of answerable messages without an answer, and of unanswerable ones with one."""
THRESHOLDS = tuple(round(0.02 * step, 2) for step in range(46))

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class FittedTable:
    """Cases as numbers: features of shape (n, f), whether the first citation is right, weights, and groups."""

    cases: tuple[Case, ...]
    features: Matrix
    right: NDArray[np.int64]
    weights: Matrix
    groups: NDArray[np.int64]
    unknown: Mapping[str, float]


class ConfidenceThreshold(Value):
    """What abstaining below a confidence gives, on messages that the weights were not fitted to."""

    confidence: float
    wrongly_abstained: float
    """Share of answerable messages without an answer."""
    wrongly_answered: float
    """Share of unanswerable messages with one."""


class GradedReport(Value):
    """How well grade 2 (the answer can be sent as it is) is told, on held-out answers that a person graded.

    `confidence` is the calibration itself, which is fitted to passages; `own` a regression over the same evidence that
    is fitted to the grades.
    """

    n: int
    grades: dict[int, int]
    confidence: Reliability
    own: Reliability


class ConfidenceReport(Value):
    """Figures on held-out messages: by folds of all courses, and for each course with weights from the others.

    `left_out` is what abstaining gives in each course at the threshold that the others choose. `graded` is None if too
    few answers are graded.
    """

    n: int
    messages: dict[str, int]
    abstain_below: float
    folds: Reliability
    across: dict[str, Reliability]
    left_out: dict[str, ConfidenceThreshold]
    thresholds: tuple[ConfidenceThreshold, ...]
    graded: GradedReport | None


def fit(cases: Sequence[Case]) -> tuple[ConfidenceReport, Calibration]:
    """The calibration fitted to all cases, and its figures on held-out ones. CPU-bound.

    Raises `InvalidInput` if too few messages are cited rightly, or wrongly, for as many folds.
    """
    _demand_both(cases)
    table = _table([case for case in cases if case.evidence is not None])
    folds = _by_folds(table)
    empty = [case for case in cases if case.evidence is None]
    thresholds = _thresholds([*table.cases, *empty], [*folds, *([0.0] * len(empty))])
    abstain_below = chosen(thresholds)
    across = _across(table)
    report = ConfidenceReport(
        n=len({case.group for case in cases}),
        messages=Counter(course for course, _ in {case.group for case in cases}),
        abstain_below=abstain_below,
        folds=reliability(_forecasts(table.cases, folds)),
        across={name: reliability(_forecasts(own, confidences)) for name, (own, confidences) in across.items()},
        left_out=_left_out(across, empty),
        thresholds=thresholds,
        graded=_graded(table, folds),
    )
    intercept, weights = _learned(table, np.ones(len(table.cases), dtype=bool))
    named = {name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True)}
    unknown = {name: round(value, 4) for name, value in table.unknown.items()}
    return report, Calibration(round(intercept, 4), named, unknown, abstain_below)


def to_file(calibration: Calibration, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The content of `confidence.json`; `facts` describe the training data."""
    return {"learned_from": dict(facts), **asdict(calibration)}


def chosen(thresholds: Sequence[ConfidenceThreshold]) -> float:
    """The threshold that keeps to both goals, or misses the one that it misses most by the smallest factor."""
    return min(thresholds, key=_miss).confidence


def _miss(threshold: ConfidenceThreshold) -> float:
    return max(threshold.wrongly_abstained / WRONGLY_ABSTAINED, threshold.wrongly_answered / WRONGLY_ANSWERED)


def _demand_both(cases: Sequence[Case]) -> None:
    quoted = [case for case in cases if case.evidence is not None]
    right, wrong = (len({case.group for case in quoted if case.is_right is one}) for one in (True, False))
    if min(right, wrong) < FOLDS:
        raise InvalidInput(
            f"A passage that answers is cited first for {right} messages, and another one for {wrong}. Of both, at "
            f"least {FOLDS} are needed: label more messages, also some that the material does not answer, or add a "
            "course."
        )


def _table(cases: Sequence[Case]) -> FittedTable:
    """The answers to one message weigh as much as those to another."""
    evidence = [case.evidence for case in cases if case.evidence is not None]
    known: dict[str, list[float]] = {}
    for name, value in (pair for one in evidence for pair in asdict(one).items()):
        known.setdefault(name, []).extend([] if value is None else [value])
    has_gaps = {name: values for name, values in known.items() if len(values) < len(evidence)}
    unknown = {"nothing": 0.0, **{name: fmean(values or [0.0]) for name, values in has_gaps.items()}}
    answers, ids = Counter(case.group for case in cases), {case.group: n for n, case in enumerate(cases)}
    rows = [numbers(one, unknown) for one in evidence]
    return FittedTable(
        tuple(cases),
        np.array([[row[name] for name in FEATURES] for row in rows]),
        np.array([case.is_right for case in cases], dtype=np.int64),
        np.array([1 / answers[case.group] for case in cases]),
        np.array([ids[case.group] for case in cases], dtype=np.int64),
        unknown,
    )


def _learned(table: FittedTable, rows: NDArray[np.bool_]) -> tuple[float, Matrix]:
    """Intercept and weights for unscaled features, fitted to these rows."""
    from sklearn.linear_model import LogisticRegression

    features, weights = table.features[rows], table.weights[rows]
    centre, spread = features.mean(0), features.std(0) + 1e-9
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit((features - centre) / spread, table.right[rows], sample_weight=weights)
    unscaled = model.coef_[0] / spread
    return float(model.intercept_[0] - unscaled @ centre), unscaled


def _predicted(table: FittedTable, fitted_to: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Matrix:
    intercept, weights = _learned(table, fitted_to)
    return np.asarray(1 / (1 + np.exp(-intercept - table.features[rows] @ weights)))


def _by_folds(table: FittedTable) -> list[float]:
    """The confidence in each case, from weights fitted to other messages; the mean of several divisions."""
    from sklearn.model_selection import StratifiedGroupKFold

    sums = np.zeros(len(table.cases))
    for seed in range(REPEATS):
        folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
        for _, fold in folds.split(table.features, table.right, table.groups):
            held_out = np.isin(np.arange(len(table.cases)), fold)
            sums[held_out] += _predicted(table, ~held_out, held_out)
    return [float(one) for one in sums / REPEATS]


def _across(table: FittedTable) -> dict[str, tuple[list[Case], list[float]]]:
    """For each of several courses its cases, with the confidence by weights fitted to the other courses."""
    courses = np.array([case.course for case in table.cases])
    names = sorted(set(courses.tolist()))
    found = {}
    for name in names if len(names) > 1 else ():
        own = courses == name
        cases = [case for case in table.cases if case.course == name]
        found[name] = (cases, _predicted(table, ~own, own).tolist())
    return found


def _left_out(
    across: Mapping[str, tuple[list[Case], list[float]]], empty: Sequence[Case]
) -> dict[str, ConfidenceThreshold]:
    """What abstaining gives in each course, at the threshold that is chosen on the others."""
    whole = {
        name: ([*cases, *none], [*confidences, *([0.0] * len(none))])
        for name, (cases, confidences) in across.items()
        for none in [[case for case in empty if case.course == name]]
    }
    found = {}
    for name, (cases, confidences) in whole.items():
        others = [pair for other, pair in whole.items() if other != name]
        learned = _thresholds(
            [case for some, _ in others for case in some], [one for _, some in others for one in some]
        )
        found[name] = _threshold(chosen(learned), cases, confidences)
    return found


def _graded(table: FittedTable, confidences: Sequence[float]) -> GradedReport | None:
    """The answers to one message by several actors may be the same one, which was graded once."""
    rows = list({case.group: n for n, case in enumerate(table.cases) if case.grade is not None}.values())
    cases = [replace(table.cases[n], is_right=table.cases[n].grade == SENDABLE) for n in rows]
    grades = Counter(case.grade for case in cases if case.grade is not None)
    if min(grades[SENDABLE], len(cases) - grades[SENDABLE]) < FOLDS:
        return None
    own = _table(cases)
    return GradedReport(
        n=len(cases),
        grades=dict(sorted(grades.items())),
        confidence=reliability(_forecasts(cases, [confidences[n] for n in rows])),
        own=reliability(_forecasts(cases, _by_folds(own))),
    )


def _forecasts(cases: Sequence[Case], confidences: Sequence[float]) -> list[Forecast]:
    return [
        Forecast(" ".join(case.group), confidence, case.is_right, is_answered=True)
        for case, confidence in zip(cases, confidences, strict=True)
    ]


def _thresholds(cases: Sequence[Case], confidences: Sequence[float]) -> tuple[ConfidenceThreshold, ...]:
    return tuple(_threshold(at, cases, confidences) for at in THRESHOLDS)


def _threshold(at: float, cases: Sequence[Case], confidences: Sequence[float]) -> ConfidenceThreshold:
    answered: dict[bool, list[bool]] = {True: [], False: []}
    for case, confidence in zip(cases, confidences, strict=True):
        if case.is_answerable is not None:
            answered[case.is_answerable].append(case.evidence is not None and confidence >= at)
    return ConfidenceThreshold(
        confidence=at,
        wrongly_abstained=round(1 - fmean(answered[True] or [True]), 4),
        wrongly_answered=round(fmean(answered[False] or [False]), 4),
    )

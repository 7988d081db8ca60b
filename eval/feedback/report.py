"""How often feedback flags what is amiss, and how often work that is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from core.homework import CRITERIA, Verdict
from core.types import Value
from eval.feedback.dataset import FeedbackDataset, LabelledSubmission
from eval.statistics import Mean, share_of
from homework.findings import Checked

RESAMPLES = 2_000
Flags = NDArray[np.bool_]


class CriterionFigures(Value):
    """Figures of one criterion; an item is flagged by partly or wrong, and `cannot_tell` is no flag.

    `false_alarms` is the share flagged among the items labelled right. Intervals are of 95 %: exact for shares, by
    resampling items for F1 and kappa.
    """

    n: int = Field(description="Items with a label other than not_applicable.")
    precision: Mean
    recall: Mean
    f1: Mean
    false_alarms: Mean
    kappa: Mean = Field(description="Cohen's kappa of flagged and not flagged.")
    cannot_tell: int = Field(description="Items of which nothing was said.")
    right_line: Mean = Field(description="Of the flagged items with a labelled line, those where that line is named.")


class Disagreement(Value):
    """An item that was judged otherwise than its label."""

    submission: str
    criterion: str
    label: Verdict
    verdict: Verdict
    evidence: str


class FeedbackReport(Value):
    """The figures of a data set by criterion."""

    n: int = Field(description="Submissions.")
    criteria: dict[str, CriterionFigures]
    disagreements: tuple[Disagreement, ...] = ()


def feedback_report(dataset: FeedbackDataset, checked: Sequence[Checked]) -> FeedbackReport:
    """Compare the checks of each submission, in order, with its labels."""
    pairs = list(zip(dataset.submissions, checked, strict=True))
    return FeedbackReport(
        n=len(pairs),
        criteria={name: _figures(name, pairs) for name in CRITERIA},
        disagreements=tuple(one for name in CRITERIA for one in _disagreements(name, pairs)),
    )


def _labelled(
    name: str, pairs: Sequence[tuple[LabelledSubmission, Checked]]
) -> list[tuple[LabelledSubmission, Checked]]:
    return [pair for pair in pairs if pair[0].labels.get(name, Verdict.NOT_APPLICABLE) is not Verdict.NOT_APPLICABLE]


def _figures(name: str, pairs: Sequence[tuple[LabelledSubmission, Checked]]) -> CriterionFigures:
    counted = _labelled(name, pairs)
    wanted = np.array([item.labels[name].is_flagged for item, _ in counted], dtype=bool)
    flagged = np.array([checked[name].verdict.is_flagged for _, checked in counted], dtype=bool)
    placed = [
        (item.where[name], item.text, checked)
        for item, checked in counted
        if checked[name].verdict.is_flagged and item.labels[name].is_flagged and item.where.get(name)
    ]
    right = np.array([_names(name, where, text, checked) for where, text, checked in placed], dtype=bool)
    return CriterionFigures(
        n=len(counted),
        precision=_share(wanted[flagged]),
        recall=_share(flagged[wanted]),
        f1=_mean(_f1, wanted, flagged),
        false_alarms=_share(flagged[~wanted]),
        kappa=_mean(_kappa, wanted, flagged),
        cannot_tell=sum(checked[name].verdict is Verdict.CANNOT_TELL for _, checked in counted),
        right_line=_share(right),
    )


def _names(name: str, where: str, text: str, checked: Checked) -> bool:
    lines = [line.strip() for line in text.splitlines()]
    named = {lines[one.line - 1] for one in checked[name].findings if one.line and one.line <= len(lines)}
    return where.strip() in named


def _disagreements(name: str, pairs: Sequence[tuple[LabelledSubmission, Checked]]) -> list[Disagreement]:
    return [
        Disagreement(
            submission=item.id,
            criterion=name,
            label=item.labels[name],
            verdict=checked[name].verdict,
            evidence=" ".join(one.evidence for one in checked[name].findings) or checked[name].evidence,
        )
        for item, checked in _labelled(name, pairs)
        if item.labels[name].is_flagged != checked[name].verdict.is_flagged
    ]


def _mean(figure: Callable[[Flags, Flags], float | None], wanted: Flags, flagged: Flags) -> Mean:
    """The figure with its interval; None where it is not defined, and resamples where it is not are left out."""
    value = figure(wanted, flagged)
    if value is None:
        return Mean(mean=None, low=None, high=None)
    draws = np.random.default_rng(0).integers(0, len(wanted), (RESAMPLES, len(wanted)))
    found = [one for draw in draws if (one := figure(wanted[draw], flagged[draw])) is not None]
    low, high = np.percentile(found, (2.5, 97.5)) if found else (value, value)
    return Mean(mean=round(value, 6), low=round(float(low), 6), high=round(float(high), 6))


def _share(flags: Flags) -> Mean:
    return share_of(int(flags.sum()), int(flags.size))


def _f1(wanted: Flags, flagged: Flags) -> float | None:
    total = int(wanted.sum()) + int(flagged.sum())
    return 2 * int((wanted & flagged).sum()) / total if total else None


def _kappa(wanted: Flags, flagged: Flags) -> float | None:
    """Cohen's kappa; not defined where one of the two says the same of every item."""
    if not wanted.size:
        return None
    agreed = float((wanted == flagged).mean())
    first, second = float(wanted.mean()), float(flagged.mean())
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else (agreed - chance) / (1 - chance)

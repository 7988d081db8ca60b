"""How often feedback flags what is amiss, and how often work that is right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from core.homework import CRITERIA, Verdict
from core.types import Value
from eval.actors.computed import COMPUTED
from eval.agreement import kappa
from eval.feedback.dataset import LabelledSubmission, SubmissionItem
from eval.report import Figures, Report, common, plain_figures
from eval.scoring import ScoredRun
from eval.statistics import Mean, Resampling, share_of
from homework.findings import HomeworkChecks

RESAMPLES = 2_000
WITH_MODEL = "with a model"
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


class FeedbackReport(Report[Figures]):
    """The figures of a data set by criterion, as it is computed and, where a model was asked, with its word."""

    criteria: dict[str, CriterionFigures]
    with_model: dict[str, CriterionFigures] | None = None
    disagreements: tuple[Disagreement, ...] = ()


Pair = tuple[LabelledSubmission, HomeworkChecks]


def feedback_report(outcome: ScoredRun[SubmissionItem]) -> FeedbackReport:
    """Compare the checks of each submission with its labels. CPU-bound."""
    pairs, model_pairs = _pairs(outcome, COMPUTED), _pairs(outcome, WITH_MODEL)
    return FeedbackReport(
        **common(outcome),
        actors=plain_figures(outcome),
        comparisons=(),
        criteria={name: _figures(name, pairs) for name in CRITERIA},
        with_model={name: _figures(name, model_pairs) for name in CRITERIA} if model_pairs else None,
        disagreements=tuple(one for name in CRITERIA for one in _disagreements(name, model_pairs or pairs)),
    )


def _pairs(outcome: ScoredRun[SubmissionItem], actor: str) -> list[Pair]:
    items = outcome.plan.dataset.by_id
    if actor not in {one.name for one in outcome.plan.actors}:
        return []
    return [(items[name].submission, checks_in(output)) for name, output in outcome.outputs(actor).items()]


def checks_in(output: Any) -> HomeworkChecks:
    """The checks that a row stores."""
    return _checks().validate_python(output)


def to_json(checked: HomeworkChecks) -> Any:
    """The checks as a row stores them."""
    return _checks().dump_python(checked, mode="json")


@cache
def _checks() -> TypeAdapter[HomeworkChecks]:
    return TypeAdapter(HomeworkChecks)


def labelled_criteria(item: SubmissionItem) -> list[str]:
    """The criteria with a label other than not_applicable."""
    return [name for name in CRITERIA if _is_labelled(name, item.submission)]


def _is_labelled(name: str, submission: LabelledSubmission) -> bool:
    return submission.labels.get(name, Verdict.NOT_APPLICABLE) is not Verdict.NOT_APPLICABLE


def _labelled(name: str, pairs: Sequence[Pair]) -> list[Pair]:
    return [pair for pair in pairs if _is_labelled(name, pair[0])]


def _figures(name: str, pairs: Sequence[Pair]) -> CriterionFigures:
    counted = _labelled(name, pairs)
    wanted = np.array([item.labels[name].is_flagged for item, _ in counted], dtype=bool)
    flagged = np.array([checked[name].verdict.is_flagged for _, checked in counted], dtype=bool)
    placed = [
        (item.where[name], item.text, checked)
        for item, checked in counted
        if checked[name].verdict.is_flagged and item.labels[name].is_flagged and item.where.get(name)
    ]
    resampling = Resampling([item.id for item, _ in counted], RESAMPLES)
    right = np.array([_names(name, where, text, checked) for where, text, checked in placed], dtype=bool)
    return CriterionFigures(
        n=len(counted),
        precision=_share(wanted[flagged]),
        recall=_share(flagged[wanted]),
        f1=resampling.interval(lambda rows: _f1(wanted[rows], flagged[rows])),
        false_alarms=_share(flagged[~wanted]),
        kappa=resampling.interval(lambda rows: kappa(wanted[rows], flagged[rows])),
        cannot_tell=sum(checked[name].verdict is Verdict.CANNOT_TELL for _, checked in counted),
        right_line=_share(right),
    )


def _names(name: str, where: str, text: str, checked: HomeworkChecks) -> bool:
    lines = [line.strip() for line in text.splitlines()]
    named = {lines[one.line - 1] for one in checked[name].findings if one.line and one.line <= len(lines)}
    return where.strip() in named


def _disagreements(name: str, pairs: Sequence[Pair]) -> list[Disagreement]:
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


def _share(flags: Flags) -> Mean:
    return share_of(int(flags.sum()), int(flags.size))


def _f1(wanted: Flags, flagged: Flags) -> float:
    total = int(wanted.sum()) + int(flagged.sum())
    return 2 * int((wanted & flagged).sum()) / total if total else float("nan")

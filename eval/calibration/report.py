"""The report on a judge's agreement with people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from statistics import fmean

import numpy as np
from pydantic import Field

from core.score import Score
from core.store.tables import ResultRow
from core.types import Value
from eval.actors.judge import JudgeScore
from eval.agreement import ScoreAgreement, Scores, agreement, among_raters, correlation, gain, rounded
from eval.calibration.baselines import BASELINES
from eval.calibration.panel import PanelFigures, panel_figures
from eval.report import Figures, Report, common, plain_figures
from eval.scoring import ScoredRun, mean_usage
from eval.statistics import Mean, Resampling, mean_of
from judging.answers import JudgedAnswer, Scale
from judging.base import AnyJudge

MAX_WORST = 10
MAX_BINS = 12
"""Scales with more integers are shown in bins."""
HUNDRED = 100


class Baseline(Value):
    """A simple measure: its correlation with people, and by how much the judge's is higher on the same samples."""

    pearson: Mean
    judge_minus_baseline: Mean


class Biases(Value):
    """What the judge's error (judge less humans) depends on; 0 is none."""

    length: Mean = Field(description="Correlation of the error with the logarithm of the answer's length.")
    position: Mean = Field(
        description="Of a judge that is asked in both orders, how much more often than half it chooses what comes "
        "first; of others, the correlation of the error with the position in the file."
    )
    authors: dict[str, Mean] = Field(description="Mean error by author, if authors are known.")


class JudgeError(Value):
    """An item on which judge and humans differ most; scores are on the scale of the data."""

    id: str
    question: str
    reference: str
    answer: str
    human: float
    judge: float
    explanation: str


class Heatmap(Value):
    """Number of answers by human score (rows) and judge's score (columns); labels are lower bounds."""

    labels: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]


class PerHundred(Value):
    """For 100 judged items. The cost is None if a price is not known."""

    cost_usd: float | None
    seconds: float | None


class CalibrationReport(Report[Figures], ScoreAgreement):
    """Agreement of one judge with people. Figures are over scored items; `n` counts the unscored ones, too."""

    judge: str
    form: str = Field(description="`computed` without a language model, or `model`.")
    raters: int
    unscored: int
    unscored_reasons: dict[str, int]
    with_estimates: ScoreAgreement | None = Field(
        default=None, description="Agreement where estimates stand for the scores in doubt; None if no score is."
    )
    humans: ScoreAgreement | None = Field(
        description="Of the humans among themselves: the ceiling. None with one rater."
    )
    baselines: dict[str, Baseline]
    biases: Biases
    inconsistent: float | None = Field(description="Share of verdicts that depend on the order; None if not asked.")
    panel: PanelFigures | None = Field(default=None, description="Agreement of a panel's members; None without one.")
    heatmap: Heatmap
    worst: tuple[JudgeError, ...]
    per_100: PerHundred
    criteria: dict[str, Mean] = Field(
        default_factory=dict, description="Means on each criterion's own scale, of a judge with several."
    )


def calibration_report(outcome: ScoredRun[JudgedAnswer], judge: AnyJudge, scale: Scale) -> CalibrationReport:
    """Compares the scores, put on the scale of the data, with the human ones. CPU-bound."""
    items = outcome.plan.dataset.items
    scores = scores_of(outcome, judge.name)
    scored = [item for item in items if scores[item.id].value is not None]
    values = np.array([scale.at(judge.scale.share(scores[item.id].value or 0.0)) for item in scored])
    humans = np.array([item.human for item in scored])
    resampling = Resampling([item.question for item in scored])
    found = agreement(resampling, [(values, humans)])
    raters = [np.array(column) for column in zip(*(item.scores for item in scored), strict=True)]
    return CalibrationReport(
        **{**common(outcome), "actors": plain_figures(outcome)},
        comparisons=(),
        judge=judge.name,
        form=outcome.plan.facts["form"],
        raters=len(items[0].scores),
        unscored=len(items) - len(scored),
        unscored_reasons=_reasons(scores.values()),
        **{name: getattr(found, name) for name in ScoreAgreement.model_fields},
        with_estimates=_with_estimates(items, scores, judge.scale, scale),
        humans=among_raters(resampling, raters),
        baselines=_baselines(resampling, scored, values, humans),
        biases=_biases(resampling, scored, [scores[item.id] for item in scored], values - humans),
        inconsistent=_inconsistent([scores[item.id] for item in scored]),
        panel=panel_figures(scored, [scores[item.id] for item in scored], judge.scale, scale),
        heatmap=_heatmap(humans, values, scale),
        worst=_worst(scored, scores, values),
        per_100=per_hundred(outcome.of(judge.name)),
        criteria=criteria_means(judge, [(item.id, scores[item.id].parts) for item in scored]),
    )


def _with_estimates(
    items: Sequence[JudgedAnswer], scores: dict[str, Score], own: Scale, scale: Scale
) -> ScoreAgreement | None:
    known = [(item, estimate) for item in items if (estimate := scores[item.id].estimate) is not None]
    if all(scores[item.id].value is not None for item, _ in known):
        return None
    values = np.array([scale.at(own.share(estimate)) for _, estimate in known])
    resampling = Resampling([item.question for item, _ in known])
    return agreement(resampling, [(values, np.array([item.human for item, _ in known]))])


def scores_of(outcome: ScoredRun[JudgedAnswer], actor: str) -> dict[str, Score]:
    """The judge's score of every item; one that was not judged is unscored."""
    rows = {row.item: row for row in outcome.of(actor)}
    absent = Score(unscored="It was not judged: the run ended before.")
    return {
        item.id: Score.model_validate(rows[item.id].scores[JudgeScore.stem]) if item.id in rows else absent
        for item in outcome.plan.dataset.items
    }


def per_hundred(rows: Sequence[ResultRow]) -> PerHundred:
    """Mean cost and time of a row, times 100."""
    cost = mean_usage(rows, "cost_usd")
    times = [row.ms for row in rows if row.ms is not None]
    return PerHundred(
        cost_usd=None if cost is None else round(HUNDRED * cost, 6),
        seconds=round(HUNDRED * fmean(times) / 1000, 3) if times else None,
    )


def criteria_means(judge: AnyJudge, parts: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, Mean]:
    """Means by criterion over items, from their scores by criterion; empty for a judge with a single criterion."""
    names = [one.name for one in judge.rubric.criteria]
    values: dict[str, dict[str, list[float]]] = {name: {} for name in names if len(names) > 1}
    for item, scores in parts:
        for name in values.keys() & scores.keys():
            values[name].setdefault(item, []).append(scores[name])
    return {name: mean_of([fmean(own) for own in by_item.values()], shares=False) for name, by_item in values.items()}


def _reasons(scores: Iterable[Score]) -> dict[str, int]:
    found: dict[str, int] = {}
    for score in scores:
        if score.unscored is not None:
            found[score.unscored] = found.get(score.unscored, 0) + 1
    return found


def _baselines(
    resampling: Resampling, items: Sequence[JudgedAnswer], judge: Scores, humans: Scores
) -> dict[str, Baseline]:
    found = {name: measure(items) for name, measure in BASELINES.items()} if items else {}
    return {
        name: Baseline(
            pearson=resampling.interval(correlation(values, humans)),
            judge_minus_baseline=resampling.interval(gain(judge, values, humans)),
        )
        for name, values in found.items()
    }


def _biases(resampling: Resampling, items: Sequence[JudgedAnswer], scores: Sequence[Score], error: Scores) -> Biases:
    lengths = np.array([log(1 + len(item.answer.split())) for item in items])
    authors = {item.author for item in items if item.author}
    return Biases(
        length=resampling.interval(correlation(error, lengths)),
        position=_position(resampling, scores, error),
        authors={
            name: mean_of(
                [float(one) for one, item in zip(error, items, strict=True) if item.author == name], shares=False
            )
            for name in sorted(authors)
        },
    )


def _position(resampling: Resampling, scores: Sequence[Score], error: Scores) -> Mean:
    if scores and "inconsistent" in scores[0].parts:
        first = np.array([(one.parts["first"] + 1 - one.parts["second"]) / 2 - 0.5 for one in scores])
        return resampling.interval(lambda rows: float(first[rows].mean()))
    return resampling.interval(correlation(error, np.arange(len(error), dtype=float)))


def _inconsistent(scores: Sequence[Score]) -> float | None:
    found = [score.parts["inconsistent"] for score in scores if "inconsistent" in score.parts]
    return round(fmean(found), 6) if found else None


def _heatmap(humans: Scores, judge: Scores, scale: Scale) -> Heatmap:
    low, high = rounded(np.array([scale.min, scale.max]))
    if (high - low) + 1 <= MAX_BINS and high - low >= 2:
        labels = np.arange(low, high + 1)
        bins = [np.clip(rounded(one) - low, 0, len(labels) - 1).astype(int) for one in (humans, judge)]
    else:
        labels = np.linspace(scale.min, scale.max, MAX_BINS - 1)[:-1]
        shares = [(one - scale.min) / scale.range * len(labels) for one in (humans, judge)]
        bins = [np.clip(one, 0, len(labels) - 1).astype(int) for one in shares]
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(counts, tuple(bins), 1)
    return Heatmap(labels=tuple(float(one) for one in labels), counts=tuple(tuple(row) for row in counts.tolist()))


def _worst(items: Sequence[JudgedAnswer], scores: dict[str, Score], values: Scores) -> tuple[JudgeError, ...]:
    found = sorted(zip(items, values, strict=True), key=lambda pair: -abs(pair[1] - pair[0].human))
    return tuple(
        JudgeError(
            id=item.id,
            question=item.question,
            reference=item.reference,
            answer=item.answer,
            human=round(item.human, 3),
            judge=round(float(value), 3),
            explanation=scores[item.id].explanation,
        )
        for item, value in found[:MAX_WORST]
    )

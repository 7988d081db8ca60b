"""What judges contribute to the report on answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

import numpy as np
from pydantic import Field

from core.store.tables import ResultRow, ResultState
from core.types import Value
from eval.agreement import MEASURES, Scores, rounded
from eval.answers.judging.chosen import acceptable_score
from eval.answers.judging.evidence import why_not_judged
from eval.answers.judging.judging import AnswerJudging
from eval.calibration.report import PerHundred, criteria_means, per_hundred
from eval.datasets.answers import LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.scoring import ScoredRun, score_value
from eval.statistics import SPREAD, Mean, Resampling, mean_of
from judging.answers import Scale

MAX_STEPS = 10
"""A scale of more integers is shown in fewer bins."""
BINS = 5


class JudgeFigures(Value):
    """A judge: how it judges, what that costs, and how many answers it could not score."""

    judge: str
    form: str = Field(description="`computed` without a language model, or `model`.")
    model: str
    scale: Scale
    acceptable: float = Field(description="Score from which an answer is acceptable.")
    bins: tuple[float, ...] = Field(description="Lower bounds of the distributions' bins.")
    n: int = Field(description="Different answers to judge.")
    unscored: int = Field(description="Those without a usable verdict.")
    unscored_reasons: dict[str, int]
    failed: int = Field(description="Those that could not be judged at all, as when a model cannot be reached.")
    per_100: PerHundred


class JudgedFigures(Value):
    """One actor's answers by one judge, over the messages that the judge reads answers to, under each seed.

    `n` is the sum of scored answers, of `unanswered` messages and of `unscored` ones.
    """

    n: int
    unanswered: int = Field(description="Messages without an answer, such as abstentions; none of them is acceptable.")
    unscored: int = Field(description="Failed messages, and answers without a usable verdict; in no figure.")
    unscored_reasons: dict[str, int]
    acceptable: Mean = Field(description="Share of messages with an acceptable answer.")
    distribution: tuple[int, ...] = Field(description="Answers by bin of the score.")
    criteria: dict[str, Mean] = Field(
        default_factory=dict, description="Means on each criterion's own scale, of a judge with several."
    )


class JudgeAgreement(Value):
    """Agreement of two judges on the same answers, with bootstrap intervals over messages."""

    judges: tuple[str, str]
    n: int
    pearson: Mean
    spearman: Mean
    same_verdict: Mean = Field(description="Share of answers that both or neither find acceptable.")


def judge_figures(judging: AnswerJudging) -> JudgeFigures:
    """How the judge did."""
    scores = judging.metric.scores.values()
    rows = judging.outcome.rows
    return JudgeFigures(
        judge=judging.judge.name,
        form=judging.form,
        model=judging.model,
        scale=judging.judge.scale,
        acceptable=acceptable_score(judging.judge),
        bins=bins_of(judging.judge.scale),
        n=len(scores),
        unscored=sum(score.value is None for score in scores),
        unscored_reasons=dict(Counter(score.unscored for score in scores if score.unscored is not None)),
        failed=len(scores) - sum(row.state == ResultState.SCORED for row in rows),
        per_100=per_hundred(rows),
    )


def judged_figures(outcome: ScoredRun[LabelledAnswer], judging: AnswerJudging, actor: str) -> JudgedFigures:
    """The actor's answers by that judge."""
    metric, items = judging.metric, outcome.plan.dataset.by_id
    judge, evidence = judging.judge.name, metric.evidence
    applicable = {one.id for one in items.values() if why_not_judged(judge, one, evidence) is None}
    rows = [row for row in outcome.of(actor) if row.item in applicable]
    values = [(row, score_value(row.scores, metric.name)) for row in rows]
    unanswered = [row for row in rows if _is_unanswered(row)]
    lacking = [row for row, value in values if value is None and not _is_unanswered(row)]
    threshold = acceptable_score(judging.judge) - SPREAD
    accepted = [(row.item, float(value >= threshold)) for row, value in values if value is not None]
    return JudgedFigures(
        n=len(rows),
        unanswered=len(unanswered),
        unscored=len(lacking),
        unscored_reasons=dict(Counter(row.scores[metric.name]["unscored"] for row in lacking)),
        acceptable=_share([*accepted, *((row.item, 0.0) for row in unanswered)]),
        distribution=_distribution([value for _, value in values if value is not None], judging.judge.scale),
        criteria=_criteria(judging, rows),
    )


def _criteria(judging: AnswerJudging, rows: Sequence[ResultRow]) -> dict[str, Mean]:
    parts = [(row.item, row.scores[judging.metric.name].get("parts", {})) for row in rows if row.scores]
    return criteria_means(judging.judge, parts)


def judges_agree(outcome: ScoredRun[LabelledAnswer], judgings: Sequence[AnswerJudging]) -> tuple[JudgeAgreement, ...]:
    """The agreement of every two judges, on the answers that both have scored."""
    return tuple(_agreement(outcome.rows, one, other) for one, other in combinations(judgings, 2))


def bins_of(scale: Scale) -> tuple[float, ...]:
    """Lower bounds of bins: the integers of the scale, or equal parts of a short or a long one."""
    if _has_steps(scale):
        return tuple(float(one) for one in np.arange(scale.min, scale.max + 1))
    return tuple(round(scale.at(number / BINS), 6) for number in range(BINS))


def _has_steps(scale: Scale) -> bool:
    return 1 < scale.range <= MAX_STEPS and scale.min.is_integer() and scale.max.is_integer()


def _distribution(values: Sequence[float], scale: Scale) -> tuple[int, ...]:
    """Scores are rounded where bins are integers."""
    scores = np.array(values, dtype=float)
    bins = len(bins_of(scale))
    numbers = rounded(scores) - scale.min if _has_steps(scale) else (scores - scale.min) / scale.range * bins
    counts = np.bincount(np.clip(numbers, 0, bins - 1).astype(int), minlength=bins)
    return tuple(int(count) for count in counts)


def _is_unanswered(row: ResultRow) -> bool:
    return row.state == ResultState.SCORED and not AnswerOutput.model_validate(row.output).is_answered


def _share(found: Sequence[tuple[str, float]]) -> Mean:
    """Over messages, whose answers under several seeds count together."""
    by_item: dict[str, list[float]] = {}
    for item, value in found:
        by_item.setdefault(item, []).append(value)
    return mean_of([fmean(values) for values in by_item.values()])


def _agreement(rows: Sequence[ResultRow], one: AnswerJudging, other: AnswerJudging) -> JudgeAgreement:
    names = (one.metric.name, other.metric.name)
    both = [(row, score_value(row.scores, names[0]), score_value(row.scores, names[1])) for row in rows]
    found = [(row.item, a, b) for row, a, b in both if a is not None and b is not None]
    resampling = Resampling([item for item, _, _ in found])
    first, second = np.array([a for _, a, _ in found]), np.array([b for _, _, b in found])
    verdicts = [_accepted(first, one), _accepted(second, other)]
    return JudgeAgreement(
        judges=names,
        n=len(found),
        pearson=_interval(resampling, "pearson", first, second),
        spearman=_interval(resampling, "spearman", first, second),
        same_verdict=_interval(resampling, "exact", *verdicts),
    )


def _accepted(scores: Scores, judging: AnswerJudging) -> Scores:
    """1 for each acceptable score, else 0."""
    return (scores >= acceptable_score(judging.judge) - SPREAD).astype(float)


def _interval(resampling: Resampling, measure: str, first: Scores, second: Scores) -> Mean:
    found = MEASURES[measure]
    return resampling.interval(lambda rows: found(first[rows], second[rows]))

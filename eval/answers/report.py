"""The report on answers: what a person receives, and what explains it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from core.llm.offline import OFFLINE_MODEL
from core.types import Value
from eval.answers.ablations import Ablation, ablations
from eval.answers.differing import DifferingItem, differing_items
from eval.answers.front import Front, front
from eval.answers.judging.figures import (
    JudgeAgreement,
    JudgedFigures,
    JudgeFigures,
    judge_figures,
    judged_figures,
    judges_agree,
)
from eval.answers.judging.judging import AnswerJudging
from eval.answers.reliability import Bin, forecasts_of, reliability
from eval.answers.stated import FittedConfidence, fit_stated
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.metrics.answers.decisions import WronglyAbstained
from eval.metrics.base import Direction, Metric, MetricUnit
from eval.metrics.latency_ms import LatencyMs
from eval.report import Figures, KindFigures, Report, common, common_figures, group_by_kind
from eval.scoring import ScoredRun
from eval.statistics import Comparison, Mean, compare, mean_of


class AnswerFigures(Figures):
    """Figures of one actor. Shares are over the messages that a metric applies to, see `AnswersReport.counts`."""

    auc: Mean = Field(description="Of the confidence; see `eval.answers.reliability`.")
    auc_answered: Mean = Field(description="The same without abstentions.")
    brier_skill: Mean
    reliability: tuple[Bin, ...]
    fitted: FittedConfidence | None = Field(
        default=None, description="What a language model's confidence is worth; null offline, or with too few answers."
    )
    kinds: dict[str, KindFigures]
    judged: dict[str, JudgedFigures] = Field(default_factory=dict, description="By judge.")


class MetricTests(Value):
    """Paired tests of every actor with the baseline by one metric, adjusted within the metric (Holm)."""

    metric: str
    comparisons: tuple[Comparison, ...]


class AnswersReport(Report[AnswerFigures]):
    """`comparisons` are paired tests by the first metric with the baseline, the first actor; `tests` by the others."""

    split: str | None
    counts: dict[Expectation, int] = Field(description="Messages by what is expected for them.")
    baseline: str
    tests: tuple[MetricTests, ...]
    judges: dict[str, JudgeFigures] = Field(default_factory=dict, description="By their names among the metrics.")
    agreement: tuple[JudgeAgreement, ...] = Field(default=(), description="Of every two judges.")
    ablations: tuple[Ablation, ...] = Field(
        default=(),
        description="What left-out fields are worth, by the judges or else the first metric, and by abstentions.",
    )

    front: Front | None = Field(default=None, description="By the first judge, or else by the first metric.")
    differing: tuple[DifferingItem, ...] = Field(default=(), description="Messages on which actors differ most, by it.")

    @property
    def complete(self) -> bool:
        return super().complete and not any(one.failed for one in self.judges.values())

    @property
    def measured(self) -> tuple[str, ...]:
        """Names of the metrics that have means and are no judges."""
        return tuple(name for name in self.means if name not in self.judges)


def answers_report(outcome: ScoredRun[LabelledAnswer], judgings: Sequence[AnswerJudging] = ()) -> AnswersReport:
    """The figures of every actor. CPU-bound."""
    plan = outcome.plan
    baseline = plan.actors[0].name
    tested = {metric.name: _tests(outcome, metric, baseline) for metric in _metrics(outcome)}
    first = plan.metrics[0].name
    quality = judgings[0].metric if judgings else plan.metrics[0]
    actors = {actor.name: _figures(outcome, actor.name, judgings) for actor in plan.actors}
    return AnswersReport(
        **common(outcome),
        split=plan.facts.get("split"),
        counts=_counts(plan.dataset.items),
        actors=actors,
        baseline=baseline,
        comparisons=tested[first],
        tests=tuple(MetricTests(metric=name, comparisons=found) for name, found in tested.items() if name != first),
        judges={one.metric.name: judge_figures(one) for one in judgings},
        agreement=judges_agree(outcome, judgings),
        ablations=ablations(outcome, [*([one.metric for one in judgings] or plan.metrics[:1]), WronglyAbstained()]),
        front=front(actors, quality.name),
        differing=differing_items(outcome, quality),
    )


def _metrics(outcome: ScoredRun[LabelledAnswer]) -> list[Metric[Any]]:
    return [metric for metric in outcome.plan.metrics if not isinstance(metric, LatencyMs)]


def _tests(outcome: ScoredRun[LabelledAnswer], metric: Metric[Any], baseline: str) -> tuple[Comparison, ...]:
    """Values of metrics whose lower values are better are negated, so that `better` names the better actor."""
    sign = 1 if metric.direction is Direction.HIGHER else -1
    scores = {
        actor.name: {item: sign * value for item, value in outcome.scores(metric.name, actor.name).items()}
        for actor in outcome.plan.actors
    }
    return tuple(compare(scores, baseline))


def _counts(items: Sequence[LabelledAnswer]) -> dict[Expectation, int]:
    found = Counter(item.expects for item in items)
    return {expected: found[expected] for expected in Expectation}


def _figures(outcome: ScoredRun[LabelledAnswer], actor: str, judgings: Sequence[AnswerJudging]) -> AnswerFigures:
    forecasts = forecasts_of(outcome, actor)
    found = reliability(forecasts)
    items = outcome.plan.dataset.items
    answerable = frozenset(item.id for item in items if item.expects is Expectation.ANSWER)
    by_model = outcome.plan.facts.get("model") != OFFLINE_MODEL
    return AnswerFigures.model_validate(
        {
            **common_figures(outcome, actor),
            "auc": found.auc,
            "auc_answered": found.auc_answered,
            "brier_skill": found.brier_skill,
            "reliability": found.bins,
            "fitted": fit_stated(forecasts, answerable) if by_model else None,
            "kinds": _kinds(outcome, actor),
            "judged": {one.metric.name: judged_figures(outcome, one, actor) for one in judgings},
        }
    )


def _kinds(outcome: ScoredRun[LabelledAnswer], actor: str) -> dict[str, KindFigures]:
    kinds = group_by_kind(outcome.plan.dataset.items)
    metrics = _metrics(outcome)
    scores = {metric.name: outcome.scores(metric.name, actor) for metric in metrics}
    shares = {metric.name for metric in metrics if metric.unit is MetricUnit.SHARE}
    return {kind: _kind(ids, scores, shares) for kind, ids in kinds.items()}


def _kind(ids: Sequence[str], scores: dict[str, dict[str, float]], shares: set[str]) -> KindFigures:
    values = {name: [found[one] for one in ids if one in found] for name, found in scores.items()}
    means = {name: mean_of(some, shares=name in shares) for name, some in values.items() if some}
    return KindFigures.model_validate({"n": len(ids), **means})

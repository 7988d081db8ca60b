"""What the fields of a question, and passages, are worth: each configuration with and without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from core.types import Value
from eval.actors.answers import AnsweringActor, has
from eval.datasets.answers import LabelledAnswer
from eval.metrics.base import Direction, Metric
from eval.scoring import ScoredRun
from eval.statistics import Mean, holm, paired


class Worth(Value):
    """By how much a metric is better with the field, on the messages that have it."""

    metric: str
    n: int = Field(description="Messages that have the field and were scored with and without it.")
    gain: Mean = Field(description="With the field less without; negated where lower values are better.")
    p: float = Field(description="Two-sided sign-flip permutation test, adjusted for all tests of the table (Holm).")


class Ablation(Value):
    """One configuration with and without one field."""

    actor: str
    without: str
    n: int = Field(description="Messages that have the field.")
    worth: tuple[Worth, ...]


def ablations(outcome: ScoredRun[LabelledAnswer], metrics: Sequence[Metric[LabelledAnswer]]) -> tuple[Ablation, ...]:
    """Every configuration that was also measured without something. CPU-bound."""
    found = [_ablation(outcome, whole, one, metrics) for whole, one in _pairs(outcome)]
    adjusted = iter(holm([worth.p for one in found for worth in one.worth]))
    return tuple(
        one.model_copy(update={"worth": tuple(worth.model_copy(update={"p": next(adjusted)}) for worth in one.worth)})
        for one in found
    )


def _pairs(outcome: ScoredRun[LabelledAnswer]) -> Iterator[tuple[AnsweringActor, AnsweringActor]]:
    """Each configuration, and itself without something."""
    actors = [one for one in outcome.plan.actors if isinstance(one, AnsweringActor)]
    for whole in (one for one in actors if one.without is None):
        for one in actors:
            if one.without and one.identity == whole.leaving_out(one.without).identity:
                yield whole, one


def _ablation(
    outcome: ScoredRun[LabelledAnswer],
    whole: AnsweringActor,
    ablated: AnsweringActor,
    metrics: Sequence[Metric[LabelledAnswer]],
) -> Ablation:
    field = ablated.without or ""
    having = {item.id for item in outcome.plan.dataset.items if has(item.question, field)}
    return Ablation(
        actor=whole.name,
        without=field,
        n=len(having),
        worth=tuple(_worth(outcome, whole.name, ablated.name, metric, having) for metric in metrics),
    )


def _worth(
    outcome: ScoredRun[LabelledAnswer], whole: str, ablated: str, metric: Metric[LabelledAnswer], having: set[str]
) -> Worth:
    sign = 1 if metric.direction is Direction.HIGHER else -1
    base, candidate = (
        {item: sign * value for item, value in outcome.scores(metric.name, actor).items() if item in having}
        for actor in (ablated, whole)
    )
    found = paired(base, candidate)
    return Worth(metric=metric.name, n=found.n, gain=found.difference, p=found.p)

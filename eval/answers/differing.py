"""Messages whose answers by different actors are scored most differently."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from core.store.tables import ResultRow
from core.types import Status, Value
from eval.actors.answers import AnsweringActor
from eval.actors.base import Actor
from eval.actors.limits import LimitActor
from eval.datasets.answers import LabelledAnswer
from eval.datasets.outputs import AnswerOutput, OutputStep
from eval.metrics.base import Direction, Metric
from eval.scoring import ScoredRun, score_value
from eval.statistics import SPREAD

MAX_SHOWN = 10


class ShownAnswer(Value):
    """An actor's answer under the first seed that has a score, with the steps that led to it."""

    actor: str
    score: float = Field(description="Mean over seeds.")
    explanation: str
    status: Status
    answer: str
    steps: tuple[OutputStep, ...]


class DifferingItem(Value):
    """A message with its best and its worst answer."""

    item: str
    text: str
    reference: str
    metric: str
    best: ShownAnswer
    worst: ShownAnswer


def differing_items(outcome: ScoredRun[LabelledAnswer], metric: Metric[LabelledAnswer]) -> tuple[DifferingItem, ...]:
    """The messages with the greatest differences; limits are left out, and left-out fields if actors remain."""
    sign = 1 if metric.direction is Direction.HIGHER else -1
    actors = _compared(outcome.plan.actors)
    scores = {actor.name: outcome.scores(metric.name, actor.name) for actor in actors}
    found = []
    for item in outcome.plan.dataset.items:
        own = {name: sign * values[item.id] for name, values in scores.items() if item.id in values}
        if own and (spread := max(own.values()) - min(own.values())) > SPREAD:
            found.append((spread, item, max(own, key=own.__getitem__), min(own, key=own.__getitem__)))
    found.sort(key=lambda one: -one[0])
    return tuple(
        DifferingItem(
            item=item.id,
            text=item.text,
            reference=item.reference,
            metric=metric.name,
            best=_shown(outcome, metric, best, item.id, scores),
            worst=_shown(outcome, metric, worst, item.id, scores),
        )
        for _, item, best, worst in found[:MAX_SHOWN]
    )


def _compared(actors: Sequence[Actor[LabelledAnswer]]) -> list[Actor[LabelledAnswer]]:
    free = [one for one in actors if not isinstance(one, LimitActor)]
    whole = [one for one in free if not (isinstance(one, AnsweringActor) and one.without)]
    return whole if len(whole) > 1 else free


def _shown(
    outcome: ScoredRun[LabelledAnswer],
    metric: Metric[LabelledAnswer],
    actor: str,
    item: str,
    scores: dict[str, dict[str, float]],
) -> ShownAnswer:
    row = _first_scored(outcome.of(actor), metric.name, item)
    answer = AnswerOutput.model_validate(row.output)
    return ShownAnswer(
        actor=actor,
        score=round(scores[actor][item], 4),
        explanation=row.scores[metric.name]["explanation"],
        status=answer.status,
        answer=answer.answer,
        steps=answer.steps,
    )


def _first_scored(rows: Sequence[ResultRow], metric: str, item: str) -> ResultRow:
    scored = (row for row in rows if row.item == item and score_value(row.scores, metric) is not None)
    return min(scored, key=lambda row: row.seed)

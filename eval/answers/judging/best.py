"""The best of several answers of an actor, as a judge scores them."""

from __future__ import annotations

from core.store.tables import ResultRow, ResultState
from eval.answers.judging.evidence import candidates
from eval.answers.judging.judging import JudgeMetric
from eval.datasets.answers import LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.base import Output
from eval.scoring import ScoredRun


def choose_best(outcome: ScoredRun[LabelledAnswer], metric: JudgeMetric) -> list[ResultRow]:
    """Put the best-scored answer of each row first, the first of equals; returns the rows that changed.

    The others remain its alternatives. An answer that could not be scored is not the best unless all could not.
    """
    items = outcome.plan.dataset.by_id
    rows = [row for row in outcome.rows if row.state == ResultState.SCORED]
    return [row for row in rows if _put_best_first(row, items[row.item], metric)]


def _put_best_first(row: ResultRow, item: LabelledAnswer, metric: JudgeMetric) -> bool:
    found = candidates(AnswerOutput.model_validate(row.output))
    scores = [metric.score(item, Output(one.model_dump(mode="json"), None)).value for one in found]
    best = max(range(len(found)), key=lambda number: -1.0 if scores[number] is None else scores[number] or 0.0)
    others = tuple(one for number, one in enumerate(found) if number != best)
    row.output = found[best].model_copy(update={"alternatives": others}).model_dump(mode="json")
    return best > 0

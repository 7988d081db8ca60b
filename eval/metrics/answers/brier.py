"""`brier`."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import AnswerMetric, cites_right_first
from eval.metrics.base import Direction


@dataclass(frozen=True)
class Brier(AnswerMetric):
    stem: ClassVar[str] = "brier"
    summary: ClassVar[str] = (
        "Squared difference (Brier, 1950) between the confidence and 1 if a passage that answers the message is cited "
        "first, else 0. An abstention cites nothing."
    )
    direction: ClassVar[Direction] = Direction.LOWER
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER, Expectation.ABSTAIN)

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        if answer.confidence is None:
            return Score(unscored="No confidence is known.")
        right = cites_right_first(item, answer)
        return Score(
            value=(answer.confidence - right) ** 2,
            explanation=f"Confidence {answer.confidence:.2f}, {'right' if right else 'not right'}.",
        )

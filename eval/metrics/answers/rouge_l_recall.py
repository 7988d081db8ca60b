"""`rouge_l_recall`."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import AnswerMetric
from judging.rouge import rouge_l


@dataclass(frozen=True)
class RougeLRecall(AnswerMetric):
    stem: ClassVar[str] = "rouge_l_recall"
    summary: ClassVar[str] = (
        "ROUGE-L recall (Lin, 2004): share of the reference's word stems that the answer has in the same order. "
        "Messages that were not answered are unscored."
    )
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER,)
    of_answers: ClassVar[bool] = True

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        return Score(value=rouge_l(item.reference, answer.plain).recall)

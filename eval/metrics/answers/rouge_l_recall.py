"""`rouge_l_recall`."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic.dataclasses import dataclass

from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import AnswerMetric
from eval.metrics.base import Score
from retrievers.tokens import tokenize


class _Words:
    """A tokenizer for rouge-score, whose own one drops every letter outside of English."""

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text)


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


def rouge_l(reference: str, answer: str) -> Any:
    """ROUGE-L of word stems: a tuple with `precision`, `recall` and `fmeasure`."""
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], tokenizer=_Words()).score(reference, answer)["rougeL"]

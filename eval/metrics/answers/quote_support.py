"""`quote_support`."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import AnswerMetric


@dataclass(frozen=True)
class QuoteSupport(AnswerMetric):
    stem: ClassVar[str] = "quote_support"
    summary: ClassVar[str] = "Share of an answer's citations whose quote is in the passage; 0 if it cites nothing."
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER, Expectation.ABSTAIN)
    of_answers: ClassVar[bool] = True
    of_citations: ClassVar[bool] = True

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        citations = answer.citations or ()
        verified = sum(one.verified for one in citations)
        return Score(
            value=verified / len(citations) if citations else 0.0,
            explanation=f"{verified} of {len(citations)} quotes are in their passage.",
        )

"""`wrongly_abstained`, `wrongly_answered` and `no_response_right`: whether the right messages were answered."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from core.types import Status
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import AnswerMetric
from eval.metrics.base import Direction


@dataclass(frozen=True)
class WronglyAbstained(AnswerMetric):
    stem: ClassVar[str] = "wrongly_abstained"
    summary: ClassVar[str] = "Whether a message that the material answers got any status but `answered`."
    direction: ClassVar[Direction] = Direction.LOWER
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER,)

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        return Score(value=not answer.is_answered, explanation=f"Its status is {answer.status}.")


@dataclass(frozen=True)
class WronglyAnswered(AnswerMetric):
    stem: ClassVar[str] = "wrongly_answered"
    summary: ClassVar[str] = "Whether a message that the material does not answer got the status `answered`."
    direction: ClassVar[Direction] = Direction.LOWER
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ABSTAIN,)

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        return Score(value=answer.is_answered, explanation=f"Its status is {answer.status}.")


@dataclass(frozen=True)
class NoResponseRight(AnswerMetric):
    stem: ClassVar[str] = "no_response_right"
    summary: ClassVar[str] = "Whether a message that needs no response got the status `no_response_needed`."
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.NO_RESPONSE,)

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        return Score(value=answer.status is Status.NO_RESPONSE_NEEDED, explanation=f"Its status is {answer.status}.")

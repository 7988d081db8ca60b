"""The common part of metrics of answers."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from core.score import Score
from eval.datasets.answers import KIND, Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.base import Direction, Metric, MetricUnit, Output
from retrievers.locations import covers


class AnswerMetric(Metric[LabelledAnswer]):
    """A metric of an `AnswerOutput`. Only messages with one of the expectations `expects` are scored, with
    `of_answers` only those that were answered, and with `of_citations` only those whose citations are known.
    """

    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.SHARE
    direction: ClassVar[Direction] = Direction.HIGHER
    evaluation: ClassVar[str | None] = KIND
    expects: ClassVar[tuple[Expectation, ...]]
    of_answers: ClassVar[bool] = False
    of_citations: ClassVar[bool] = False

    def score(self, item: LabelledAnswer, output: Output) -> Score:
        answer = AnswerOutput.model_validate(output.content)
        reason = self.reason_against(item, answer)
        return self.scored(item, answer) if reason is None else Score(unscored=reason)

    def reason_against(self, item: LabelledAnswer, answer: AnswerOutput) -> str | None:
        """Why this answer has no score; None if it has one."""
        if item.expects not in self.expects:
            return f"The message expects {item.expects}."
        if self.of_answers and not answer.is_answered:
            return f"There is no answer: its status is {answer.status}."
        if self.of_citations and answer.citations is None:
            return "It is not known what was cited."
        return None

    @abstractmethod
    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        """The score of an answer to a message that this metric applies to."""


def is_labelled(item: LabelledAnswer, location: str) -> bool:
    """Whether the location is one that answers the message, or is inside one."""
    return any(covers(label, location) for label in item.passages)


def cites_right_first(item: LabelledAnswer, answer: AnswerOutput) -> bool:
    """Whether the first citation is a passage that answers the message; never if the course cannot answer it."""
    first = next(iter(answer.citations or ()), None)
    return first is not None and is_labelled(item, first.location)

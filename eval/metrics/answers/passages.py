"""`retrieved`, `cited_first` and `cited`: whether a labelled passage was found, cited first, and cited at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.score import Score
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import AnswerMetric, cites_right_first, is_labelled


@dataclass(frozen=True)
class Retrieved(AnswerMetric):
    stem: ClassVar[str] = "retrieved"
    summary: ClassVar[str] = "Whether a passage that answers the message is among those found for it."
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER,)

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        if answer.retrieved is None:
            return Score(unscored="It is not known what was retrieved.")
        return _score(item, answer.retrieved, "retrieved passages")


@dataclass(frozen=True)
class CitedFirst(AnswerMetric):
    stem: ClassVar[str] = "cited_first"
    summary: ClassVar[str] = "Whether the first citation is a passage that answers the message."
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER,)
    of_citations: ClassVar[bool] = True

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        first = answer.citations[0].location if answer.citations else "nothing"
        return Score(value=cites_right_first(item, answer), explanation=f"It cites {first} first.")


@dataclass(frozen=True)
class Cited(AnswerMetric):
    stem: ClassVar[str] = "cited"
    summary: ClassVar[str] = "Whether a passage that answers the message is cited."
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER,)
    of_citations: ClassVar[bool] = True

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        return _score(item, [one.location for one in answer.citations or ()], "citations")


def _score(item: LabelledAnswer, locations: Sequence[str], what: str) -> Score:
    ranks = [rank for rank, location in enumerate(locations, 1) if is_labelled(item, location)]
    found = f"at {', '.join(map(str, ranks))}" if ranks else "nowhere"
    return Score(value=bool(ranks), explanation=f"Labelled passages among {len(locations)} {what}: {found}.")

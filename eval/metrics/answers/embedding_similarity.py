"""`embedding_similarity`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic.dataclasses import dataclass

from core.score import Score
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.base import AnswerMetric
from eval.metrics.base import Output
from retrievers.embedding.base import Vectors
from retrievers.embedding.minilm import MiniLM


@dataclass(frozen=True)
class EmbeddingSimilarity(AnswerMetric):
    """Always by the model that comes with EduMod, so that courses with different embeddings are comparable."""

    stem: ClassVar[str] = "embedding_similarity"
    summary: ClassVar[str] = (
        "Cosine of the embeddings (all-MiniLM-L6-v2, made for English) of answer and reference, 0 if negative. "
        "Messages that were not answered are unscored."
    )
    expects: ClassVar[tuple[Expectation, ...]] = (Expectation.ANSWER,)
    of_answers: ClassVar[bool] = True

    def scored(self, item: LabelledAnswer, answer: AnswerOutput) -> Score:
        return self._compared([(item, answer)])[0]

    def score_all(self, outputs: Sequence[tuple[LabelledAnswer, Output]]) -> list[Score]:
        answers = [(item, AnswerOutput.model_validate(output.content)) for item, output in outputs]
        reasons = [self.reason_against(*pair) for pair in answers]
        compared = iter(self._compared([pair for pair, why in zip(answers, reasons, strict=True) if why is None]))
        return [next(compared) if why is None else Score(unscored=why) for why in reasons]

    def _compared(self, pairs: Sequence[tuple[LabelledAnswer, AnswerOutput]]) -> list[Score]:
        """Embeds each distinct text once."""
        texts = dict.fromkeys(text for item, answer in pairs for text in (item.reference, answer.plain))
        vectors = dict(zip(texts, MiniLM().embed(list(texts)), strict=True))
        return [Score(value=_cosine(vectors[item.reference], vectors[answer.plain])) for item, answer in pairs]


def _cosine(one: Vectors, other: Vectors) -> float:
    """Of two vectors of length 1."""
    return min(max(float(np.dot(one, other)), 0.0), 1.0)

"""Applies what is known of a model's confidence to an answer of it."""

from __future__ import annotations

from core.llm.stated import StatedConfidence
from core.types import Answer, Doubt, Status


def rescaled(answer: Answer, known: StatedConfidence | None) -> Answer:
    """The answer with a probability as its confidence; an abstention where that is too low, with its text for staff."""
    if known is None or answer.status is not Status.ANSWERED:
        return answer
    confidence = round(known.probability(answer.confidence), 3)
    status = Status.ABSTAINED if confidence < known.abstain_below else answer.status
    doubts = dict.fromkeys([*answer.doubts, *[Doubt.UNSURE] * (confidence < known.post_from)])
    return answer.model_copy(update={"confidence": confidence, "status": status, "doubts": tuple(doubts)})

"""What follows from the confidence of an answer by a model that is known."""

from __future__ import annotations

from core.llm.stated import StatedConfidence
from core.types import Answer, Doubt, Status
from pipelines.running.confidence import rescaled

ANSWER = Answer(status=Status.ANSWERED, markdown="On Friday [1].", confidence=0.8)


def test_the_confidence_of_an_unknown_model_is_taken_as_stated() -> None:
    assert rescaled(ANSWER, None) == ANSWER


def test_the_confidence_of_a_known_model_is_a_probability() -> None:
    assert rescaled(ANSWER, StatedConfidence(intercept=-1.0)).confidence == 0.595


def test_below_its_threshold_an_answer_is_left_to_a_person() -> None:
    answer = rescaled(ANSWER, StatedConfidence(abstain_below=0.9))
    assert (answer.status, answer.markdown) == (Status.ABSTAINED, ANSWER.markdown)


def test_below_the_threshold_of_posting_an_answer_is_doubtful() -> None:
    assert rescaled(ANSWER, StatedConfidence(post_from=0.9)).doubts == (Doubt.UNSURE,)
    assert rescaled(ANSWER, StatedConfidence(post_from=0.8)).doubts == ()


def test_an_abstention_stays_as_it_is() -> None:
    abstention = Answer(status=Status.ABSTAINED, markdown="", confidence=0.1)
    assert rescaled(abstention, StatedConfidence(intercept=2.0, post_from=1.0)) == abstention

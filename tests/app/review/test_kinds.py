"""The kind of a question."""

from __future__ import annotations

import pytest

from app.review.kinds import kind_of
from core.review import QuestionKind
from core.types import Question, Source


@pytest.mark.parametrize(
    ("question", "sources", "kind"),
    [
        (Question(body="ValueError: Input contains NaN"), [Source.ASSIGNMENT], QuestionKind.ERROR_MESSAGE),
        (Question(body="Why?", code="Traceback (most recent call last):"), [], QuestionKind.ERROR_MESSAGE),
        (Question(body="Which for 4a?"), [Source.ASSIGNMENT, Source.QA], QuestionKind.ASSIGNMENT),
        (Question(body="When is it due?"), [Source.LOGISTICS], QuestionKind.LOGISTICS),
        (Question(body="What is a gradient?"), [Source.TEXTBOOK], QuestionKind.CONCEPT),
        (Question(body="Hello"), [], QuestionKind.CONCEPT),
    ],
)  # fmt: skip
def test_an_error_decides_before_what_the_answer_cites(
    question: Question, sources: list[Source], kind: QuestionKind
) -> None:
    assert kind_of(question, sources) is kind

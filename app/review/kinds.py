"""The rough kind of a question, by what it contains and what its answer cites."""

from __future__ import annotations

from collections.abc import Iterable

from core.review import QuestionKind
from core.types import Question, Source

ERROR_SIGNS = ("Traceback (most recent call last)", "Error:", "Exception:", "error:")
_BY_SOURCE = {Source.ASSIGNMENT: QuestionKind.ASSIGNMENT, Source.LOGISTICS: QuestionKind.LOGISTICS}


def kind_of(question: Question, sources: Iterable[Source] = ()) -> QuestionKind:
    """An error message in the question decides; else what the answer cites first."""
    text = "\n".join((question.text, question.code or "", *question.images))
    if any(sign in text for sign in ERROR_SIGNS):
        return QuestionKind.ERROR_MESSAGE
    first = next(iter(sources), None)
    return QuestionKind.CONCEPT if first is None else _BY_SOURCE.get(first, QuestionKind.CONCEPT)

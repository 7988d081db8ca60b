"""Which texts are for staff alone, and which a student may read anyway."""

from __future__ import annotations

from collections.abc import Iterable

from core.types import Passage, Question, Visibility


def staff_texts(passages: Iterable[Passage]) -> list[str]:
    """What in the passages is for staff alone."""
    texts = ((p.solution, p.text if p.visibility is Visibility.STAFF else "") for p in passages)
    return [text for pair in texts for text in pair if text]


def readable_texts(passages: Iterable[Passage]) -> list[str]:
    """What in the passages students may read."""
    return [passage.text for passage in passages if passage.visibility is Visibility.STUDENT]


def asker_texts(question: Question) -> list[str]:
    """All that came with the question. What it says of its authors counts nothing: whoever asks has written it."""
    own = (question.text, question.code or "", *question.images, *(message.body for message in question.thread))
    tested = (text for one in question.tests for text in (one.name, one.expected, one.got, one.message) if text)
    linted = (one.message for one in question.linting)
    return [*own, *tested, *linted]

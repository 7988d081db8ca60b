"""The sentences around quoted passages, by language."""

from __future__ import annotations

import pytest

from core.course.sentences import TRANSLATIONS
from core.types import Question
from offline.phrases import PHRASES, phrases_for


def test_the_languages_of_answers_are_those_of_the_sentences_without_one() -> None:
    assert set(PHRASES) == {"en", *TRANSLATIONS}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        (Question(body="Was ist der Unterschied zwischen loc und iloc?"), "de"),
        (Question(body="¿Cuánto vale el examen final en la nota?"), "es"),
        (Question(body="What is the difference between loc and iloc?"), "en"),
        (Question(body="2b?"), "en"),
        (Question(body="What is the difference between loc and iloc?", language="fr-CA"), "fr"),
        (Question(body="Was ist der Unterschied zwischen loc und iloc?", language="tr"), "en"),
    ],
)
def test_an_answer_speaks_the_language_that_is_asked_for_or_asked_in(question: Question, language: str) -> None:
    assert phrases_for(question, None) is PHRASES[language]

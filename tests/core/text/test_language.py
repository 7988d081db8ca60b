from __future__ import annotations

import pytest

from core.text.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("When is homework 3 due, and may we work in pairs?", "en"),
        ("Bis wann müssen wir das dritte Übungsblatt abgeben?", "de"),
        ("¿Cuánto vale el examen final en la nota?", "es"),
        ("期末考试什么时候？可以带计算器吗？", "zh"),
        ("Comment calcule-t-on la note finale du cours ?", "fr"),
    ],
)
def test_the_language_of_a_question_is_told(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "hw3", "   ", "2b?"])
def test_too_short_a_text_has_no_language(text: str) -> None:
    assert language_of(text) is None

"""The mark for the reviewer of a draft is not in what is posted."""

from __future__ import annotations

import pytest

from core.text.marks import marked_sentences, without_mark


@pytest.mark.parametrize(
    ("markdown", "clean"),
    [
        ("So it is *(not verified)*. Then not.", "So it is. Then not."),
        ("So it is [1] *(not verified)*.", "So it is [1]."),
        ("| a | b |\n\n*(not verified)*\n| c | d |", "| a | b |\n| c | d |"),
        ("$$x$$\n\n*(not verified)*", "$$x$$"),
        ("*(not verified)*", ""),
        ("No mark.", "No mark."),
    ],
)
def test_a_text_loses_the_mark_and_nothing_else(markdown: str, clean: str) -> None:
    assert without_mark(markdown, "(not verified)") == clean


def test_the_sentences_with_the_mark_are_named() -> None:
    text = "This is so *(?)*. That is not.\n\n| a |\n\n*(?)*"
    assert marked_sentences(text, "(?)") == ("This is so.", "| a |")
    assert marked_sentences(text, "") == ()

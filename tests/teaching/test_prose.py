"""Sentences as the Teacher reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teaching.prose import plain, sentences
from teaching.teacher import candidates


@pytest.mark.parametrize("heading", ["Yeast", "## Yeast", "# Yeast and salt ~"])
def test_a_heading_without_a_blank_line_does_not_run_into_its_sentence(heading: str) -> None:
    text = f"{heading}\nYeast is a fungus that ferments sugar and lets a dough rise. Salt is old."
    assert sentences(text)[-2] == "Yeast is a fungus that ferments sugar and lets a dough rise."


def test_lines_that_are_wrapped_are_one_sentence() -> None:
    text = "The dough of a wheat bread rises in the cold for a night, since\nYeast\nis slow there. Rye is not."
    assert sentences(text) == [" ".join(text.split()[:-3]), "Rye is not."]


def test_a_term_in_bold_is_asked_about_and_found_as_it_stands() -> None:
    text = "Bread needs time. A **levain** is a starter that is built for one batch. _Steam_ leads to a *thin* crust."
    levain, steam = candidates(text)
    assert (levain.question, steam.question) == ("What is a levain?", "What does steam lead to?")
    assert (steam.answer, steam.quote) == ("Steam leads to a thin crust.", "_Steam_ leads to a *thin* crust.")


@pytest.mark.parametrize("text", ["2 * 3 * 4", "the name oven_time_s", "f(*a, *b)", "a ** b ** c", "5*6*7"])
def test_marks_that_are_no_emphasis_stay(text: str) -> None:
    assert plain(text) == text


@given(st.text(alphabet="aB. \n#*_?:", max_size=200))
def test_no_word_is_lost(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())

"""Formulas in Markdown, told from prices and shell variables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.formulas import MAX_FORMULA_CHARS, displayed_in, formula_at


@pytest.mark.parametrize(
    ("text", "tex", "is_displayed"),
    [
        ("$x$", "x", False),
        ("$k$th", "k", False),
        ("$x_i$s", "x_i", False),
        ("$p$-value", "p", False),
        (r"$\$5$", r"\$5", False),
        ("$a\n+ b$", "a\n+ b", False),
        ("$$x$$ and", "x", True),
        (r"\(a (b)\)", "a (b)", False),
        (r"\[x[1]\]", "x[1]", True),
    ],
)
def test_what_stands_between_marks_is_a_formula(text: str, tex: str, is_displayed: bool) -> None:
    formula = formula_at(text, 0)
    assert formula is not None
    assert (formula.tex, formula.is_displayed) == (tex, is_displayed)
    assert text[: formula.end].endswith(("$", r"\)", r"\]"))


@pytest.mark.parametrize(
    "text",
    ["$5 and $6", "$5-$6", "$HOME:$PATH", "$ x $", "$x", "$$", "$$ $$", r"\(", r"\( \)", "$a\n\nb$", r"$x\$", "x"],
)
def test_prices_variables_and_marks_alone_are_none(text: str) -> None:
    assert formula_at(text, 0) is None


def test_a_dollar_behind_a_letter_or_digit_opens_nothing() -> None:
    assert formula_at("US$5 to US$", 2) is None
    assert formula_at("5$ or 6$", 1) is None


def test_a_long_text_between_marks_is_none() -> None:
    assert formula_at("$" + "x" * MAX_FORMULA_CHARS + "$", 0) is None
    assert displayed_in(["$$", *["x"] * (MAX_FORMULA_CHARS + 1), "$$"]) is None


@pytest.mark.parametrize(
    ("lines", "tex", "count"),
    [
        (["$$", "x", "$$", "then"], "x", 3),
        (["$$x$$"], "x", 1),
        ([r"\[ x", r"= y \]"], "x\n= y", 2),
        ([r"\begin{align}", "a &= b", r"\end{align}"], r"\begin{align}a &= b\end{align}", 3),
    ],
)
def test_whole_lines_may_be_a_formula(lines: list[str], tex: str, count: int) -> None:
    assert displayed_in(lines) == (tex, count)


@pytest.mark.parametrize(
    "lines", [[], ["x"], ["$$", "x"], ["$$", "", "x$$"], ["$$x$$ and more"], [r"\begin{python}", r"\end{python}"]]
)
def test_other_lines_are_none(lines: list[str]) -> None:
    assert displayed_in(lines) is None


@given(st.text(alphabet="$\\()[]{} xX5\n", max_size=60))
def test_a_formula_lies_within_its_text_whatever_that_is(text: str) -> None:
    for start in range(len(text)):
        formula = formula_at(text, start)
        assert formula is None or (start < formula.end <= len(text) and formula.tex in text[start : formula.end])

"""Code, formulas and brackets are not cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.spans import bracket_spans, split_at_verbatim, verbatim_spans, widened


def test_code_and_formulas_are_verbatim() -> None:
    text = r"So `a $b`, $x_1$, \(y\) and \$5 cost $6." + "\n```\n$z$\n```\n"
    assert [text[a:b] for a, b in verbatim_spans(text)] == ["`a $b`", "$x_1$", r"\(y\)", "```\n$z$\n```\n"]


def test_brackets_belong_together_within_a_paragraph() -> None:
    text = "f(x[1]) and [0, 1) is (half\n\nopen). `g(` $h($ (i)"
    assert [text[a:b] for a, b in bracket_spans(text)] == ["[1]", "(x[1])", "(i)"]
    assert bracket_spans("(" + "x" * 400 + ")") == []


@pytest.mark.parametrize(
    ("text", "quote", "whole"),
    [
        (r"The estimator is $\hat\beta$.", r"The estimator is $\hat\beta", r"The estimator is $\hat\beta$"),
        ("Call `df.head()` now.", "df.head", "`df.head()`"),
        ("Use f(x) here", "Use f(x", "Use f(x)"),
        ("(see Sec. 3. It is long)", "see Sec. 3", "see Sec. 3"),
        ("It ends (as here", "It ends (as", "It ends (as"),
        ("a [b] c", "a", "a"),
    ],
)
def test_a_quote_has_the_whole_of_what_its_edges_touch(text: str, quote: str, whole: str) -> None:
    start = text.index(quote)
    first, last = widened(text, start, start + len(quote))
    assert text[first:last] == whole


@given(st.text(alphabet="`$\\()[]{} ax1\n", max_size=80))
def test_pieces_join_to_the_text_and_spans_lie_in_it(text: str) -> None:
    assert "".join(piece for piece, _ in split_at_verbatim(text)) == text
    for first, last in (*verbatim_spans(text), *bracket_spans(text)):
        assert 0 <= first < last <= len(text)
    start, end = widened(text, len(text) // 3, 2 * len(text) // 3)
    assert 0 <= start <= len(text) // 3
    assert 2 * len(text) // 3 <= end <= len(text)

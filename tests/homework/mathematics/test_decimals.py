"""Decimal commas are told from commas between thousands and between the members of lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homework.mathematics.decimals import other_reading, with_decimal_points


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("P = 0,8944", "P = 0.8944"),
        ("x = 1,5 or x = 2,5", "x = 1.5 or x = 2.5"),
        (r"V = \frac{2{,}00 \cdot 8{,}314}{1{,}50}", r"V = \frac{2.00 \cdot 8.314}{1.50}"),
    ],
)
def test_decimal_commas_become_points(text: str, read: str) -> None:
    assert with_decimal_points(text) == read


@pytest.mark.parametrize("text", ["x = 2,3", "{1,2,3}", "(2,1)", "1,000 * 5 = 5,000", "1{,}200{,}000 J", "1,5 and 2.5"])
def test_other_commas_stay(text: str) -> None:
    assert with_decimal_points(text) == text


def test_commas_that_nothing_tells_apart_have_another_reading() -> None:
    assert other_reading("√14,656 = 3,828") == "√14.656 = 3.828"
    assert other_reading("1,000 * 2.5") is None


@given(st.text(alphabet="0123456789,.{} =\n", max_size=60))
def test_lines_and_digits_stay(text: str) -> None:
    read = with_decimal_points(text)
    assert read.count("\n") == text.count("\n")
    assert [char for char in read if char.isdigit()] == [char for char in text if char.isdigit()]

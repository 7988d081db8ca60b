"""Roman numerals."""

from __future__ import annotations

import pytest

from core.text.numerals import MAX_ROMAN, roman, roman_pattern, roman_value


@pytest.mark.parametrize(
    ("number", "numeral"), [(1, "i"), (4, "iv"), (9, "ix"), (14, "xiv"), (49, "xlix"), (89, "lxxxix")]
)
def test_a_number_is_written_as_a_numeral_and_read_again(number: int, numeral: str) -> None:
    assert roman(number) == numeral
    assert roman_value(numeral, MAX_ROMAN) == number


def test_other_texts_and_larger_numerals_have_no_value() -> None:
    assert roman_value("iiii", MAX_ROMAN) == roman_value("", MAX_ROMAN) == roman_value("xi", 10) == 0


def test_a_pattern_tries_long_numerals_first() -> None:
    assert roman_pattern(4) == "iii|ii|iv|i"

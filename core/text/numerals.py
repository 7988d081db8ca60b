"""Roman numerals, in small letters."""

from __future__ import annotations

_SIGNS = ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
MAX_ROMAN = 89
"""The last number before the sign of 90."""


def roman(number: int) -> str:
    """The numeral of a number from 1 to `MAX_ROMAN`."""
    numeral = ""
    for value, sign in _SIGNS:
        times, number = divmod(number, value)
        numeral += sign * times
    return numeral


def roman_value(numeral: str, largest: int) -> int:
    """The value of a numeral, or 0 for other texts and what is over `largest`."""
    return next((number for number in range(1, largest + 1) if roman(number) == numeral), 0)


def roman_pattern(largest: int) -> str:
    """The alternatives of a regular expression for the numerals up to `largest`, longest first."""
    return "|".join(sorted(map(roman, range(1, largest + 1)), key=len, reverse=True))

"""Whether an answer stands in a text as it is written: in tables, remarks and formulas that nothing else reads."""

from __future__ import annotations

import re
from itertools import chain
from math import isclose

from homework.answers import FinalAnswer
from homework.mathematics.decimals import with_decimal_points
from homework.mathematics.notation import in_one_notation
from homework.mathematics.tokens import MAX_LINE_CHARS
from homework.mathematics.tolerances import CARRIED

_NUMBER = re.compile(
    r"(?<![\w.])(-?)(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})"
    r"(?:[eE]([+-]?\d{1,3})|\s*(?:\\cdot|\\times|[·×*x])\s*10\s*(?:\^|\*\*)\s*[{(]?([+-]?\d{1,3}))?"
)
_DASH = str.maketrans("−–", "--")
MAX_WRITTEN = 20
"""Numbers of enough digits among which the official one may be by work; more would be tries."""
MAX_EXPONENT = 300
MIN_DIGITS = 3
"""Of a number that stands in a text by no chance."""


def is_spelled(official: FinalAnswer, text: str, tolerance: float = CARRIED) -> bool:
    """Whether each number of the answer stands in the text, or its own words or formula do, as `CH2O`. Never raises."""
    if official.is_words or official.term:
        own = _letters_of(official.text)
        return len(own) >= MIN_DIGITS and own in _letters_of(text)
    ends = (end for span in official.ranges for end in (span.low, span.high))
    values = (value.written * (100 if value.is_percent else 1) for value in official.values)
    numbers = [*values, *ends, *chain(*official.rows)]
    if not any(_digits_of(number) >= MIN_DIGITS for number in numbers):
        return False
    written = _numbers_in(text)
    if sum(_digits_of(number) >= MIN_DIGITS for number in {abs(number) for number in written}) > MAX_WRITTEN:
        return False
    # A loss may be written without its sign, but then it is another number.
    return all(
        any(isclose(number, other if number < 0 else abs(other), rel_tol=tolerance) for other in written)
        for number in numbers
    )


def _letters_of(text: str) -> str:
    return re.sub(r"[\s_{}$\\^]", "", text)


def _digits_of(number: float) -> int:
    """The digits of a number as it is written."""
    return len(f"{abs(number):g}".partition("e")[0].replace(".", ""))


def _numbers_in(text: str) -> set[float]:
    """The numbers of a text, with their signs and powers of ten."""
    lines = with_decimal_points(text).translate(_DASH).splitlines()
    found = (number for line in lines for number in _NUMBER.finditer(in_one_notation(line[:MAX_LINE_CHARS])))
    return {_value_of(*number.groups()) for number in found}


def _value_of(sign: str, mantissa: str, exponent: str | None, power: str | None) -> float:
    size = max(-MAX_EXPONENT, min(MAX_EXPONENT, int(exponent or power or 0)))
    return float(f"{sign}{mantissa}") * 10.0**size

"""Whether an answer stands in a text as it is written: in tables, remarks and formulas that nothing else reads."""

from __future__ import annotations

import re
from itertools import chain
from math import isclose

from homework.answers import FinalAnswer
from homework.mathematics.decimals import with_decimal_points
from homework.mathematics.notation import in_one_notation
from homework.mathematics.tolerances import CARRIED

_NUMBER = re.compile(
    r"(?<![\w.])(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})"
    r"(?:[eE]([+-]?\d{1,3})|\s*(?:\\cdot|\\times|[·×*x])\s*10\s*(?:\^|\*\*)\s*[{(]?([+-−]?\d{1,3}))?"
)
MIN_DIGITS = 3
"""Of a number that stands in a text by no chance."""


def is_spelled(official: FinalAnswer, text: str, tolerance: float = CARRIED) -> bool:
    """Whether each number of the answer stands in the text, or its own words or formula do, as `CH2O`."""
    if official.is_words or official.term:
        own = _letters_of(official.text)
        return len(own) >= MIN_DIGITS and own in _letters_of(text)
    ends = (end for span in official.ranges for end in (span.low, span.high))
    values = (value.written * (100 if value.is_percent else 1) for value in official.values)
    numbers = [abs(number) for number in (*values, *ends, *chain(*official.rows))]
    if not any(_digits_of(number) >= MIN_DIGITS for number in numbers):
        return False
    written = _numbers_in(text)
    return all(any(isclose(number, other, rel_tol=tolerance) for other in written) for number in numbers)


def _letters_of(text: str) -> str:
    return re.sub(r"[\s_{}$\\^]", "", text)


def _digits_of(number: float) -> int:
    """The digits of a number as it is written."""
    return len(f"{number:g}".partition("e")[0].replace(".", ""))


def _numbers_in(text: str) -> set[float]:
    """The numbers of a text, with their powers of ten."""
    read = in_one_notation(with_decimal_points(text).replace("−", "-"))
    return {float(number[1]) * 10.0 ** int(number[2] or number[3] or 0) for number in _NUMBER.finditer(read)}

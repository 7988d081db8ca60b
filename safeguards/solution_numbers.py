"""Finds results of an official solution in a text that tells it in words of its own: numbers that no task states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

MIN_DIGITS = 2
"""Digits of a number that can be a result at all: single ones stand everywhere."""
CLEAR_DIGITS = 3
"""Digits, without zeros before or after them, of a number that is a result on its own; of fewer it takes two."""
_NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|\.\d)")


def parts_with_results(parts: Sequence[str], secret: Iterable[str], known: Iterable[str]) -> set[int]:
    """Numbers of the parts that state results of the secret texts.

    A result is also told if it is rounded, or in per cent. What a known text states is none.
    """
    stated = {float(number) for text in known for number in _numbers(text)}
    own = [number for text in secret for number in _numbers(text) if float(number) not in stated]
    told = [
        (part, number) for part, text in enumerate(parts) for number in _numbers(text) if float(number) not in stated
    ]
    results = [(part, number) for part, number in told if any(_is_told(result, number) for result in own)]
    distinct = {float(number) for _, number in results}
    is_enough = len(distinct) > 1 or any(_clear_digits(number) >= CLEAR_DIGITS for _, number in results)
    return {part for part, _ in results} if is_enough else set()


def _numbers(text: str) -> Iterator[str]:
    """The numbers of a text that are long enough, without marks of thousands."""
    numbers = (match[0].replace(",", "") for match in _NUMBER.finditer(text))
    return (number for number in numbers if len(number.replace(".", "").lstrip("0")) >= MIN_DIGITS)


def _is_told(result: str, number: str) -> bool:
    value, told = float(result), float(number)
    if value == told:
        return True
    decimals = len(number.partition(".")[2])
    is_rounded = len(result.partition(".")[2]) > decimals and _clear_digits(number) >= CLEAR_DIGITS
    return is_rounded and any(abs(round(one, decimals) - told) < 1e-9 for one in (value, 100 * value))


def _clear_digits(number: str) -> int:
    """Digits but for zeros at the beginning, and at the end of a whole number."""
    digits = number.replace(".", "").lstrip("0")
    return len(digits if "." in number else digits.rstrip("0"))

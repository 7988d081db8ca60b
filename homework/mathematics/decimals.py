"""Texts that write decimals with a comma, as in most of Europe: `1,25` and `2{,}00`."""

from __future__ import annotations

import re

_POINT = re.compile(r"\d\.\d")
_BRACED = re.compile(r"(\d)\{,\}(?=\d)")
_BRACED_DECIMAL = re.compile(r"\d\{,\}(?:\d{1,2}|\d{4,})(?!\d)")
_COMMA = re.compile(r"(?<![\d,.(\[{])(?:\d+),(?:\d+)(?![\d,)\]}])")
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.])")
_LEADING_ZERO = re.compile(r"0,\d")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+,\d{2}(?![\d.,])")
"""A number that no other way of writing has: `2.750,00`."""
MIN_DECIMALS = 2
"""Numbers with a comma from which on a text without decimal points is read so."""


def with_decimal_points(text: str) -> str:
    """The text with points in place of decimal commas, if it has decimal commas. Lines and their number stay."""
    if _GROUPED.search(text):
        text = _THOUSANDS.sub(lambda number: number[0].replace(".", ""), text)  # So are 84.000 beside 21.000,00.
    text = _GROUPED.sub(lambda number: number[0].replace(".", "").replace(",", "."), text)
    if _BRACED_DECIMAL.search(text):
        text = _BRACED.sub(r"\1.", text)
    elif _POINT.search(text):
        return text
    found = [match[0] for match in _COMMA.finditer(text)]
    is_sure = any(_LEADING_ZERO.match(number) for number in found)
    is_likely = len(found) >= MIN_DECIMALS and any(len(number.partition(",")[2]) != 3 for number in found)
    if is_sure or is_likely:
        return re.sub(r"(?<=\d),(?=\d)", ".", text)
    return text


def other_reading(text: str) -> str | None:
    """The text with each comma between digits as a point, where nothing tells whether it is one; else None."""
    is_open = _COMMA.search(text) is not None and _POINT.search(text) is None
    return re.sub(r"(?<=\d),(?=\d)", ".", text) if is_open else None

"""Limits of what a model may put into a structured reply."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

MAX_ITEMS = 100
"""Maximum statements of an answer, sources of a statement, or missing things in a review."""

MAX_PERCENT = 100.0
MIN_PERCENT = 2.0
"""A number above 1 and below this one is neither a share nor, sensibly, a percentage."""


def is_share(sent: object) -> bool:
    """True of a number from 0 to 1, as a model was asked for."""
    return isinstance(sent, (int, float)) and not isinstance(sent, bool) and 0 <= sent <= 1


def _read_share(sent: Any) -> Any:
    """What a model meant by another number: 45, "45" and "45%" are per cent, and what means nothing is 0."""
    if isinstance(sent, bool):
        return 0.0
    try:
        number = float(sent) if not isinstance(sent, str) else _read_number(sent)
    except (TypeError, ValueError):
        return sent
    if MIN_PERCENT <= number <= MAX_PERCENT:
        return number / 100
    # What is no number, or above 100, is left for the next validator to refuse.
    return 0.0 if 1 < number < MIN_PERCENT or float("-inf") < number < 0 else number


def _read_number(text: str) -> float:
    """A number as text; with a sign for per cent, the share."""
    bare = text.strip().removesuffix("%")
    return float(bare) / 100 if bare != text.strip() else float(bare)


def _check_share(share: float) -> float:
    """Raises `ValueError` above 1."""
    if share > 1:
        raise ValueError("write a number from 0 to 1")
    return round(share, 3)


Share = Annotated[float, BeforeValidator(_read_share), AfterValidator(_check_share)]
"""From 0 to 1, rounded to three decimals, so that further ones cannot carry hidden text."""

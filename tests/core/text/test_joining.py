"""Statements joined as Markdown wants them."""

from __future__ import annotations

import pytest

from core.text.joining import separator


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        ("One.", "Two.", " "),
        ("一。", "二。", ""),
        ("One.", "\nTwo.", "\n\n"),
        ("- one", "- two", "\n"),
        ("1. one", "2) two", "\n"),
        ("Choose:", "- one", "\n\n"),
        ("- one", "Then go on.", "\n\n"),
        ("| a |\n|---|", "| 1 |", "\n"),
        ("Run this:", "```python\nx\n```", "\n\n"),
        ("> a", "> b", "\n"),
        ("One.\n\nTwo.", "Three.", "\n\n"),
        ("Then", "-1 is the result.", " "),
    ],
)
def test_what_stands_between_two_statements_depends_on_both(before: str, after: str, between: str) -> None:
    assert separator(before, after) == between

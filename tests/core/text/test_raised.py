from __future__ import annotations

import pytest

from core.text.raised import lowered, raised


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("10", "9", "^9"), ("x", "n+1", "^(n+1)"), ("km", "2", "^2"), ("s", "-1", "^(-1)"), ("A", "T", "^T"),
        ("the 22", "nd", "nd"), ("Acme", "TM", "TM"), ("f", "′", "′"), ("30", "∘", "°"),
        ("as shown", "4", " [4]"), ("Ende.", "12", " [12]"), ("Miller", "[3]", "[3]"), ("", "1", "1"), ("a ", "1", "1"),
    ],
)  # fmt: skip
def test_raised_characters_are_powers_ordinals_or_marks_of_notes(before: str, text: str, expected: str) -> None:
    assert raised(before, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("4", "₄"), ("12", "₁₂"), ("k", "_k"), ("max", "_max"), ("k-1", "_(k-1)")]
)
def test_lowered_characters_stay_apart(text: str, expected: str) -> None:
    assert lowered("x", text) == expected

"""Bounds what is spent on comparing one answer with secrets, so that no answer can be written to take long."""

from __future__ import annotations

BASE, PER_CHARACTER = 50_000, 4
"""Units that an answer may take, whatever its length, and for each of its characters. A unit is about a microsecond; an
answer of 20,000 characters that quotes a textbook takes 40,000, one of 2,000 characters a thousand."""


class Work:
    """Units of work that are left for an answer of so many characters.

    Where they are used up, the answer was not compared in full, and must be withheld.
    """

    def __init__(self, characters: int) -> None:
        self._left = BASE + PER_CHARACTER * characters

    @property
    def is_used_up(self) -> bool:
        return self._left < 0

    def spend(self, units: int) -> None:
        """Count work that is about to be done."""
        self._left -= units

    def use_up(self) -> None:
        """Leave nothing: there is more to compare than an answer may hold."""
        self._left = -1

"""Numbers in words."""

from __future__ import annotations

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty""".split(),  # noqa: SIM905
        2,
    )
}
"""Digits by word. "One" is left out: it is a pronoun more often."""


def words_up_to(number: int) -> tuple[str, ...]:
    """The words from "two" on."""
    return tuple(NUMBER_WORDS)[: number - 1]

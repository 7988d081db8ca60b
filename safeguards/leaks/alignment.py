"""Aligns sentences with a text: how many of a sentence's tokens stand in the text in the sentence's order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from safeguards.leaks.work import Work

Tokens = Sequence[str]
STEP = 4000
"""Tokens of a text with which a sentence's token is aligned in one unit of work."""
WINDOW = 10
"""Units of work that it takes to look at a stretch of a text."""


class Positions:
    """A text's tokens, and where each of them stands."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._masks: dict[str, int] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.tokens)

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for position, token in enumerate(self.tokens):
            found[token].append(position)
        return dict(found)

    def count(self, sentence: Tokens) -> int:
        """How many of the sentence's tokens stand in the text in any order. Quick, and never less than in order."""
        return sum(map(self.words.__contains__, sentence))

    def in_order(self, sentence: Tokens, enough: float, work: Work) -> bool:
        """True where at least so many of the sentence's tokens stand in the text in their order, or in the reverse."""
        if self.count(sentence) < enough:
            return False
        work.spend(len(sentence) * (1 + len(self.tokens) // STEP))
        return self._longest_common(sentence) >= enough or self._longest_common(sentence[::-1]) >= enough

    def windows(self, sentence: Tokens, size: int, enough: float, work: Work) -> Iterator[Positions]:
        """Stretches of so many tokens, a quarter of the size apart, that may hold enough of the sentence.

        Such a stretch lacks fewer tokens than the ones looked for, those with the fewest positions in the text.
        """
        step = max(size // 4, 1)
        last = -(-max(len(self.tokens) - size, 0) // step)
        rarest = sorted(sentence, key=lambda token: len(self._positions.get(token, ())))
        held = {
            window
            for token in set(rarest[: len(sentence) - int(enough) + 1])
            for position in self._positions.get(token, ())
            for window in range(max(-(-(position - size + 1) // step), 0), min(position // step, last) + 1)
        }
        work.spend(WINDOW * len(held))
        return (Positions(self.tokens[window * step : window * step + size]) for window in sorted(held))

    def _longest_common(self, sentence: Tokens) -> int:
        """Length of the longest common subsequence, all positions at a time (Crochemore et al. 2001, Hyyrö 2004)."""
        every = (1 << len(self.tokens)) - 1
        free = every
        for token in sentence:
            if here := free & self._mask(token):
                free = ((free + here) | (free - here)) & every
        return len(self.tokens) - free.bit_count()

    def _mask(self, token: str) -> int:
        """One bit for each position of the token; made by bytes, since a long text has many positions."""
        mask = self._masks.get(token)
        if mask is None:
            bits = bytearray(len(self.tokens) // 8 + 1)
            for position in self._positions.get(token, ()):
                bits[position // 8] |= 1 << position % 8
            mask = self._masks[token] = int.from_bytes(bits, "little")
        return mask

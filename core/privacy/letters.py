"""The letters and digits of a text in a row, and what stood between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

_RUN = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff]")
"""Scripts that are written without spaces, or whose words take endings."""


class Edge(IntEnum):
    """What is between two letters: nothing, a change within a word (`JaneDoe7`), or another character."""

    NONE = 0
    SOFT = 1
    HARD = 2


@dataclass(frozen=True, slots=True)
class Letters:
    """The small letters and digits of `source`; `at` is where each stands there, `edges` what is before each, and at
    the end."""

    source: str
    text: str
    at: list[int]
    edges: bytearray

    def extent(self, start: int, end: int) -> tuple[int, int]:
        """Where the letters from `start` to before `end` stand in the source."""
        return self.at[start], self.at[end - 1] + 1

    def apart(self, start: int, end: int) -> Iterator[int]:
        """The letters between two positions, counted from the first, that another character stands before."""
        position = self.edges.find(Edge.HARD, start + 1, end)
        while position >= 0:
            yield position - start
            position = self.edges.find(Edge.HARD, position + 1, end)

    def gap(self, position: int) -> str:
        """What stands before the letter at a position, from the one before it on."""
        first = self.at[position - 1] + 1 if position else 0
        return self.source[first : self.at[position] if position < len(self.at) else len(self.source)]


def letters_of(source: str) -> Letters:
    """The letters of a text. Linear time."""
    chars: list[str] = []
    at: list[int] = []
    edges = bytearray()
    for match in _RUN.finditer(source):
        word, start = match[0], match.start()
        small = word.casefold()
        if len(small) == len(word):
            chars.append(small)
            at += range(start, match.end())
        else:
            for position, char in enumerate(word, start):
                folded = char.casefold()
                chars.append(folded)
                at += [position] * len(folded)
        edges += _edges(word)
        edges += bytes(len(at) - len(edges))
        edges[len(at) - len(small)] = Edge.HARD
    edges.append(Edge.HARD)
    return Letters(source, "".join(chars), at, edges)


def _edges(word: str) -> bytearray:
    """The edges within a word, the first of which is its beginning."""
    edges = bytearray(len(word))
    if (word.islower() or word.isupper()) and word.isascii() and word.isalpha():
        return edges
    for position in range(1, len(word)):
        before, char = word[position - 1], word[position]
        is_hump = char.isupper() and (before.islower() or word[position + 1 : position + 2].islower())
        if is_hump or before.isdigit() != char.isdigit() or _UNSPACED.match(char) or _UNSPACED.match(before):
            edges[position] = Edge.SOFT
    return edges

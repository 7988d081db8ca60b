"""Takes an answer's Markdown apart, so that a sentence can be judged or left out without harm to the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE_BLOCK = re.compile(r"(^[ \t]*(```|~~~).*?(?:^[ \t]*\2[ \t]*$|\Z))", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])(?:[ \t]*\[\d+\])*\s+(?=[\"'(*_\[A-ZÀ-Þ0-9`])|(?<=[。！？])(?:\[\d+\])*|\n+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a line of a list or table, or a whole code block; the white space behind it included."""

    text: str
    is_code: bool = False


def units(markdown: str) -> list[Unit]:
    """The text in units; joined, they are the text again."""
    found: list[Unit] = []
    start = 0
    for block in _CODE_BLOCK.finditer(markdown):
        found += [Unit(text) for text in _sentences(markdown[start : block.start()])]
        found.append(Unit(block.group(), is_code=True))
        start = block.end()
    return found + [Unit(text) for text in _sentences(markdown[start:])]


def _sentences(prose: str) -> list[str]:
    ends = [match.end() for match in _SENTENCE.finditer(prose) if match.end() > 0]
    pieces = (prose[start:end] for start, end in zip([0, *ends], [*ends, len(prose)], strict=True))
    return [piece for piece in pieces if piece]

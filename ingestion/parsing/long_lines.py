"""Cuts overlong lines, since blocks end between lines and tokenizers need many times a line's memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ingestion.document import Line, LoadedDocument

MAX_LINE_CHARS = 8_000
"""As much as a block holds; longer lines are cut."""
PIECE_CHARS = 4_000

_SENTENCE_END = re.compile(r"(?:[.!?…][\"')\]]*(?=\s)|[。！？；।॥؟])")
_SPACE = re.compile(r"\s(?=\S)")


def with_short_lines(document: LoadedDocument) -> LoadedDocument:
    """The document with lines over `MAX_LINE_CHARS` cut after sentences, else between words."""
    if all(len(line.text) <= MAX_LINE_CHARS for line in document.lines):
        return document
    return replace(document, lines=tuple(piece for line in document.lines for piece in _cut(line)))


def _cut(line: Line) -> Iterator[Line]:
    if len(line.text) <= MAX_LINE_CHARS:
        yield line
        return
    for number, text in enumerate(_pieces(line.text)):
        # Only the first piece is the heading that the line may have been.
        yield replace(line, text=text, level=line.level if number == 0 else 0)


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE_CHARS:
        end = _border(text, start, start + PIECE_CHARS)
        yield text[start:end].rstrip()
        start = end + text[end : end + 1].isspace()
    if text[start:].strip():
        yield text[start:]


def _border(text: str, start: int, end: int) -> int:
    """Where to cut: behind the last sentence or word that ends in the second half, else at `end`."""
    for pattern in (_SENTENCE_END, _SPACE):
        borders = [match.end() for match in pattern.finditer(text, start + PIECE_CHARS // 2, end)]
        if borders:
            return borders[-1]
    return end

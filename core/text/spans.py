"""Parts of a text that mean something only as a whole: code, formulas, and what stands in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.text.fences import split_at_code
from core.text.formulas import formula_at

MAX_SPAN_CHARS = 300
"""Brackets that are further apart may not belong together, and no quote grows by more at once."""
FENCES = ("```", "~~~")
_MAY_OPEN = re.compile(r"[$\\]")
_BRACKET = re.compile(r"[()\[\]{}]|\n[ \t]*\n")
_OPENING = {")": "(", "]": "[", "}": "{"}

Span = tuple[int, int]
"""Start and end of a part, from 0; the end is the position behind it."""


def split_at_verbatim(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and whether each is code or a formula; joined, they are the text again."""
    for piece, is_code in split_at_code(markdown):
        if is_code:
            yield piece, True
            continue
        end = 0
        for first, last in _formulas(piece):
            yield piece[end:first], False
            yield piece[first:last], True
            end = last
        yield piece[end:], False


def verbatim_spans(markdown: str) -> list[Span]:
    """Where code and formulas stand, in order."""
    spans, start = [], 0
    for piece, is_verbatim in split_at_verbatim(markdown):
        if is_verbatim:
            spans.append((start, start + len(piece)))
        start += len(piece)
    return spans


def bracket_spans(markdown: str) -> list[Span]:
    """Where brackets that belong together stand, in order of their ends; those in code and formulas are left out."""
    spans: list[Span] = []
    opened: list[tuple[str, int]] = []
    start = 0
    for piece, is_verbatim in split_at_verbatim(markdown):
        for match in () if is_verbatim else _BRACKET.finditer(piece):
            position = start + match.start()
            if match[0].isspace():
                opened.clear()
            elif match[0] not in _OPENING:
                opened.append((match[0], position))
            elif opened and opened[-1][0] == _OPENING[match[0]]:
                _, first = opened.pop()
                spans += [(first, position + 1)] if position - first < MAX_SPAN_CHARS else []
        start += len(piece)
    return spans


def link_spans(markdown: str) -> list[Span]:
    """Where the texts and targets of links and images stand; those in code and formulas are left out."""
    spans = bracket_spans(markdown) if "](" in markdown else []
    return [(first, last) for first, last in spans if markdown.startswith("](", last - 1) or markdown[first - 1] == "]"]


def widened(text: str, start: int, end: int) -> Span:
    """The span of a quote with the whole of each part that an edge of it cuts.

    A quote that lies within brackets or a block of code stays there.
    """
    for first, last in verbatim_spans(text):
        is_block = text.startswith(FENCES, first) or last - first > MAX_SPAN_CHARS
        if first < end and start < last and not is_block:
            start, end = min(start, first), max(end, last)
    for first, last in bracket_spans(text):
        if (first < start < last) != (first < end < last) and first < end and start < last:
            start, end = min(start, first), max(end, last)
    return start, end


def _formulas(text: str) -> Iterator[Span]:
    start = 0
    while match := _MAY_OPEN.search(text, start):
        if formula := formula_at(text, match.start()):
            yield match.start(), formula.end
            start = formula.end
        else:
            # A backslash makes what follows it plain.
            start = match.end() + (match[0] == "\\")

"""Joins the pieces that PyMuPDF finds on a page to the lines that readers see, by baseline and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from core.text.lines import tidy
from ingestion.document import Line
from ingestion.loaders.pdf_words import join_spans, with_accents

BASELINE_TOLERANCE = 0.25
"""Pieces whose baselines differ by less than this share of the font size are on one line; indices are lower."""

MIN_COLUMN_LINES = 4
MIN_COLUMN_CHARS = 20
GUTTER_TOLERANCE = 3.0
MARGIN_WIDTH = 0.12
"""Share of the page's width, at its left and right, in which sideways text is a stamp."""

_BOLD_FLAG = 16
_FAKE_BOLD_FLAG = 8
_BOLD_FONT = re.compile(r"bold|heavy|black$|black[-,]|demi|medi$|^(?:CM|SF|EC)(?:SS)?BX", re.IGNORECASE)
_SOFT_HYPHEN = "\xad"


@dataclass(slots=True)
class TextPiece:
    """A run of text on one baseline. `bold_chars` counts the characters in bold."""

    text: str
    size: float
    bold_chars: int
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float | None
    """None if the text does not run from left to right; such a piece is a line of its own."""


@dataclass
class PageReader:
    """Turns pages of one document into lines; remembers which fonts are bold."""

    _bold_fonts: dict[str, bool] = field(default_factory=dict)

    def lines(self, page: dict[str, Any], number: int) -> list[Line]:
        """The lines of page `number`, given as PyMuPDF's "dict"."""
        pieces = list(self._pieces(page))
        upright = [piece for piece in pieces if piece.baseline is not None]
        if len(upright) < len(pieces) <= 2 * len(upright):
            # Stamps in margins and names of axes are no part of the text that they stand beside.
            sideways = [piece for piece in pieces if piece.baseline is None and not _in_margin(piece, page["width"])]
            lines = [_line(row, number) for row in _by_column(_rows(upright))]
            return lines + [replace(_line([piece], number), size=0.0, bold=False) for piece in sideways]
        return [_line(row, number) for row in _by_column(_rows(pieces))]

    def _pieces(self, page: dict[str, Any]) -> Iterator[TextPiece]:
        for block in page["blocks"]:
            for line in block.get("lines", ()):
                spans = line["spans"]
                text = with_accents((spans[0]["text"] if len(spans) == 1 else join_spans(spans)).strip())
                if text:
                    size, bold = self._font(spans)
                    baseline = spans[0]["origin"][1] if line["dir"] == (1.0, 0.0) else None
                    x0, y0, x1, y1 = line["bbox"]
                    yield TextPiece(text, size, bold, x0, y0, x1, y1, baseline)

    def _font(self, spans: list[dict[str, Any]]) -> tuple[float, int]:
        if len(spans) == 1:
            span = spans[0]
            return span["size"], len(span["text"].strip()) if self._is_bold(span) else 0
        bold = 0
        sizes: dict[float, int] = {}
        for span in spans:
            length = len(span["text"].strip())
            if length:
                size = span["size"]
                sizes[size] = sizes.get(size, 0) + length
                if self._is_bold(span):
                    bold += length
        return max(sizes, key=sizes.__getitem__), bold

    def _is_bold(self, span: dict[str, Any]) -> bool:
        if span["flags"] & _BOLD_FLAG or span["char_flags"] & _FAKE_BOLD_FLAG:
            return True
        font = span["font"]
        if font not in self._bold_fonts:
            # The six letters and a plus in front of an embedded subset's name are no part of it.
            self._bold_fonts[font] = bool(_BOLD_FONT.search(re.sub(r"^[A-Z]{6}\+", "", font)))
        return self._bold_fonts[font]


def _in_margin(piece: TextPiece, width: float) -> bool:
    return piece.x1 < MARGIN_WIDTH * width or piece.x0 > (1 - MARGIN_WIDTH) * width


def _rows(pieces: Iterable[TextPiece]) -> list[list[TextPiece]]:
    rows: list[list[TextPiece]] = []
    row: list[TextPiece] = []
    for piece in pieces:
        if row and _continues(row, piece):
            row.append(piece)
            row.sort(key=lambda piece: piece.x0)
        else:
            row = [piece]
            rows.append(row)
    return rows


def _continues(row: list[TextPiece], piece: TextPiece) -> bool:
    first, last = row[0], row[-1]
    if piece.baseline is None or last.baseline is None:
        return False
    tolerance = BASELINE_TOLERANCE * max(piece.size, last.size)
    if abs(piece.baseline - last.baseline) > tolerance:
        return False
    return piece.x0 >= last.x1 - tolerance or piece.x1 <= first.x0 + tolerance


def _line(row: list[TextPiece], page: int) -> Line:
    first = row[0]
    if len(row) == 1:
        box = (first.x0, first.y0, first.x1, first.y1)
        return Line(_clean(first.text), size=round(first.size, 1), bold=_bold(row), page=page, box=box)
    sizes: defaultdict[float, int] = defaultdict(int)
    parts = [first.text]
    for left, right in pairwise(row):
        parts.append(" " if right.x0 - left.x1 > 0.1 * right.size else "")
        parts.append(right.text)
    for piece in row:
        sizes[round(piece.size, 1)] += len(piece.text)
    box = (first.x0, min(piece.y0 for piece in row), row[-1].x1, max(piece.y1 for piece in row))
    return Line(_clean("".join(parts)), size=max(sizes, key=sizes.__getitem__), bold=_bold(row), page=page, box=box)


def _bold(row: list[TextPiece]) -> bool:
    return 2 * sum(piece.bold_chars for piece in row) > sum(len(piece.text) for piece in row)


def _clean(text: str) -> str:
    if _SOFT_HYPHEN in text:
        text = text[:-1].replace(_SOFT_HYPHEN, "") + ("-" if text.endswith(_SOFT_HYPHEN) else text[-1])
    return tidy(text)


def _by_column(rows: list[list[TextPiece]]) -> Iterator[list[TextPiece]]:
    """The rows in reading order, the left one of columns first; most files store columns one after the other."""
    start = 0
    if sum(len(row) > 1 for row in rows) >= MIN_COLUMN_LINES:
        while start < len(rows):
            if len(rows[start]) > 1 and _is_columns(run := _run(rows, start)):
                gutters = _gutters(rows[start])
                for column in range(len(gutters) + 1):
                    yield from ([piece] for row in run for piece in row if _column_of(piece, gutters) == column)
                start += len(run)
            else:
                yield rows[start]
                start += 1
    yield from rows[start:]


def _gutters(row: list[TextPiece]) -> list[float]:
    return [piece.x0 - GUTTER_TOLERANCE for piece in row[1:]]


def _column_of(piece: TextPiece, gutters: list[float]) -> int:
    return bisect_right(gutters, piece.x0)


def _run(rows: list[list[TextPiece]], start: int) -> list[list[TextPiece]]:
    gutters = _gutters(rows[start])
    end = start
    while end < len(rows) and all(_keeps_column(piece, gutters) for piece in rows[end]):
        end += 1
    return rows[start:end]


def _keeps_column(piece: TextPiece, gutters: list[float]) -> bool:
    """Whether a piece begins where its column does, and ends before the next one."""
    column = _column_of(piece, gutters)
    begins = column == 0 or piece.x0 <= gutters[column - 1] + 2 * GUTTER_TOLERANCE
    return begins and (column == len(gutters) or piece.x1 < gutters[column] + GUTTER_TOLERANCE)


def _is_columns(run: list[list[TextPiece]]) -> bool:
    shared = [row for row in run if len(row) > 1]
    long = sum(min(len(piece.text) for piece in row) >= MIN_COLUMN_CHARS for row in shared)
    return len(shared) >= MIN_COLUMN_LINES and 2 * long > len(shared)

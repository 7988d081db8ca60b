"""Draws PDF pages and finds quotations on them, in a process of the pool (see `app.web.pdf_pages`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

DPI = 110
MAX_PIXELS = 4_000_000
"""Of an image; a larger page is shown with less detail."""
MAX_LINES = 60
CROP_DPI = 130
MARGIN = 12.0
"""Around what is cropped, in points."""
MARK, BOX = (1.0, 0.85, 0.35), (0.106, 0.42, 0.345)
"""The colours of a quotation and of a passage's box."""
Rectangle = tuple[float, float, float, float]
_WORD = re.compile(r"\w+")


@cache
def import_pymupdf() -> None:
    """Load what reads PDF files."""
    import pymupdf  # noqa: F401


def page_image(file: Path, number: int) -> bytes | None:
    """The page of that number, from 1, as PNG; None where there is none."""
    import pymupdf

    with pymupdf.open(file) as document:  # type: ignore[no-untyped-call]
        if not 1 <= number <= document.page_count:
            return None
        page = document[number - 1]
        area = max(page.rect.width * page.rect.height, 1.0)
        zoom = min(DPI / 72, (MAX_PIXELS / area) ** 0.5)
        matrix = pymupdf.Matrix(zoom, zoom)  # type: ignore[no-untyped-call]
        png: bytes = page.get_pixmap(matrix=matrix, alpha=False).tobytes("png")
        return png


def page_crop(file: Path, number: int, boxes: Sequence[Rectangle], quote: str) -> bytes | None:
    """The part of the page around the boxes, the quote's lines marked, as PNG; None where there is no such page."""
    import pymupdf

    with pymupdf.open(file) as document:  # type: ignore[no-untyped-call]
        if not 1 <= number <= document.page_count:
            return None
        page = document[number - 1]
        words = page.get_text("words")
        shown = boxes or _lines_of(words, quote)
        for line in _lines_of(words, quote)[:MAX_LINES]:
            page.draw_rect(line, color=None, fill=MARK, fill_opacity=0.45, overlay=True)
        for x0, y0, x1, y1 in boxes:
            page.draw_rect((x0 - 3, y0 - 3, x1 + 3, y1 + 3), color=BOX, width=1.2)
        clip = tuple(page.rect)
        if shown:
            # As wide as the page's text, so that lines keep their size from passage to passage.
            left, right = min(word[0] for word in (*words, shown[0])), max(word[2] for word in (*words, shown[0]))
            top, bottom = min(box[1] for box in shown), max(box[3] for box in shown)
            x0, y0, x1, y1 = left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN
            clip = (max(clip[0], x0), max(clip[1], y0), min(clip[2], x1), min(clip[3], y1))
        png: bytes = page.get_pixmap(dpi=CROP_DPI, clip=clip, alpha=False).tobytes("png")
        return png


def page_marks(file: Path, number: int, quote: str) -> tuple[Any, ...] | None:
    """The fields of `PageMarks` for the page of that number; None where there is no such page."""
    import pymupdf

    with pymupdf.open(file) as document:  # type: ignore[no-untyped-call]
        if not 1 <= number <= document.page_count:
            return None
        page = document[number - 1]
        lines = _lines_of(page.get_text("words"), quote)[:MAX_LINES]
        return page.rect.width, page.rect.height, document.page_count, lines


def _lines_of(words: Sequence[tuple[Any, ...]], quote: str) -> tuple[Rectangle, ...]:
    """The rectangles of the quote's lines, ignoring case and punctuation."""
    wanted = _WORD.findall(quote.casefold())
    tokens = [(token, word) for word in words for token in _WORD.findall(str(word[4]).casefold())]
    spelt = [token for token, _ in tokens]
    starts = (n for n in range(len(spelt) - len(wanted) + 1) if spelt[n : n + len(wanted)] == wanted)
    if not wanted or (start := next(starts, None)) is None:
        return ()
    lines: dict[tuple[int, int], Rectangle] = {}
    for _, (x0, y0, x1, y1, _, block, line, _) in tokens[start : start + len(wanted)]:
        a, b, c, d = lines.get((block, line), (x0, y0, x1, y1))
        lines[block, line] = (min(a, x0), min(b, y0), max(c, x1), max(d, y1))
    return tuple(lines.values())

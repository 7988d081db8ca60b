"""Pages of PDF documents as images, with the places of a quotation on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

DPI = 110
MAX_PIXELS = 4_000_000
"""Of an image; a larger page is shown with less detail."""
MAX_LINES = 60


@dataclass(frozen=True)
class PageMarks:
    """The size of a page in points, the number of pages, and the rectangles of the quotation's lines."""

    width: float
    height: float
    pages: int
    lines: tuple[tuple[float, float, float, float], ...]


@lru_cache(maxsize=32)
def page_image(file: Path, number: int) -> bytes | None:
    """The page of that number, from 1, as PNG; None where there is none."""
    import pymupdf

    with pymupdf.open(file) as document:  # type: ignore[no-untyped-call]
        if not 1 <= number <= document.page_count:
            return None
        page = document[number - 1]
        area = max(page.rect.width * page.rect.height, 1.0)
        dpi = min(DPI, int(72 * (MAX_PIXELS / area) ** 0.5))
        png: bytes = page.get_pixmap(dpi=max(dpi, 1)).tobytes("png")
        return png


def page_marks(file: Path, number: int, quote: str) -> PageMarks | None:
    """Where the quote stands on the page of that number; None where there is no such page."""
    import pymupdf

    with pymupdf.open(file) as document:  # type: ignore[no-untyped-call]
        if not 1 <= number <= document.page_count:
            return None
        page = document[number - 1]
        found = page.search_for(quote)[:MAX_LINES] if quote else []
        lines = tuple((one.x0, one.y0, one.x1, one.y1) for one in found)
        return PageMarks(page.rect.width, page.rect.height, document.page_count, lines)

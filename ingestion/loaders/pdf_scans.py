"""Scanned pages of PDF files: pages without text that a picture covers, read by tesseract where it is installed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import pymupdf

from core.errors import UnreadableImage
from core.ocr import find_tesseract, read_text
from core.text.lines import tidy
from ingestion.document import Line

MIN_COVERED = 0.5
"""Share of a page that a scan's picture covers."""
DPI = 150
MAX_SECONDS = 60.0
TIME_SHARE = 0.5
"""Of the time that is left for the file, where that is limited."""
MIN_CHARS = 20
"""Of a page that was read; fewer are specks."""


@dataclass(frozen=True)
class Scans:
    """The numbers of scanned pages, and the lines of those that were read."""

    pages: Sequence[int] = ()
    lines: Mapping[int, list[Line]] = field(default_factory=dict)


def read_scans(document: pymupdf.Document, empty: Sequence[int]) -> Scans:
    """The scans among the pages without text. Those that cannot be read well, or in time, have no lines."""
    pages = [number for number in empty if _is_scan(document[number - 1])]
    program = find_tesseract() if pages else None
    if program is None:
        return Scans(pages)
    lines: dict[int, list[Line]] = {}
    end = monotonic() + min(MAX_SECONDS, TIME_SHARE * signal.getitimer(signal.ITIMER_REAL)[0] or MAX_SECONDS)
    for number in pages:
        if (seconds := end - monotonic()) <= 0:
            break
        page: Any = document[number - 1]
        picture: bytes = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY).tobytes("png")
        try:
            text = asyncio.run(read_text(program, picture, (), seconds)).text
        except UnreadableImage:
            continue
        if len(text) >= MIN_CHARS:
            lines[number] = [Line(tidy(row), page=number) for row in text.split("\n")]
    return Scans(pages, lines)


def _is_scan(page: Any) -> bool:
    area = abs(page.rect.width * page.rect.height) or 1.0
    covered = (_area(image["bbox"], page.rect) for image in page.get_image_info())
    return max(covered, default=0.0) >= MIN_COVERED * area


def _area(box: Sequence[float], page: Sequence[float]) -> float:
    """Of the part of a box that is on the page."""
    width = min(box[2], page[2]) - max(box[0], page[0])
    height = min(box[3], page[3]) - max(box[1], page[1])
    return max(width, 0.0) * max(height, 0.0)

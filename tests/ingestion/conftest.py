"""What ingestion tests share: PDFs made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pymupdf
import pytest

MakePdf = Callable[[Sequence[Sequence[tuple[float, float, str]]]], pymupdf.Document]


@pytest.fixture
def make_pdf() -> MakePdf:
    """Makes a PDF of one page per list of (x, baseline, text)."""

    def make(pages: Sequence[Sequence[tuple[float, float, str]]]) -> pymupdf.Document:
        document = pymupdf.open()
        for texts in pages:
            page = document.new_page(width=612, height=792)
            for x, baseline, text in texts:
                page.insert_text((x, baseline), text, fontsize=12)
        return document

    return make

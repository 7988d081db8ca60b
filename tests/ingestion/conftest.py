"""What ingestion tests share: real course material, where it is at hand, and PDFs made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pymupdf
import pytest

MakePdf = Callable[[Sequence[Sequence[tuple[float, float, str]]]], pymupdf.Document]


@pytest.fixture
def shared_data() -> Path:
    """Real course files, kept next to the repository because of their size; tests that need them skip without."""
    folder = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real course files: {folder} does not exist")
    return folder


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

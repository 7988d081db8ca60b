"""Pages of PDF documents: drawn, with the lines of a quotation."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.web.pdf_pages import page_image, page_marks

CHAPTER = Path(__file__).parents[3] / "data" / "ds101" / "textbook" / "11-logistic-regression.pdf"


@pytest.mark.parametrize(
    ("quote", "lines"),
    [
        ("How bad is a predicted probability p when the truth is y?", 1),
        ("squared loss of a sigmoid is NOT convex: far from the minimum it is nearly flat, and descent gets stuck", 2),
        ("words that are not there", 0),
        ("", 0),
    ],
)
def test_a_quotation_is_marked_line_by_line(quote: str, lines: int) -> None:
    marks = page_marks(CHAPTER, 1, quote)
    assert marks is not None
    assert len(marks.lines) == lines
    for x0, y0, x1, y1 in marks.lines:
        assert 0 <= x0 < x1 <= marks.width
        assert 0 <= y0 < y1 <= marks.height


def test_a_page_is_drawn_and_one_that_is_not_there_is_none() -> None:
    image = page_image(CHAPTER, 1)
    assert image is not None
    assert image.startswith(b"\x89PNG")
    assert page_image(CHAPTER, 99) is None
    assert page_marks(CHAPTER, 99, "x") is None

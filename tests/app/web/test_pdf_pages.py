"""Pages of PDF documents: drawn, with the lines of a quotation, within limits that no page exceeds."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pymupdf
import pytest

from app.web.pdf_pages import FAILURE_SECONDS, MAX_KEPT_BYTES, PdfPages
from core.errors import HostileDocument
from core.work.pool import WorkPool
from core.work.serving import WorkLimits
from tests.sweeps import choose

CHAPTER = Path(__file__).parents[3] / "data" / "ds101" / "textbook" / "11-logistic-regression.pdf"
SHORT = WorkLimits(1.0, 256)


@pytest.fixture
async def pages() -> AsyncIterator[PdfPages]:
    async with WorkPool() as pool:
        yield PdfPages(pool)


@pytest.mark.parametrize(
    ("quote", "lines"),
    [
        ("How bad is a predicted probability p when the truth is y?", 1),
        ("squared loss of a sigmoid is NOT convex: far from the minimum it is nearly flat, and descent gets stuck", 2),
        ("words that are not there", 0),
        ("", 0),
    ],
)
async def test_a_quotation_is_marked_line_by_line(pages: PdfPages, quote: str, lines: int) -> None:
    marks = await pages.marks(CHAPTER, 1, quote)
    assert marks is not None
    assert len(marks.lines) == lines
    for x0, y0, x1, y1 in marks.lines:
        assert 0 <= x0 < x1 <= marks.width
        assert 0 <= y0 < y1 <= marks.height


async def test_a_page_is_drawn_and_one_that_is_not_there_is_none(pages: PdfPages) -> None:
    image = await pages.image(CHAPTER, 1)
    assert image is not None
    assert image.startswith(b"\x89PNG")
    assert await pages.image(CHAPTER, 99) is None
    assert await pages.marks(CHAPTER, 99, "x") is None


def nested_forms(folder: Path) -> Path:
    """Two kilobytes: each of eight forms draws the next one twenty times."""
    document = pymupdf.open()
    document.new_page()
    number = form_of(document, b"0 0 1 1 re f", "")
    for _ in range(8):
        number = form_of(document, b"/X Do " * 20, f"/XObject<</X {number} 0 R>>")
    page = document[0]
    document.xref_set_key(page.xref, "Resources", f"<</XObject<</X {number} 0 R>>>>")
    contents = document.get_new_xref()
    document.update_object(contents, "<<>>")
    document.update_stream(contents, b"/X Do")
    document.xref_set_key(page.xref, "Contents", f"{contents} 0 R")
    return saved(document, folder)


def form_of(document: pymupdf.Document, content: bytes, resources: str) -> int:
    number: int = document.get_new_xref()
    document.update_object(number, f"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<<{resources}>>>>")
    document.update_stream(number, content)
    return number


def large_picture(folder: Path) -> Path:
    """A picture of 60,000 squared, which compresses to little."""
    document = pymupdf.open()
    page = document.new_page()
    number = document.get_new_xref()
    entries = "/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8/ColorSpace/DeviceRGB"
    document.update_object(number, f"<<{entries}>>")
    runs = bytes([129, 0]) * (60_000 * 60_000 * 3 // 128)
    document.update_stream(number, zlib.compress(runs), compress=False)
    document.xref_set_key(number, "Filter", "[/FlateDecode/RunLengthDecode]")
    document.xref_set_key(page.xref, "Resources", f"<</XObject<</X {number} 0 R>>>>")
    contents = document.get_new_xref()
    document.update_object(contents, "<<>>")
    document.update_stream(contents, b"500 0 0 500 0 0 cm /X Do")
    document.xref_set_key(page.xref, "Contents", f"{contents} 0 R")
    return saved(document, folder)


def saved(document: pymupdf.Document, folder: Path) -> Path:
    document.save(folder / "hostile.pdf")
    return folder / "hostile.pdf"


def huge_page(folder: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "far away")
    document.xref_set_key(page.xref, "MediaBox", "[0 0 100000000 100000000]")
    return saved(document, folder)


def many_annotations(folder: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    number = document.get_new_xref()
    document.update_object(number, "<</Type/Annot/Subtype/Square/Rect[0 0 600 800]/C[1 0 0]/IC[0 1 0]/CA 0.5>>")
    document.xref_set_key(page.xref, "Annots", "[" + f"{number} 0 R " * 200_000 + "]")
    return saved(document, folder)


@pytest.mark.parametrize("make", choose([nested_forms, large_picture, many_annotations], many_annotations))
async def test_a_page_that_takes_too_much_is_refused_and_the_next_one_drawn(
    pages: PdfPages, tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    pages.limits = SHORT
    with pytest.raises(HostileDocument, match="Page 1 cannot be shown as an image"):
        await pages.image(make(tmp_path), 1)
    assert await pages.image(CHAPTER, 1)


async def test_a_huge_page_is_drawn_with_few_pixels(pages: PdfPages, tmp_path: Path) -> None:
    image = await pages.image(huge_page(tmp_path), 1)
    assert image is not None
    picture = pymupdf.Pixmap(image)
    assert picture.width * picture.height < 5_000_000


async def test_a_broken_file_is_an_error_of_the_page(pages: PdfPages, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\nnothing")
    with pytest.raises(HostileDocument, match="The file is broken there"):
        await pages.image(tmp_path / "a.pdf", 1)


class Counted(WorkPool):
    """Counts what it does."""

    done = 0

    async def run(self, *args: object, **named: object) -> object:  # type: ignore[override]
        self.done += 1
        return await super().run(*args, **named)  # type: ignore[arg-type]


async def test_a_page_is_worked_on_once_for_all_who_ask_and_kept() -> None:
    async with Counted() as pool:
        pages = PdfPages(pool)
        images = await asyncio.gather(*(pages.image(CHAPTER, 1) for _ in range(5)))
        assert await pages.image(CHAPTER, 1) == images[0] == images[4]
        assert pool.done == 1


async def test_a_page_that_cannot_be_drawn_is_not_tried_again_for_a_while(tmp_path: Path) -> None:
    now = 0.0
    async with Counted() as pool:
        pages = PdfPages(pool, SHORT, clock=lambda: now)
        file = nested_forms(tmp_path)
        for seconds, done in ((0.0, 1), (FAILURE_SECONDS - 1, 1), (FAILURE_SECONDS + 1, 2)):
            now = seconds
            with pytest.raises(HostileDocument):
                await pages.image(file, 1)
            assert pool.done == done


async def test_what_is_kept_has_a_bound(pages: PdfPages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.pdf_pages.MIN_KEPT_BYTES", MAX_KEPT_BYTES // 3)
    for number in range(90, 100):
        assert await pages.image(CHAPTER, number) is None
    assert len(pages._kept) == 3


async def test_a_caller_who_leaves_does_not_end_the_work_of_others(pages: PdfPages) -> None:
    first = asyncio.create_task(pages.image(CHAPTER, 1))
    second = asyncio.create_task(pages.image(CHAPTER, 1))
    await asyncio.sleep(0)
    first.cancel()
    assert await second

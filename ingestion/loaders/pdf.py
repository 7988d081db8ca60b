"""PDF by PyMuPDF: lines with fonts and boxes, bookmarks; scanned pages are read by OCR where that is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pymupdf

from core.errors import EmptyDocument, EncryptedDocument, UnreadableDocument
from core.text.lines import tidy
from ingestion.document import Line, LoadedDocument, OutlineEntry
from ingestion.loaders.decoding import title_from
from ingestion.loaders.pdf_formulas import with_marked_formulas
from ingestion.loaders.pdf_layout import PageReader
from ingestion.loaders.pdf_margins import PdfPage, without_running_lines
from ingestion.loaders.pdf_scans import Scans, read_scans
from ingestion.loaders.pdf_slides import is_deck, slides_of
from ingestion.loaders.pdf_words import with_whole_words
from ingestion.titles import title_from_lines

FLAGS = pymupdf.TEXT_MEDIABOX_CLIP
"""No images; ligatures taken apart, odd white space made plain; letters a font does not name become U+FFFD."""

DAMAGED = (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, IndexError)
"""What PyMuPDF raises for a damaged file, depending on where it is damaged."""

MAX_UNKNOWN_SHARE = 0.1

_NO_TITLE = re.compile(
    r"untitled|microsoft (?:word|powerpoint)|(?:slide|document|presentation) ?\d*$"
    r"|.*\.(?:docx?|pptx?|tex|dvi|pdf|indd|html?)$",
    re.IGNORECASE,
)
_NO_MEMORY = re.compile(r"\b[mc]alloc|\brealloc|out of memory", re.IGNORECASE)


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `EncryptedDocument`, `UnreadableDocument` for what is no PDF, `EmptyDocument` where no page has text."""
    tools: Any = pymupdf.TOOLS
    # What is wrong with a file goes into the result; MuPDF would also print it.
    tools.mupdf_display_errors(False)
    tools.mupdf_display_warnings(False)
    tools.reset_mupdf_warnings()
    try:
        with _open(name, data) as document:
            return _load(name, document)
    except DAMAGED as error:
        raise UnreadableDocument(f"{name}: not a PDF, or too damaged to read ({error}). Export it again.") from error
    finally:
        # MuPDF goes on without what it had no memory for; a document with holes must not pass for a whole one.
        if _NO_MEMORY.search(tools.mupdf_warnings()):
            raise MemoryError(f"{name}: MuPDF ran out of memory.")


def _open(name: str, data: bytes) -> pymupdf.Document:
    if not data:
        raise EmptyDocument(f"{name}: the file has 0 bytes. Upload it again.")
    document: pymupdf.Document = pymupdf.open(stream=data, filetype="pdf")  # type: ignore[no-untyped-call]
    if document.needs_pass:
        raise EncryptedDocument(f"{name}: the PDF asks for a password. Save it without one and ingest that.")
    if document.page_count == 0:
        raise UnreadableDocument(f"{name}: no page of the PDF can be found. Export it again.")
    return document


def _load(name: str, document: pymupdf.Document) -> LoadedDocument:
    broken: list[int] = []
    pages = list(_pages(document, broken))
    scans = read_scans(document, [page.number for page in pages if not page.lines and page.number not in broken])
    pages = [replace(page, lines=scans.lines.get(page.number, page.lines)) for page in pages]
    outline = tuple(_outline(document))
    if deck := is_deck(pages):
        lines = tuple(slides_of(pages, outline))
        retained = [[line for line in page.lines if line.text] for page in pages]
    else:
        retained = without_running_lines(pages)
        lines = tuple(with_whole_words([line for page in retained for line in page]))
    if not lines and broken:
        raise UnreadableDocument(f"{name}: {_page_list(broken)} cannot be read, the rest is empty. Export it again.")
    if not lines:
        besides = "besides headers and footers " if any(page.lines for page in pages) else ""
        raise EmptyDocument(
            f"{name}: there is no text {besides}on its {document.page_count} page(s). "
            f"{'Its pages are scanned' if scans.pages else 'It may be scanned'}: run OCR on it first."
        )
    silent = [page.number for page, rest in zip(pages, retained, strict=True) if not rest and page.number not in broken]
    unknown = _unknown_share(lines)
    return LoadedDocument(
        title_from(name, _title_in(document), _largest_line(retained[0])),
        # Where fonts say of nothing what they draw, it is not only the formulas.
        tuple(with_marked_formulas(lines)) if unknown <= MAX_UNKNOWN_SHARE else lines,
        outline=() if deck else outline,
        complete=deck,
        warnings=tuple(_warnings(name, document, unknown, broken, silent, scans)),
    )


def _pages(document: pymupdf.Document, broken: list[int]) -> Iterator[PdfPage]:
    reader = PageReader()
    for number in range(1, document.page_count + 1):
        try:
            # Straight from the text page: `get_text` would first work out what is asked of it.
            content: dict[str, Any] = document[number - 1].get_textpage(flags=FLAGS).extractDICT()
        except DAMAGED as error:
            if _NO_MEMORY.search(str(error)):
                raise MemoryError(str(error)) from error
            broken.append(number)
            yield PdfPage(number, 0.0, [])
        else:
            yield PdfPage(number, content["height"], reader.lines(content, number), content["width"])


def _title_in(document: pymupdf.Document) -> str | None:
    title = str((document.metadata or {}).get("title") or "").strip()
    return None if _NO_TITLE.match(title) else title


def _largest_line(lines: list[Line]) -> str | None:
    if not lines:
        return None
    largest = max(line.size for line in lines)
    common = sorted(line.size for line in lines)[len(lines) // 2]
    first = next(n for n, line in enumerate(lines) if line.size == largest)
    return title_from_lines(lines, first) if largest > 1.1 * common else None


def _outline(document: pymupdf.Document) -> Iterator[OutlineEntry]:
    try:
        entries = document.get_toc(simple=True)
    except DAMAGED:
        # Damaged bookmarks cost nothing but themselves: headings can be found without them.
        return
    for level, title, page in entries:
        if page >= 1 and (words := " ".join(tidy(title).split())):
            yield OutlineEntry(level, words, page)


def _unknown_share(lines: Sequence[Line]) -> float:
    characters = sum(len(line.text) for line in lines)
    return sum(line.text.count("\ufffd") for line in lines) / max(characters, 1)


def _warnings(
    name: str, document: pymupdf.Document, unknown: float, broken: list[int], silent: list[int], scans: Scans
) -> Iterator[str]:
    if document.is_repaired:
        yield f"{name}: the PDF was damaged and has been repaired; check that nothing is missing, or export it again."
    if broken:
        yield f"{name}: {_page_list(broken)} cannot be read and is left out. Export the PDF again."
    if scans.lines:
        yield f"{name}: {_page_list(sorted(scans.lines))} scanned, read by OCR. Check that it was read well enough."
    if unread := [number for number in scans.pages if number not in scans.lines]:
        yield f"{name}: {_page_list(unread)} scanned and not read. Run OCR on the PDF and ingest it again."
    if without := [number for number in silent if number not in scans.pages]:
        yield f"{name}: {_page_list(without)} without text. If scanned, run OCR on the PDF and ingest it again."
    if unknown > MAX_UNKNOWN_SHARE:
        yield (
            f"{name}: {unknown:.0%} of the characters are unknown, because fonts in the PDF do not say "
            "which letters they draw. Export it again, or run OCR on it."
        )


def _page_list(numbers: list[int]) -> str:
    """ "page 3" or "pages 1, 4-6"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return f"page{'s' if len(numbers) > 1 else ''} " + ", ".join("-".join(map(str, pair)) for pair in ranges)

"""Decks and documents made on the spot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import openpyxl
import pptx
from docx.document import Document
from pptx.presentation import Presentation
from pptx.slide import Slide

TITLE_ONLY, TITLE_AND_BODY = 5, 1


def deck(*slides: tuple[str, str], notes: str = "") -> Presentation:
    """A deck of slides with a title and a body, both of which may be empty; the first has the notes."""
    made = pptx.Presentation()
    for title, body in slides:
        slide(made, title, body)
    if notes:
        made.slides[0].notes_slide.notes_text_frame.text = notes
    return made


def slide(made: Presentation, title: str, body: str = "") -> Slide:
    added = made.slides.add_slide(made.slide_layouts[TITLE_AND_BODY])
    added.shapes.title.text = title
    added.placeholders[1].text = body
    return added


def saved(made: Presentation | Document | openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def document(*paragraphs: tuple[str, str]) -> Document:
    """A document of paragraphs, each a style and a text."""
    made = docx.Document()
    for style, text in paragraphs:
        made.add_paragraph(text, style=style or None)
    return made


def rewritten(data: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """The package with one of its parts changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == part else content)
    return buffer.getvalue()


def workbook(*sheets: tuple[str, list[list[Any]]]) -> openpyxl.Workbook:
    """A workbook of sheets, each a title and its rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return book

"""PowerPoint decks: titles, tables, formulas, diagrams, charts, descriptions; notes and hidden slides are for staff."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from core.errors import EmptyDocument
from core.text.lines import tidy
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import title_from
from ingestion.loaders.office.charts import Charts
from ingestion.loaders.office.markup import (
    find_all,
    is_monospaced,
    paragraphs_text,
    parse_part,
    table_rows,
    visible_text,
)
from ingestion.loaders.office.package import open_package, reading
from ingestion.loaders.office.xml import attribute, child, local
from ingestion.loaders.slides import Slide, deck_lines

_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_LISTS = ("body", "obj")
_MAX_INDENT = 8
_NO_DESCRIPTION = re.compile(
    r"automatically generated|^(?:picture|image|graphic|bild|content placeholder) ?\d*$|\.\w{3,4}$", re.IGNORECASE
)


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `EncryptedDocument`, `OversizedDocument`, `UnreadableDocument` for what is no deck, or `EmptyDocument`."""
    package = open_package(name, data)
    with reading(name):
        title, slides = _read(package)
    lines = tuple(deck_lines(slides))
    if not any(line.text for line in lines):
        raise EmptyDocument(f"{name}: there is no text on its {len(slides)} slide(s), only pictures if anything.")
    silent = [slide.number for slide in slides if not (slide.title or slide.lines)]
    warnings = (f"{name}: {len(silent)} of {len(slides)} slides have no text.",) if silent else ()
    first_title = next((slide.title for slide in slides if slide.title and not slide.hidden), None)
    return LoadedDocument(title_from(name, title, first_title), lines, complete=True, warnings=warnings)


def _read(package: io.BytesIO) -> tuple[str, list[Slide]]:
    import pptx  # as every loader, imported for its own format alone

    deck = pptx.Presentation(package)
    sections = _sections(deck.element)
    slides = [
        _slide(number, slide, sections.get(str(slide.slide_id), ""))
        for number, slide in enumerate(deck.slides, start=1)
    ]
    stated = (deck.core_properties.title or "").strip()
    return ("" if stated.casefold() in ("powerpoint presentation", "presentation") else stated), slides


def _sections(element: Any) -> dict[str, str]:
    firsts = (
        (attribute(section, "name"), next(find_all(section, "sldId"), None)) for section in find_all(element, "section")
    )
    return {
        attribute(first, "id") or "": tidy(name).strip()
        for name, first in firsts
        if name and first is not None and name.casefold() != "default section"
    }


def _slide(number: int, slide: Any, section: str) -> Slide:
    title: list[str] = []
    lines: list[Line] = []
    for shape in _shapes(slide.shapes._spTree):
        kind = _placeholder(shape)
        if kind in _TITLES:
            title.append(paragraphs_text(shape))
        elif kind not in _FURNITURE:
            lines.extend(_shape_lines(shape, kind, number, slide.part))
    hidden = slide._element.get("show") in ("0", "false")
    notes = tuple(_notes(slide)) if slide.has_notes_slide else ()
    return Slide(number, tidy(" ".join(filter(None, title))), tuple(lines), notes, hidden, section)


def _shapes(tree: Any) -> Iterator[Any]:
    for below in tree:
        if local(below) in ("grpSp", "AlternateContent", "Choice"):
            yield from _shapes(below)
        elif local(below) in ("sp", "graphicFrame", "pic"):
            yield below


def _placeholder(shape: Any) -> str:
    placeholder = next(find_all(shape[0], "ph"), None) if len(shape) else None
    return "" if placeholder is None else attribute(placeholder, "type") or "obj"


def _shape_lines(shape: Any, kind: str, number: int, part: Any) -> Iterator[Line]:
    if local(shape) == "graphicFrame":
        for table in find_all(shape, "tbl"):
            yield from (Line(row, page=number) for row in table_rows(table))
        yield from Charts(part).lines(shape, number)
        for ids in find_all(shape, "relIds"):
            yield from _diagram(part, attribute(ids, "dm"), number)
    elif local(shape) == "pic":
        yield from _description(shape, number)
    body = child(shape, "txBody")
    for paragraph in () if body is None else find_all(body, "p"):
        yield from _paragraph(paragraph, kind in _LISTS, number)


def _paragraph(paragraph: Any, in_list: bool, number: int) -> Iterator[Line]:
    properties = child(paragraph, "pPr")
    level = int(attribute(properties, "lvl") or 0) if properties is not None else 0
    fonts = (child(run, "rPr", "latin") for run in find_all(paragraph, "r"))
    is_code = is_monospaced(None if font is None else attribute(font, "typeface") for font in fonts)
    mark = "  " * min(level, _MAX_INDENT) + "- " if in_list and not is_code else ""
    for row in visible_text(paragraph).split("\n"):
        if is_code:
            yield Line(tidy(row), LineKind.CODE, page=number)
        elif text := " ".join(tidy(row).split()):
            yield Line(mark + text, page=number)


def _diagram(part: Any, relation: str | None, number: int) -> Iterator[Line]:
    """The texts of a diagram (SmartArt), which stand in a part of their own."""
    if relation is None or relation not in part.rels:
        return
    for paragraph in find_all(parse_part(part.related_part(relation).blob), "p"):
        yield from _paragraph(paragraph, True, number)


def _description(picture: Any, number: int) -> Iterator[Line]:
    properties = child(picture, "nvPicPr", "cNvPr")
    text = " ".join(tidy(attribute(properties, "descr") or "").split()) if properties is not None else ""
    if text and not _NO_DESCRIPTION.search(text):
        yield Line(f"[Picture: {text}]", page=number)


def _notes(slide: Any) -> Iterator[str]:
    frame = slide.notes_slide.notes_text_frame
    for paragraph in () if frame is None else find_all(frame._txBody, "p"):
        yield from (text for row in visible_text(paragraph).split("\n") if (text := tidy(row).strip()))

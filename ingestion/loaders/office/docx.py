"""Word documents: headings, numbered lists, tables, formulas, charts, text boxes, notes; hidden text is for staff."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import EmptyDocument
from core.text.lines import tidy
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import first_heading, title_from
from ingestion.loaders.office.charts import Charts
from ingestion.loaders.office.markup import (
    find_all,
    is_monospaced,
    paragraphs_text,
    parse_part,
    table_rows,
    visible_text,
)
from ingestion.loaders.office.numbering import Numbering
from ingestion.loaders.office.package import open_package, reading
from ingestion.loaders.office.xml import attribute, child, local, value
from ingestion.loaders.slides import for_staff
from ingestion.loaders.staff_elements import block_says_solution

_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_CODE_STYLE = re.compile(r"\b(?:source ?code|code|verbatim|html preformatted|listing)\b", re.IGNORECASE)
_NO_TITLE = re.compile(r"word document|document ?\d*|.*\.docx?", re.IGNORECASE)
_NOTES = ("footnote", "endnote")
_MAX_STYLES = 20
"""In a chain of styles that rest on each other; a damaged file may have them in a circle."""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `EncryptedDocument`, `OversizedDocument`, `UnreadableDocument` for no document, or `EmptyDocument`."""
    package = open_package(name, data)
    with reading(name):
        import docx  # as every loader, imported for its own format alone

        document = docx.Document(package)
        reader = _Reader.of(document)
        lines = tuple(reader.lines(document.element.body))
        stated = (document.core_properties.title or "").strip()
    if not any(line.text.strip() for line in lines):
        raise EmptyDocument(f"{name}: there is no text in it, only pictures if anything. Run OCR on them first.")
    title = title_from(name, reader.title, None if _NO_TITLE.fullmatch(stated) else stated, first_heading(lines))
    return LoadedDocument(title, lines)


@dataclass(frozen=True, slots=True)
class _Style:
    level: int = 0
    is_title: bool = False
    is_code: bool = False
    is_solution: bool = False
    bold: bool = False
    hidden: bool = False
    list_id: str = ""
    depth: int = 0


@dataclass
class _Reader:
    styles: dict[str, _Style]
    numbering: Numbering
    notes: dict[tuple[str, str], str]
    """The texts of footnotes and endnotes by kind and id."""
    charts: Charts
    title: str = ""
    _drop_cap: str = ""
    _plain: _Style = field(default_factory=_Style)

    @classmethod
    def of(cls, document: Any) -> _Reader:
        part = document.part
        elements = {style.style_id: style.element for style in document.styles}
        kinds = {rel.reltype.rpartition("/")[2]: rel for rel in part.rels.values() if not rel.is_external}
        numbering = Numbering.of(part.numbering_part.element) if "numbering" in kinds else Numbering()
        notes = {
            (kind, number): text
            for kind in _NOTES
            if f"{kind}s" in kinds
            for number, text in _notes(kind, kinds[f"{kind}s"].target_part.blob)
        }
        return cls({key: _style(key, elements) for key in elements}, numbering, notes, Charts(part))

    def lines(self, parent: Any) -> Iterator[Line]:
        for element in parent:
            name = local(element)
            if name == "p":
                yield from self._paragraph(element)
            elif name == "tbl":
                yield from self._table(element)
            elif name == "sdt" and not _is_contents(element):
                yield from self.lines(child(element, "sdtContent") or ())
            elif name in ("ins", "moveTo", "customXml", "smartTag"):
                yield from self.lines(element)

    def _table(self, table: Any) -> Iterator[Line]:
        cells = [cell for row in find_all(table, "tr") for cell in find_all(row, "tc")]
        if len(cells) == 1:
            # A frame around code or a remark rather than a table.
            yield from self.lines(cells[0])
            return
        yield from map(Line, table_rows(table, self._is_shown))
        yield from self._hidden(table)

    def _paragraph(self, paragraph: Any) -> Iterator[Line]:
        style = self._style_of(paragraph)
        label = self.numbering.label(style.list_id, style.depth) if style.list_id else ""
        if style.hidden:
            yield from map(for_staff, self._rows(label, visible_text(paragraph), replace(style, is_title=False), []))
        else:
            runs = [run for run in find_all(paragraph, "r") if self._is_shown(run) and visible_text(run).strip()]
            text = visible_text(paragraph, self._is_shown) + self._notes(paragraph)
            if _is_drop_cap(paragraph):
                self._drop_cap = text.strip()
                return
            text, self._drop_cap = self._drop_cap + text, ""
            yield from self._rows(label if text.strip() else "", text, style, runs)
            yield from self._hidden(paragraph)
        for box in find_all(paragraph, "txbxContent"):
            yield from self.lines(box)
        yield from self.charts.lines(paragraph)

    def _is_shown(self, run: Any) -> bool:
        is_hidden = self.styles.get(value(run, "rPr", "rStyle"), self._plain).hidden
        return not is_hidden and not _is_on(child(run, "rPr", "vanish"))

    def _hidden(self, element: Any) -> Iterator[Line]:
        runs = (run for run in find_all(element, "r") if not self._is_shown(run))
        words = "".join(visible_text(run) for run in runs)
        yield from (for_staff(Line(tidy(row))) for row in words.strip().split("\n") if row)

    def _rows(self, label: str, text: str, style: _Style, runs: list[Any]) -> Iterator[Line]:
        fonts = [child(run, "rPr", "rFonts") for run in runs]
        is_code = style.is_code or is_monospaced(None if font is None else attribute(font, "ascii") for font in fonts)
        bold = bool(runs) and all(style.bold or _is_on(child(run, "rPr", "b")) for run in runs)
        for number, row in enumerate(text.split("\n")):
            words = tidy(row) if is_code else label * (number == 0) + " ".join(tidy(row).split())
            if style.is_title and words and not self.title:
                self.title = words
            kind = LineKind.CODE if is_code else LineKind.PROSE
            line = Line(words, kind, style.level if number == 0 and words else 0, bold=bold)
            yield replace(line, solution=True, closed=True) if style.is_solution else line
        if text.strip() and not is_code and not style.list_id:
            # Its end is the end of a paragraph.
            yield Line("", solution=style.is_solution, closed=style.is_solution)

    def _style_of(self, paragraph: Any) -> _Style:
        properties = child(paragraph, "pPr")
        if properties is None:
            return self._plain
        return _with_properties(self.styles.get(value(properties, "pStyle"), self._plain), properties)

    def _notes(self, paragraph: Any) -> str:
        keys = (
            (kind, attribute(reference, "id") or "")
            for kind in _NOTES
            for reference in find_all(paragraph, f"{kind}Reference")
        )
        return "".join(f" ({key[0].capitalize()}: {self.notes[key]})" for key in keys if self.notes.get(key))


def _style(key: str, elements: dict[str, Any]) -> _Style:
    chain: list[Any] = []
    while key in elements and len(chain) < _MAX_STYLES:
        chain.append(elements[key])
        key = value(elements[key], "basedOn")
    style = _Style()
    for element in reversed(chain):
        style = _with_name(style, value(element, "name"))
        if (properties := child(element, "pPr")) is not None:
            style = _with_properties(style, properties)
        if (bold := child(element, "rPr", "b")) is not None:
            style = replace(style, bold=_is_on(bold))
        if (vanish := child(element, "rPr", "vanish")) is not None:
            style = replace(style, hidden=_is_on(vanish))
    return style


def _with_name(style: _Style, name: str) -> _Style:
    if heading := _HEADING.match(name):
        return replace(style, level=int(heading[1]))
    return replace(
        style,
        is_title=style.is_title or name.casefold() == "title",
        is_code=style.is_code or bool(_CODE_STYLE.search(name)),
        is_solution=style.is_solution or block_says_solution("{" + name.replace(" ", "-") + "}"),
    )


def _with_properties(style: _Style, properties: Any) -> _Style:
    if (level := value(properties, "outlineLvl")).isdecimal():
        # Level 9, counted from 0, is that of text.
        style = replace(style, level=int(level) + 1 if int(level) < 9 else 0)
    if child(properties, "numPr", "numId") is not None:
        style = replace(style, list_id=value(properties, "numPr", "numId"))
    if child(properties, "numPr", "ilvl") is not None:
        style = replace(style, depth=int(value(properties, "numPr", "ilvl") or 0))
    return style


def _is_on(toggle: Any) -> bool:
    return toggle is not None and attribute(toggle, "val") not in ("0", "false", "off")


def _is_drop_cap(paragraph: Any) -> bool:
    frame = child(paragraph, "pPr", "framePr")
    return frame is not None and attribute(frame, "dropCap") in ("drop", "margin")


def _is_contents(control: Any) -> bool:
    return value(control, "sdtPr", "docPartObj", "docPartGallery").casefold() == "table of contents"


def _notes(kind: str, part: bytes) -> Iterator[tuple[str, str]]:
    for note in parse_part(part):
        if local(note) == kind and attribute(note, "type") is None:
            yield attribute(note, "id") or "", tidy(paragraphs_text(note))

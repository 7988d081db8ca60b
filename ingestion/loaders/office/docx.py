"""Word documents: headings, numbered lists, tables, formulas, text boxes, footnotes; hidden text is for staff."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree

from core.errors import EmptyDocument
from core.text.lines import tidy
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import title_from
from ingestion.loaders.office.markup import attribute, child, find_all, is_monospaced, local, table_rows, visible_text
from ingestion.loaders.office.numbering import Numbering
from ingestion.loaders.office.package import check_package, reading
from ingestion.loaders.slides import for_staff
from ingestion.loaders.staff_elements import block_says_solution

_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_CODE_STYLE = re.compile(r"\b(?:source ?code|code|verbatim|html preformatted|listing)\b", re.IGNORECASE)
_NO_TITLE = re.compile(r"word document|document ?\d*|.*\.docx?", re.IGNORECASE)
_MAX_STYLES = 20
"""In a chain of styles that rest on each other; a damaged file may have them in a circle."""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `EncryptedDocument`, `OversizedDocument`, `UnreadableDocument` for no document, or `EmptyDocument`."""
    check_package(name, data)
    with reading(name):
        import docx  # as every loader, imported for its own format alone

        document = docx.Document(io.BytesIO(data))
        reader = _Reader.of(document)
        lines = tuple(reader.lines(document.element.body))
        stated = (document.core_properties.title or "").strip()
    if not any(line.text.strip() for line in lines):
        raise EmptyDocument(f"{name}: there is no text in it, only pictures if anything. Run OCR on them first.")
    heading = next((line.text for line in lines if line.level), None)
    title = title_from(name, reader.title, None if _NO_TITLE.fullmatch(stated) else stated, heading)
    return LoadedDocument(title, lines)


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph's style says, with the styles that it rests on."""

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
    footnotes: dict[str, str]
    title: str = ""
    _plain: _Style = field(default_factory=_Style)

    @classmethod
    def of(cls, document: Any) -> _Reader:
        part = document.part
        elements = {style.style_id: style.element for style in document.styles}
        kinds = {rel.reltype.rpartition("/")[2]: rel for rel in part.rels.values() if not rel.is_external}
        numbering = Numbering.of(part.numbering_part.element) if "numbering" in kinds else Numbering()
        footnotes = _footnotes(kinds["footnotes"].target_part.blob) if "footnotes" in kinds else {}
        return cls({key: _style(key, elements) for key in elements}, numbering, footnotes)

    def lines(self, parent: Any) -> Iterator[Line]:
        """The lines below an element: paragraphs and tables, and those inside of content controls."""
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
            yield from self._rows(label if text.strip() else "", text, style, runs)
            yield from self._hidden(paragraph)
        for box in find_all(paragraph, "txbxContent"):
            yield from self.lines(box)

    def _is_shown(self, run: Any) -> bool:
        named = child(run, "rPr", "rStyle")
        if named is not None and self.styles.get(attribute(named, "val") or "", self._plain).hidden:
            return False
        return not _is_on(child(run, "rPr", "vanish"))

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
        named = child(properties, "pStyle")
        style = self.styles.get((attribute(named, "val") or "") if named is not None else "", self._plain)
        return _with_properties(style, properties)

    def _notes(self, paragraph: Any) -> str:
        ids = (attribute(one, "id") or "" for one in find_all(paragraph, "footnoteReference"))
        return "".join(f" (Footnote: {self.footnotes[one]})" for one in ids if self.footnotes.get(one))


def _style(key: str, elements: dict[str, Any]) -> _Style:
    chain: list[Any] = []
    while key in elements and len(chain) < _MAX_STYLES:
        chain.append(elements[key])
        based = child(elements[key], "basedOn")
        key = (attribute(based, "val") or "") if based is not None else ""
    style = _Style()
    for element in reversed(chain):
        named = child(element, "name")
        style = _with_name(style, (attribute(named, "val") or "") if named is not None else "")
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
    outline, numbers = child(properties, "outlineLvl"), child(properties, "numPr")
    if outline is not None and (level := attribute(outline, "val") or "").isdecimal():
        # Level 9, counted from 0, is that of text.
        style = replace(style, level=int(level) + 1 if int(level) < 9 else 0)
    if numbers is not None:
        list_id, depth = child(numbers, "numId"), child(numbers, "ilvl")
        if list_id is not None:
            style = replace(style, list_id=attribute(list_id, "val") or "")
        if depth is not None:
            style = replace(style, depth=int(attribute(depth, "val") or 0))
    return style


def _is_on(toggle: Any) -> bool:
    return toggle is not None and attribute(toggle, "val") not in ("0", "false", "off")


def _is_contents(control: Any) -> bool:
    gallery = child(control, "sdtPr", "docPartObj", "docPartGallery")
    return gallery is not None and (attribute(gallery, "val") or "").casefold() == "table of contents"


def _footnotes(part: bytes) -> dict[str, str]:
    root = etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True))
    return {
        attribute(note, "id") or "": " ".join(tidy(" ".join(visible_text(p) for p in find_all(note, "p"))).split())
        for note in root
        if local(note) == "footnote" and attribute(note, "type") is None
    }

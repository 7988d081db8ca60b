"""HTML pages, with what is marked as a solution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from bs4 import BeautifulSoup
from bs4.element import CData, NavigableString, PageElement, Tag
from bs4.exceptions import ParserRejectedMarkup

from core.errors import EmptyDocument, UnreadableDocument
from core.text.html import BLOCKS, HtmlLine, HtmlLines, parse
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import decode, first_heading, title_from
from ingestion.loaders.front_matter import read_front_matter
from ingestion.loaders.inline import edge_in_comment
from ingestion.loaders.markdown import read_lines
from ingestion.loaders.remark import as_markdown
from ingestion.loaders.staff_elements import is_solution_title, says_solution
from ingestion.loaders.unseen import Hidden, hidden_by, is_unseen

_FIELDS = frozenset(("input", "textarea", "select"))
_FIRST_ELEMENTS = 30
_FIRST_NODES = 200
"""Of a summary that are looked at."""
_OUTPUT = re.compile(r"cell[-_]output\b|output(?:_area|_wrapper|_text|_subarea)?$|jp-(?:OutputArea|Cell-outputWrapper)")
_MAX_CHARS = 200
"""Of a summary: a longer one is no title."""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data or markup beyond repair, `EmptyDocument` where there is no text."""
    decoded = decode(name, data)
    header = read_front_matter(decoded.text)
    try:
        soup = parse(header.text)
    except ParserRejectedMarkup as error:
        raise UnreadableDocument(f"{name}: the HTML cannot be parsed ({error}). Save the page again.") from error
    lines = [*map(Line, header.dates), *_lines(soup)]
    if not any(line.text for line in lines):
        raise EmptyDocument(f"{name}: there is no text in it outside navigation and scripts.")
    title = soup.title.get_text() if soup.title else header.title
    return LoadedDocument(title_from(name, title, first_heading(lines)), tuple(lines), warnings=decoded.warnings)


def _lines(soup: BeautifulSoup) -> list[Line]:
    """The lines of a page; of slides that a script makes of Markdown, those of the Markdown."""
    if isinstance(source := soup.find("textarea", id="source"), Tag):
        return read_lines(as_markdown(source.get_text()))
    writer = _MarkedLines(hidden=hidden_by(style.get_text() for style in soup.find_all("style")))
    writer.read(soup)
    return writer.marked


def _attributes(tag: Tag) -> dict[str, str]:
    return {key: " ".join(value) if isinstance(value, list) else value for key, value in tag.attrs.items()}


def _is_solution(tag: Tag) -> bool:
    if not (says_solution(tag.name, _attributes(tag)) or _is_titled_solution(tag)):
        return False
    # A quiz names so what its students fill in.
    first = islice((child.name for child in _inside(tag) if isinstance(child, Tag)), _FIRST_ELEMENTS)
    return _FIELDS.isdisjoint(first)


def _is_output(tag: Tag) -> bool:
    return tag.name == "samp" or any(_OUTPUT.match(name) for name in tag.get_attribute_list("class") if name)


def _is_titled_solution(tag: Tag) -> bool:
    summary = tag.find("summary", recursive=False) if tag.name == "details" else None
    if summary is None:
        return False
    strings = (node for node in islice(_inside(summary), _FIRST_NODES) if type(node) in (NavigableString, CData))
    return is_solution_title("".join(map(str, strings))[:_MAX_CHARS])


def _inside(tag: Tag) -> Iterator[PageElement]:
    """What is inside an element, in order. The parser's own iterator goes to the element's end before it begins."""
    levels = [iter(tag.contents)]
    while levels:
        child = next(levels[-1], None)
        if child is None:
            levels.pop()
            continue
        yield child
        if isinstance(child, Tag):
            levels.append(iter(child.contents))


def _ends_implicitly(outer: Tag, tag: Tag) -> bool:
    if tag.parent is not outer:
        return False
    again = tag.name == outer.name and tag.name in ("li", "dd", "dt", "td", "tr")
    return again or (outer.name == "p" and tag.name in BLOCKS - {"br"})


@dataclass
class _MarkedLines(HtmlLines):
    hidden: Hidden = frozenset()
    marked: list[Line] = field(default_factory=list)
    _unseen: bool = False
    _solution: Tag | None = None
    _output: Tag | None = None

    def enter(self, tag: Tag) -> None:
        if self._output is None and _is_output(tag):
            self.flush()
            self._output = tag
        if self._solution is not None and _ends_implicitly(self._solution, tag):
            self.flush()
            self._solution = None
        if self._solution is None and (
            (unseen := is_unseen(tag.name, _attributes(tag), self.hidden)) or _is_solution(tag)
        ):
            self.flush()
            self._solution, self._unseen = tag, unseen
        super().enter(tag)

    def leave(self, tag: Tag) -> None:
        super().leave(tag)
        if tag is self._solution:
            self.flush()
            self._solution = None
        if tag is self._output:
            self.flush()
            self._output = None

    def comment(self, text: str) -> None:
        if edge := edge_in_comment(text):
            self.flush()
            self.marked.append(Line("", edge=edge))

    def write(self, line: HtmlLine) -> None:
        kind = LineKind.OUTPUT if self._output else LineKind.CODE if line.code else LineKind.PROSE
        inside = self._solution is not None
        unseen = inside and self._unseen
        self.marked.append(
            Line(line.text, kind, level=line.level, bold=line.bold, solution=inside, closed=inside, staff=unseen)
        )

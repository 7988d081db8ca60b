"""HTML pages and fragments: headings by level, `pre` as code, list items and table rows as lines.

Navigation, scripts and the page's own header and footer are left out. A header inside an article stays: it holds the
article's title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from bs4 import BeautifulSoup
from bs4.element import CData, Comment, NavigableString, PageElement, PreformattedString, Tag
from bs4.exceptions import ParserRejectedMarkup

from core.errors import EmptyDocument, UnreadableDocument
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import decode, tidy, title_from
from ingestion.loaders.inline import edge_in_comment
from ingestion.loaders.staff_elements import says_solution
from ingestion.solutions.marks import is_solution_marker

DROPPED = {
    *("nav", "script", "style", "header", "footer", "aside"),
    *("head", "title", "template", "noscript", "svg", "iframe", "object"),
}
_LEVELS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = {
    *_LEVELS,
    *("address", "article", "blockquote", "body", "center", "details", "dialog", "div", "fieldset", "figcaption"),
    *("figure", "form", "html", "legend", "main", "p", "pre", "section", "summary", "br", "hr"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr"),
}
_STRAY = re.compile(r"""<!--|<(?!/?[A-Za-z](?:[^<>"']|"[^"]*+"|'[^']*+')*+>|[!?][^<>]*+>)""")
_FIELDS = frozenset(("input", "textarea", "select"))
_FIRST_ELEMENTS = 30
_FIRST_NODES = 200
"""Of a summary that are looked at."""
_MAX_INDENT = 20
"""Lists in lists that are set apart by white space: each line of a deeper one would be as long as it is deep."""
_MAX_CHARS = 200
"""Of a summary: a longer one is no title."""
_SPACE = re.compile(r"[ \t\r\n\f\v\xa0]+")


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data or markup beyond repair, `EmptyDocument` where there is no text."""
    decoded = decode(name, data)
    try:
        soup = _parse(decoded.text)
    except ParserRejectedMarkup as error:
        raise UnreadableDocument(f"{name}: the HTML cannot be parsed ({error}). Save the page again.") from error
    lines = _lines(soup)
    if not any(line.text for line in lines):
        raise EmptyDocument(f"{name}: there is no text in it outside navigation and scripts.")
    heading = next((line.text for line in lines if line.level), None)
    title = soup.title.get_text() if soup.title else None
    return LoadedDocument(title_from(name, title, heading), tuple(lines), warnings=decoded.warnings)


def read_lines(markup: str) -> list[Line]:
    """The lines of a fragment; markup that no parser accepts is read as plain text."""
    try:
        return _lines(_parse(markup))
    except ParserRejectedMarkup:
        return [Line(tidy(line)) for line in markup.split("\n") if line.strip()]


def _parse(markup: str) -> BeautifulSoup:
    """Parse, with each `<` that begins no complete tag or comment read as text.

    The parser would read it so too, but its time grows with the square of their number.
    """
    last_comment = markup.rfind("-->")

    def stray(match: re.Match[str]) -> str:
        return match.group() if match.group() == "<!--" and match.start() < last_comment else "&lt;" + match.group()[1:]

    return BeautifulSoup(_STRAY.sub(stray, markup), "html.parser")


def _lines(soup: BeautifulSoup) -> list[Line]:
    writer = _Writer()
    for node, entering in _walk(soup):
        if isinstance(node, Tag):
            (writer.enter if entering else writer.leave)(node)
        elif isinstance(node, Comment):
            writer.comment(str(node))
        elif not isinstance(node, PreformattedString):
            # Comments, doctypes and CDATA are the preformatted strings: nothing a reader sees.
            writer.text(str(node))
    writer.flush()
    return writer.lines


def _walk(soup: BeautifulSoup) -> Iterator[tuple[Tag | NavigableString, bool]]:
    """Elements when entered and left, and strings, in order. Without recursion: a page may be nested at any depth."""
    open_children: list[tuple[Tag, Iterator[object]]] = [(soup, iter(soup.contents))]
    while open_children:
        parent, children = open_children[-1]
        child = next(children, None)
        if child is None:
            open_children.pop()
            yield parent, False
        elif isinstance(child, Tag):
            if child.name not in DROPPED or _titles_article(child):
                open_children.append((child, iter(child.contents)))
                yield child, True
        elif isinstance(child, NavigableString):
            yield child, True


def _is_solution(tag: Tag) -> bool:
    attributes = {key: " ".join(value) if isinstance(value, list) else value for key, value in tag.attrs.items()}
    if not (says_solution(tag.name, attributes) or _is_titled_solution(tag)):
        return False
    # A quiz names so what its students fill in.
    first = islice((child.name for child in _inside(tag) if isinstance(child, Tag)), _FIRST_ELEMENTS)
    return _FIELDS.isdisjoint(first)


def _is_titled_solution(tag: Tag) -> bool:
    summary = tag.find("summary", recursive=False) if tag.name == "details" else None
    if summary is None:
        return False
    strings = (node for node in islice(_inside(summary), _FIRST_NODES) if type(node) in (NavigableString, CData))
    return is_solution_marker("".join(map(str, strings))[:_MAX_CHARS])


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
    """Whether a tag ends an element that needs no closing tag; the parser puts it inside."""
    if tag.parent is not outer:
        return False
    again = tag.name == outer.name and tag.name in ("li", "dd", "dt", "td", "tr")
    return again or (outer.name == "p" and tag.name in BLOCKS - {"br"})


def _titles_article(tag: Tag) -> bool:
    return tag.name == "header" and tag.parent is not None and tag.parent.name in ("article", "main", "section")


@dataclass
class _Writer:
    """Gathers text until a block begins or ends."""

    lines: list[Line] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _level: int = 0
    _pre: int = 0
    _lists: int = 0
    _bold: int = 0
    _plain_words: bool = False
    _label: str = ""
    _cells: int = 0
    _row: int = 0
    _solution: Tag | None = None

    def enter(self, tag: Tag) -> None:
        name = tag.name
        if self._solution is not None and _ends_implicitly(self._solution, tag):
            self.flush()
            self._solution = None
        if self._solution is None and _is_solution(tag):
            self.flush()
            self._solution = tag
        if name in BLOCKS and not self._in_row(name):
            self.flush()
        if name in _LEVELS:
            self._level = _LEVELS[name]
        elif name == "pre":
            self._pre += 1
        elif name in ("ul", "ol"):
            self._lists += 1
        elif name == "li":
            self._label = "  " * min(self._lists - 1, _MAX_INDENT) + "- "
        elif name in ("b", "strong"):
            self._bold += 1
        elif name == "tr":
            self._row, self._cells = self._row + 1, 0
        elif name in ("td", "th"):
            self._parts.append(" | " if self._cells else "")
            self._cells += 1
        elif name == "br" and self._pre:
            self._parts.append("\n")
        elif name == "img" and isinstance(alt := tag.get("alt"), str):
            self.text(f" {alt} ")

    def leave(self, tag: Tag) -> None:
        name = tag.name
        if name in BLOCKS and not self._in_row(name):
            self.flush()
        if name in _LEVELS:
            self._level = 0
        elif name == "pre":
            self._pre -= 1
        elif name in ("ul", "ol"):
            self._lists -= 1
        elif name in ("b", "strong"):
            self._bold -= 1
        elif name == "tr":
            self._row -= 1
        if tag is self._solution:
            self.flush()
            self._solution = None

    def comment(self, text: str) -> None:
        """A comment is nothing a reader sees, but it may say where a solution begins or ends."""
        if edge := edge_in_comment(text):
            self.flush()
            self.lines.append(Line("", edge=edge))

    def text(self, text: str) -> None:
        self._parts.append(text)
        if not self._bold and text.strip():
            self._plain_words = True

    def _in_row(self, name: str) -> bool:
        """Paragraphs and lists in a table cell do not break its row into lines; code and nested tables do."""
        if not self._row or name in ("tr", "table", "pre"):
            return False
        self._parts.append(" ")
        return True

    def flush(self) -> None:
        """Write the text gathered as a line, or as lines of code."""
        text, bold = "".join(self._parts), not self._plain_words
        self._parts.clear()
        self._plain_words = False
        if self._pre:
            self._code(text)
        elif words := _SPACE.sub(" ", text).strip():
            self._write(Line(tidy(self._label + words), level=self._level, bold=bold))
            self._label = ""

    def _code(self, text: str) -> None:
        code = [tidy(line) for line in text.removeprefix("\n").rstrip().split("\n")]
        if any(code):
            for line in code:
                self._write(Line(line, LineKind.CODE))

    def _write(self, line: Line) -> None:
        inside = self._solution is not None
        self.lines.append(replace(line, solution=True, closed=True) if inside else line)

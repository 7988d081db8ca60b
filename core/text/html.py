"""HTML as lines of text: headings by level, `pre` as code, list items and table rows as lines of their own.

Navigation, scripts and the page's own header and footer are left out. A header inside an article stays: it holds the
article's title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import BeautifulSoup
from bs4.element import Comment, NavigableString, PreformattedString, Tag
from bs4.exceptions import ParserRejectedMarkup

from core.text.lines import tidy, tidy_text, with_line_feeds

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
_DECORATIONS = {
    *("headerlink", "anchor-link", "anchorjs-link", "header-anchor"),
    *("input_prompt", "output_prompt", "jp-InputPrompt", "jp-OutputPrompt"),
}
"""Classes of elements that no author wrote."""
_STRAY = re.compile(r"""<!--|<(?!/?[A-Za-z](?:[^<>"']|"[^"]*+"|'[^']*+')*+>|[!?][^<>]*+>)""")
_MAX_INDENT = 20
"""Lists in lists that are set apart by white space: each line of a deeper one would be as long as it is deep."""
_SPACE = re.compile(r"[ \t\r\n\f\v\xa0]+")


def html_text(markup: str) -> str:
    """The words of a fragment without its markup, code included; may be empty. Never fails."""
    try:
        soup = parse(with_line_feeds(markup))
    except ParserRejectedMarkup:
        return tidy_text(markup)
    writer = HtmlLines()
    writer.read(soup)
    return "\n".join(line.text for line in writer.lines)


def parse(markup: str) -> BeautifulSoup:
    """Parse as browsers do: elements that need no closing tag end where the next one begins (libxml2's rules).

    Each `<` that begins no complete tag or comment is read as text. Raises `ParserRejectedMarkup`.
    """
    last_comment = markup.rfind("-->")

    def stray(match: re.Match[str]) -> str:
        return match.group() if match.group() == "<!--" and match.start() < last_comment else "&lt;" + match.group()[1:]

    return BeautifulSoup(_STRAY.sub(stray, markup), "lxml")


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
            if (child.name not in DROPPED or _titles_article(child)) and not _is_decoration(child):
                open_children.append((child, iter(child.contents)))
                yield child, True
        elif isinstance(child, NavigableString):
            yield child, True


def _titles_article(tag: Tag) -> bool:
    return tag.name == "header" and tag.parent is not None and tag.parent.name in ("article", "main", "section")


def _is_decoration(tag: Tag) -> bool:
    """Links of headings to themselves ("¶"), and the prompts of notebooks ("In [1]:")."""
    return not _DECORATIONS.isdisjoint(tag.get_attribute_list("class"))


@dataclass(frozen=True, slots=True)
class HtmlLine:
    """One line of text. `level` is 1 to 6 for a heading, else 0; `bold` where all its words are."""

    text: str
    level: int = 0
    bold: bool = False
    code: bool = False


@dataclass
class HtmlLines:
    """Gathers text until a block begins or ends. A subclass can look at elements and comments as they pass."""

    lines: list[HtmlLine] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _level: int = 0
    _pre: int = 0
    _lists: int = 0
    _bold: int = 0
    _plain_words: bool = False
    _label: str = ""
    _cells: int = 0
    _row: int = 0

    def read(self, soup: BeautifulSoup) -> None:
        """Go through a parsed page or fragment, and write its lines."""
        for node, entering in _walk(soup):
            if isinstance(node, Tag):
                (self.enter if entering else self.leave)(node)
            elif isinstance(node, Comment):
                self.comment(str(node))
            elif not isinstance(node, PreformattedString):
                # Comments, doctypes and CDATA are the preformatted strings: nothing a reader sees.
                self.text(str(node))
        self.flush()

    def enter(self, tag: Tag) -> None:
        """An element begins."""
        name = tag.name
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
        """An element ends."""
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

    def comment(self, text: str) -> None:
        """A comment passes: nothing a reader sees."""

    def text(self, text: str) -> None:
        """Text passes."""
        self._parts.append(text)
        if not self._bold and text.strip():
            self._plain_words = True

    def write(self, line: HtmlLine) -> None:
        """A line is complete."""
        self.lines.append(line)

    def flush(self) -> None:
        """Write the text gathered as a line, or as lines of code."""
        text, bold = "".join(self._parts), not self._plain_words
        self._parts.clear()
        self._plain_words = False
        if self._pre:
            self._code(text)
        elif words := _SPACE.sub(" ", text).strip():
            self.write(HtmlLine(tidy(self._label + words), self._level, bold))
            self._label = ""

    def _in_row(self, name: str) -> bool:
        """Paragraphs and lists in a table cell do not break its row into lines; code and nested tables do."""
        if not self._row or name in ("tr", "table", "pre"):
            return False
        self._parts.append(" ")
        return True

    def _code(self, text: str) -> None:
        code = [tidy(line) for line in text.removeprefix("\n").rstrip().split("\n")]
        if any(code):
            for line in code:
                self.write(HtmlLine(line, code=True))

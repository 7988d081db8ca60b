"""HTML as lines of text: headings by level, `pre` as code, list items and table rows as lines of their own.

Navigation, scripts and the page's own header and footer are left out. A header inside an article stays: it holds the
article's title. An `aside` without sentences is navigation; struck text is left out; formulas are read as their TeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from bs4 import BeautifulSoup
from bs4.element import Comment, NavigableString, PreformattedString, Tag
from bs4.exceptions import ParserRejectedMarkup

from core.text.html_formulas import formula_of, is_rendering
from core.text.lines import tidy, tidy_text, with_line_feeds
from core.text.numerals import MAX_ROMAN, roman
from core.text.raised import lowered, raised

DROPPED = {
    *("nav", "script", "style", "header", "footer", *("s", "strike", "del")),
    *("head", "title", "template", "noscript", "svg", "iframe", "object"),
}
_LEVELS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = {
    *_LEVELS,
    *(
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "details",
        "dialog",
        "div",
        "fieldset",
        "figcaption",
    ),
    *("figure", "form", "html", "legend", "main", "p", "pre", "section", "summary", "br", "hr"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr"),
}
_DECORATIONS = {
    *("headerlink", "anchor-link", "anchorjs-link", "header-anchor"),
    *("input_prompt", "output_prompt", "jp-InputPrompt", "jp-OutputPrompt"),
}
"""Classes of elements that no author wrote."""
_LISTS = ("ul", "ol", "menu")
_MAX_ASIDE_NODES = 200
_SENTENCE = re.compile(r"(?:\w+\W+){2}\w[^.!?。]*[.!?。:]")
_STRUCK = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*\b(lower|upper)-(alpha|latin|roman)", re.IGNORECASE)
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
            if (formula := formula_of(child)) is not None:
                yield NavigableString(formula), True
            elif (child.name not in DROPPED or _titles_article(child)) and not _is_no_text(child):
                open_children.append((child, iter(child.contents)))
                yield child, True
        elif isinstance(child, NavigableString):
            yield child, True


def _titles_article(tag: Tag) -> bool:
    return tag.name == "header" and tag.parent is not None and tag.parent.name in ("article", "main", "section")


def _is_no_text(tag: Tag) -> bool:
    """Links of headings to themselves ("¶"), prompts of notebooks ("In [1]:"), struck text, asides of links."""
    if not _DECORATIONS.isdisjoint(tag.get_attribute_list("class")) or is_rendering(tag):
        return True
    return bool(_STRUCK.search(str(tag.get("style", "")))) or (tag.name == "aside" and not _is_remark(tag))


def _is_remark(aside: Tag) -> bool:
    """Whether an aside holds sentences, such as a footnote, rather than links or an advertisement."""
    nodes = list(islice(_strings(aside), _MAX_ASIDE_NODES))
    links = (node for node in nodes if node.parent is not None and node.parent.name in ("a", "button", "option"))
    text = "".join(nodes)
    return 2 * sum(map(len, links)) <= len(text) and bool(_SENTENCE.search(text))


def _strings(tag: Tag) -> Iterator[NavigableString]:
    """The strings inside, in order. The parser's own iterator goes to the element's end before it begins."""
    levels = [iter(tag.contents)]
    while levels:
        child = next(levels[-1], None)
        if child is None:
            levels.pop()
        elif isinstance(child, Tag):
            levels.append(iter(child.contents))
        elif isinstance(child, NavigableString):
            yield child


@dataclass(frozen=True, slots=True)
class HtmlLine:
    """One line of text. `level` is 1 to 6 for a heading, else 0; `bold` where all its words are."""

    text: str
    level: int = 0
    bold: bool = False
    code: bool = False


@dataclass
class _List:
    """A list that is open. `style` is that of its numbers ("1", "a", "A", "i", "I"), empty for bullets."""

    style: str
    number: int
    step: int = 1

    @classmethod
    def of(cls, tag: Tag) -> _List:
        if tag.name != "ol":
            return cls("", 0)
        style = str(tag.get("type", ""))
        if not style and (named := _LIST_STYLE.search(str(tag.get("style", "")))):
            style = "i" if named[2].lower() == "roman" else "a"
            style = style.upper() if named[1].lower() == "upper" else style
        step = -1 if tag.has_attr("reversed") else 1
        items = len(tag.find_all("li", recursive=False)) if step < 0 else 1
        return cls(style if style in ("a", "A", "i", "I") else "1", _whole(tag.get("start"), items), step)

    def next_label(self, item: Tag) -> str:
        if not self.style:
            return "- "
        number = _whole(item.get("value"), self.number)
        self.number = number + self.step
        return f"{_in_style(number, self.style)}. "


def _whole(attribute: object, default: int) -> int:
    text = str(attribute or "").strip()
    return int(text) if re.fullmatch(r"-?[0-9]{1,6}", text) else default


def _in_style(number: int, style: str) -> str:
    if style in ("a", "A") and 0 < number <= 26:
        return chr(ord(style) + number - 1)
    if style in ("i", "I") and 0 < number <= MAX_ROMAN:
        return roman(number) if style == "i" else roman(number).upper()
    return str(number)


@dataclass
class HtmlLines:
    """Gathers text until a block begins or ends. A subclass can look at elements and comments as they pass."""

    lines: list[HtmlLine] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _level: int = 0
    _pre: int = 0
    _lists: list[_List] = field(default_factory=list)
    _scripts: list[tuple[str, int]] = field(default_factory=list)
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
        elif name in _LISTS:
            self._lists.append(_List.of(tag))
        elif name == "li":
            self._label = self._item_label(tag)
        elif name in ("sup", "sub"):
            self._scripts.append((name, len(self._parts)))
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
        elif name in _LISTS:
            self._lists.pop()
        elif name in ("sup", "sub") and self._scripts:
            self._end_script(*self._scripts.pop())
        elif name in ("b", "strong"):
            self._bold -= 1
        elif name == "tr":
            self._row -= 1

    def _item_label(self, item: Tag) -> str:
        innermost = self._lists[-1] if self._lists else _List("", 0)
        return "  " * min(len(self._lists) - 1, _MAX_INDENT) + innermost.next_label(item)

    def _end_script(self, name: str, start: int) -> None:
        # A block inside has written what stood before.
        if start < len(self._parts) and not self._pre:
            before = next((part for part in reversed(self._parts[:start]) if part), "")
            text = "".join(self._parts[start:])
            self._parts[start:] = [raised(before, text) if name == "sup" else lowered(before, text)]

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

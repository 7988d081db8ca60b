"""Inline Markdown, reduced to the words readers see; line breaks, code and LaTeX stay. Linear in the text's length."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from core.text.raised import lowered, raised
from ingestion.document import Edge

_WITHIN_WORDS = (
    *("a", "abbr", "cite", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span"),
    *("strike", "sub", "sup", "tt", "u", "var", "wbr"),
)
_BETWEEN_WORDS = (
    *("article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "footer", "head", "header"),
    *("html", "link", "main", "meta", "nav", "object", "p", "pre", "script", "section", "style", "summary", "title"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "br", "hr", "dd", "dl", "dt", "li", "ol", "ul"),
    *("caption", "col", "colgroup", "table", "tbody", "tfoot", "thead", "tr"),
    *("audio", "figcaption", "figure", "iframe", "img", "picture", "source", "video"),
    *("button", "form", "input", "label", "option", "select", "textarea"),
)
TAG_TEXT = {
    **dict.fromkeys(_WITHIN_WORDS, ""),
    **dict.fromkeys(_BETWEEN_WORDS, " "),
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("td", "th"), " | "),
    "code": "`",
}
"""The known HTML elements, with the text that replaces a tag. `<b and c>` in a formula is not a tag with attributes."""

_KEPT = r"""
    (?P<kept>
        ``[^\n]*?`` | `[^`\n]++`
      | (?<!\\)\$\$[^$]++\$\$
      | (?<![\\$])\$(?![\s$])[^$\n]*+(?<![\s\\])\$(?![\d$])
    )"""
_TARGET = r"\((?:[^()\n]|\([^()\n]*+\))*+\)"
_MARKUP = re.compile(
    rf"""{_KEPT}
  | (?P<comment><!--)
  | (?P<hidden><(?:script|style)\b[^<>]*+>)
  | !\[(?P<alt>[^\[\]\n]*+)\]{_TARGET}
  | <(?P<address>(?:https?://|mailto:)[^\s<>]++)>
  | (?P<struck>[ ]?<(?P<strike>s|del|strike)\b[^<>]*+>[^<>]{{0,2000}}</(?P=strike)\s*+>
      | [ ]?(?<![~\\])~~(?![~\s])[^~\n]{{1,500}}(?<!\s)~~(?!~))
  | (?P<script><(?P<place>sup|sub)\b[^<>]*+>(?P<words>[^<>\n]{{1,60}})</(?P=place)\s*+>)
  | (?P<tag></?(?P<name>{"|".join(sorted(TAG_TEXT, key=len, reverse=True))})
        (?:\s++[A-Za-z_:@][\w:.\-]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>`]++))?+){{0,30}}+\s*+/?>)
  | (?P<entity>&(?:\#\d{{1,7}}|\#x[\da-f]{{1,6}}|[a-z][a-z\d]{{1,30}});)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LINK = re.compile(rf"{_KEPT} | (?<![\\!])\[(?P<text>[^\[\]]{{0,1000}}+)(?<!\\)\]{_TARGET}", re.VERBOSE)
_ALT = re.compile(r"""\balt\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)

_BEFORE = 20
"""Characters before a raised one that say what it is."""

_EDGE = re.compile(
    r"^\W*(?:(?P<end>/|end\W+(?:of\W+)?)|(?:begin|start)\W+(?:of\W+)?)(?:staff\W+|instructor\W+)?"
    r"(?:solutions?|answers?|hidden\W+tests?|rubric)\W*$"
    r"|^\W*(?:staff\W+|instructor\W+)?solutions?\W*$",
    re.IGNORECASE,
)


def edge_in_comment(text: str) -> Edge:
    """What a comment says of a solution: " BEGIN SOLUTION ", "solution", "/solution"."""
    match = _EDGE.match(text) if len(text) < 80 else None
    if match is None:
        return ""
    return "end" if match["end"] else "begin"


def visible(markdown: str) -> str:
    """The text without comments, scripts, tags and struck words, images as their description, links as their words."""
    if any(mark in markdown for mark in ("<", "&", "![", "~~")):
        markdown = _without_markup(markdown)
    return _LINK.sub(_link_text, markdown) if "](" in markdown else markdown


def _link_text(match: re.Match[str]) -> str:
    return match["kept"] or match["text"] or ""


def _without_markup(markdown: str) -> str:
    parts: list[str] = []
    position = 0
    closing = _Closing(markdown)
    while match := _MARKUP.search(markdown, position):
        parts.append(markdown[position : match.start()])
        text, position = _replacement(match, closing)
        parts.append(text)
    parts.append(markdown[position:])
    return "".join(parts)


def _replacement(match: re.Match[str], closing: _Closing) -> tuple[str, int]:
    kind = match.lastgroup
    if kind in ("comment", "hidden"):
        # A comment may be as short as "<!-->", so its end is looked for inside its own opening mark.
        mark, start = ("-->", match.start() + 2) if kind == "comment" else _element_end(match)
        end = closing.after(mark, start)
        if end is None:
            # Never closed: browsers would hide the rest of the file, but its author meant it to be read.
            return (match.group() if kind == "comment" else "\n" * match.group().count("\n")), match.end()
        return "\n" * match.string.count("\n", match.start(), end), end
    return _ONE_PIECE[kind or "kept"](match), match.end()


def _element_end(match: re.Match[str]) -> tuple[str, int]:
    return ("</script>" if match["hidden"][1:7].lower() == "script" else "</style>"), match.end()


def _tag_text(match: re.Match[str]) -> str:
    name = match["name"].lower()
    lines = "\n" * match["tag"].count("\n")
    if name == "img" and (alt := _ALT.search(match["tag"])):
        return (alt[1] or alt[2] or "").replace("\n", " ") + lines
    if name in ("td", "th") and match["tag"].startswith("</"):
        return lines
    return TAG_TEXT[name] + lines


def _script_text(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - _BEFORE) : match.start()]
    words = html.unescape(match["words"])
    return (raised if match["place"].lower() == "sup" else lowered)(before, words)


_ONE_PIECE: dict[str, Callable[[re.Match[str]], str]] = {
    "kept": lambda match: match.group(),
    "alt": lambda match: match["alt"],
    "address": lambda match: match["address"],
    "struck": lambda match: "\n" * match.group().count("\n"),
    "script": _script_text,
    "tag": _tag_text,
    "entity": lambda match: html.unescape(match.group()).replace("\n", " "),
}


class _Closing:
    """Finds closing marks, ignoring case; a missing one is searched once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._missing: set[str] = set()

    def after(self, mark: str, start: int) -> int | None:
        """The offset behind the next `mark`, or None."""
        if mark in self._missing:
            return None
        pattern = self._patterns.setdefault(mark, re.compile(re.escape(mark), re.IGNORECASE))
        if match := pattern.search(self._text, start):
            return match.end()
        self._missing.add(mark)
        return None

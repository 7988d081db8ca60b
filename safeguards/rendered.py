"""What a renderer makes of an answer's Markdown: which lines are code, and where links and images lead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SPAN = re.compile(r"\\.|(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_URL_IN_HTML = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^\s\"'<>`)]+|javascript:[^\s\"'<>]*", re.IGNORECASE)
_CODE_BLOCKS = frozenset({"fence", "code_block"})


class LinkTarget(NamedTuple):
    """Where something leads, and the lines of the source it stands in."""

    url: str
    lines: range
    kind: str
    """`definition`, `link`, `image`, `html`, or `text`, of which others may make links."""


def prose_and_code(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and whether each is code; joined, they are the text again.

    Blocks are those of the parser. Spans of code are found by their marks: a mistake there is found by `targets`.
    """
    lines = markdown.split("\n")
    blocks = (token for token in _parser(html=False).parse(markdown) if token.type in _CODE_BLOCKS)
    code = {number for token in blocks for number in range(*token.map or (0, 0))}
    numbered = ((line + "\n" * (n < len(lines) - 1), n in code) for n, line in enumerate(lines))
    for is_code, group in groupby(numbered, key=lambda pair: pair[1]):
        text = "".join(line for line, _ in group)
        if is_code:
            yield text, True
        else:
            yield from _spans(text)


def targets(markdown: str) -> Iterator[LinkTarget]:
    """Where the text leads, whether its HTML is shown as HTML or as text."""
    for html in (False, True) if "<" in markdown else (False,):
        env: dict[str, Any] = {}
        tokens = _parser(html=html).parse(markdown, env)
        for found in (*env.get("references", {}).values(), *env.get("duplicate_refs", ())):
            yield LinkTarget(found["href"], range(*found["map"]), "definition")
        lines = range(0)
        for token in tokens:
            lines = range(*token.map) if token.map else lines
            for one in (token, *(token.children or ())):
                yield from _of_token(one, lines)


def _of_token(token: Token, lines: range) -> Iterator[LinkTarget]:
    if token.type == "link_open":
        yield LinkTarget(str(token.attrGet("href") or ""), lines, "link")
    elif token.type == "image":
        yield LinkTarget(str(token.attrGet("src") or ""), lines, "image")
        for child in token.children or ():
            yield from _of_token(child, lines)
    elif token.type == "text":
        yield LinkTarget(token.content, lines, "text")
    elif token.type in {"html_inline", "html_block"}:
        yield from (LinkTarget(match[0], lines, "html") for match in _URL_IN_HTML.finditer(token.content))


def _spans(prose: str) -> Iterator[tuple[str, bool]]:
    last = 0
    for match in _SPAN.finditer(prose):
        if match["ticks"]:
            yield prose[last : match.start()], False
            yield match[0], True
            last = match.end()
    yield prose[last:], False


@cache
def _parser(*, html: bool) -> MarkdownIt:
    """As on the page, but every target is a target, as it is written; raw HTML may be HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": html}).enable("table")
    parser.normalizeLink = _unchanged  # type: ignore[method-assign]
    parser.validateLink = _is_valid  # type: ignore[method-assign, assignment]
    return parser


def _unchanged(url: str) -> str:
    return url


def _is_valid(_url: str) -> bool:
    return True

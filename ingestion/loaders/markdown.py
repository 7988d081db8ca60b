"""Markdown: headings and code by the parser, words as in the source, without marks, tags and front matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from html import unescape
from itertools import groupby
from operator import attrgetter

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.errors import EmptyDocument
from core.text.lines import tidy, with_line_feeds
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import decode, first_heading, title_from
from ingestion.loaders.directives import directive_lines, is_cell, without_marks, without_options, without_roles
from ingestion.loaders.front_matter import FrontMatter, read_front_matter
from ingestion.loaders.inline import visible
from ingestion.loaders.staff_blocks import Planned, code_block, with_solutions

_HTML_HEADING = re.compile(
    r"(?:<(?:center|div|p|span|font|b|strong)\b[^<>]*+>\s*+)*+<h([1-6])\b[^<>]*+>", re.IGNORECASE
)
_ATTRIBUTES = re.compile(r"\s\{[#.:-][^{}]*\}$")
_BOLD_WORDS = re.compile(r"\*\*([^\s*`$][^*`$]*)\*\*")
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")


def load(name: str, data: bytes, body: Callable[[FrontMatter], str] = attrgetter("text")) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data, `EmptyDocument` where nothing is left to read. `body` gives the
    Markdown of a page.
    """
    decoded = decode(name, data)
    header = read_front_matter(decoded.text)
    lines = [*map(Line, header.dates), *read_lines(body(header))]
    if not lines:
        raise EmptyDocument(f"{name}: there is no text in it, only marks or comments.")
    return LoadedDocument(title_from(name, header.title, first_heading(lines)), tuple(lines), warnings=decoded.warnings)


def read_lines(text: str, cell: str | None = None) -> list[Line]:
    """The lines of a Markdown text without blank ends; linear, never fails."""
    planned = list(without_marks(with_solutions(_plan(with_line_feeds(text)))))
    lines: list[Line] = []
    for kind, group in groupby(planned, key=lambda line: line.kind):
        if kind is not LineKind.PROSE:
            lines.extend(
                Line(tidy(line.text), kind, cell=cell, solution=line.solution, closed=line.closed, staff=line.staff)
                for line in group
            )
        else:
            lines.extend(_prose(list(group), cell))
    return _trim(lines)


@dataclass
class _Plan:
    """Source lines by number; None is dropped."""

    lines: list[Planned | None] = field(default_factory=list)

    def code(self, token: Token, code: list[str]) -> None:
        """Replace a token's source lines with `code`, which is never longer."""
        start, end = token.map or (0, 0)
        block = self._block(token.info, code)
        self.lines[start:end] = [block[n] if n < len(block) else None for n in range(end - start)]

    def _block(self, info: str, code: list[str]) -> list[Planned]:
        block = code_block(info, code)
        prose = None if any(line.edge for line in block) else directive_lines(info, code)
        if prose is None:
            return block[len(code) - len(without_options(code)) :] if is_cell(info) else block
        marks = block[0] if block else Planned("")
        return [replace(line, solution=marks.solution, closed=marks.closed) for line in prose]

    def heading(self, token: Token, content: str) -> None:
        start, end = token.map or (0, 0)
        setext = not token.markup.startswith("#")
        if setext and end - start != 2:
            # A paragraph of several lines above a rule: nearly always a forgotten blank line, never a heading.
            return
        self.lines[start] = Planned(_ATTRIBUTES.sub("", _BOLD_WORDS.sub(r"\1", content)), level=int(token.tag[1]))
        if setext:
            self.lines[start + 1] = None


def _plan(text: str) -> list[Planned]:
    plan = _Plan([Planned(line) for line in text.split("\n")])
    tokens = _parser().parse(text)
    for index, token in enumerate(tokens):
        if token.type in ("fence", "code_block"):
            plan.code(token, _content_lines(token))
        elif token.type == "heading_open":
            plan.heading(token, tokens[index + 1].content)
        elif token.type == "hr" and token.map:
            plan.lines[token.map[0]] = None
        elif token.type == "html_block" and token.content.lstrip()[:4].lower() == "<pre":
            plan.code(token, _pre_lines(token))
    return [line for line in plan.lines if line is not None]


def _content_lines(token: Token) -> list[str]:
    return token.content.removesuffix("\n").split("\n") if token.content else []


def _pre_lines(token: Token) -> list[str]:
    lines = [unescape(_TAG.sub("", line)) for line in _content_lines(token)]
    return lines[0 if lines[0].strip() else 1 : len(lines) if lines[-1].strip() else -1]


@cache
def _parser() -> MarkdownIt:
    """Blocks alone: inline markup is ours, and link definitions are text like any other."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable("reference")
    return parser


def _prose(planned: list[Planned], cell: str | None) -> Iterator[Line]:
    # Together, because a comment or a formula may go over several lines; `visible` keeps the line breaks.
    texts = without_roles(visible("\n".join(line.text for line in planned))).split("\n")
    for source, text in zip(planned, texts, strict=True):
        stripped = source.text.strip()
        begins = source.edge or (source.solution and not source.closed)
        if stripped and not text.strip() and not begins:
            continue
        if stripped.startswith("<"):
            text = text.strip()
        text, bold = _unbold(tidy(text))
        level = source.level or _html_level(stripped)
        marks = (source.solution, source.closed, source.edge)
        yield Line(text, LineKind.PROSE, level, 0.0, bold, None, None, cell, *marks, staff=source.staff)


def _html_level(line: str) -> int:
    if line.startswith("<") and (match := _HTML_HEADING.match(line)) and f"</h{match[1]}>" in line.lower():
        return int(match[1])
    return 0


def _unbold(text: str) -> tuple[str, bool]:
    line = text.strip()
    end = line[-1:] if line.endswith((":", ".")) else ""
    inner = line.removesuffix(end) if end else line
    mark = inner[:2]
    if mark in ("**", "__") and inner.endswith(mark) and mark not in inner[2:-2] and inner[2:-2].strip(" *_"):
        return inner[2:-2].strip(" *_") + end, True
    return text, False


def _trim(lines: list[Line]) -> list[Line]:
    start, end = 0, len(lines)
    while start < end and _is_empty(lines[start]):
        start += 1
    while end > start and _is_empty(lines[end - 1]):
        end -= 1
    return lines[start:end]


def _is_empty(line: Line) -> bool:
    return not line.text and not line.edge and (line.closed or not line.solution)

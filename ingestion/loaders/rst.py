"""reStructuredText by docutils; includes no files, and reads unknown directives for their content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from textwrap import dedent

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document

from core.errors import EmptyDocument, UnreadableDocument
from core.text.lines import tidy
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import decode, title_from
from ingestion.loaders.staff_elements import block_says_solution

MAX_DEPTH = 8
"""Of unknown directives inside each other."""
_SILENT = 5
_DROPPED = frozenset(
    """
    toctree include literalinclude raw highlight index only bibliography automodule autoclass autofunction automethod
    currentmodule module contents tabularcolumns plot graphviz mermaid
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)
"""Unknown directives whose content is no text."""
_DIRECTIVE = re.compile(r"\s*\.\.\s+([\w:.+-]+?)::[ \t]*(.*)")
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s|$)")
_ROLE = re.compile(r":[\w:.+-]+:`(?:([^`<]*\S)\s*<[^`>]*>|[~!]?([^`]*))`")
_SKIPPED = (nodes.comment, nodes.substitution_definition, nodes.target, nodes.raw, nodes.pending, nodes.docinfo)


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data or endless nesting, `EmptyDocument` where nothing is left to read."""
    decoded = decode(name, data)
    try:
        lines = tuple(_Writer().lines(_parse(decoded.text)))
    except (RecursionError, AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise UnreadableDocument(f"{name}: the reStructuredText cannot be parsed ({error}). Correct it.") from error
    if not any(line.text.strip() for line in lines):
        raise EmptyDocument(f"{name}: there is no text in it, only comments or directives.")
    heading = next((line.text for line in lines if line.level), None)
    return LoadedDocument(title_from(name, heading), lines, warnings=decoded.warnings)


def _parse(text: str) -> nodes.document:
    settings = get_default_settings(Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level, settings.halt_level = _SILENT, _SILENT
    settings.syntax_highlight = "none"
    document = new_document("", settings)
    Parser().parse(text, document)
    return document


@dataclass(frozen=True)
class _Writer:
    """Writes the lines of nodes; `level` is that of the last heading above, `depth` counts unknown directives."""

    level: int = 0
    depth: int = 0
    solution: bool = False

    def lines(self, node: nodes.Node) -> Iterator[Line]:
        """The lines of what is inside a node."""
        for below in node.children:
            yield from self._node(below)

    def _node(self, node: nodes.Node) -> Iterator[Line]:
        if isinstance(node, _SKIPPED) or (isinstance(node, nodes.topic) and "contents" in node["classes"]):
            return
        if isinstance(node, nodes.section):
            yield from replace(self, level=self.level + 1).lines(node)
        elif isinstance(node, nodes.title | nodes.subtitle | nodes.rubric | nodes.term):
            yield from self._title(node)
        elif isinstance(node, nodes.system_message):
            yield from self._unknown(node)
        elif isinstance(node, nodes.literal_block | nodes.doctest_block):
            yield from self._rows(node.astext(), LineKind.CODE)
        elif isinstance(node, nodes.math_block):
            yield from self._rows(f"$${node.astext().strip()}$$")
        elif isinstance(node, nodes.row):
            yield from self._rows(" | ".join(" ".join(_words(entry).split()) for entry in node.children))
        elif isinstance(node, nodes.bullet_list | nodes.enumerated_list):
            yield from self._list(node)
        elif isinstance(node, nodes.TextElement | nodes.line):
            yield from self._rows(_words(node))
        elif isinstance(node, nodes.Element):
            solves = block_says_solution("{" + " ".join(node.get("classes", ())) + "}")
            yield from replace(self, solution=self.solution or solves).lines(node)

    def _title(self, node: nodes.Element) -> Iterator[Line]:
        is_heading = isinstance(node, nodes.title) and isinstance(node.parent, nodes.section) and not self.solution
        level = self.level if is_heading else 0
        for line in self._rows(" ".join(_words(node).split())):
            yield replace(line, level=level, bold=not level)

    def _list(self, node: nodes.Element) -> Iterator[Line]:
        start = int(node.get("start", 1))
        for number, item in enumerate(node.children, start=start):
            numbered = isinstance(node, nodes.enumerated_list)
            mark = f"{node.get('prefix', '')}{_ordinal(number, node)}{node.get('suffix', '.')} " if numbered else "- "
            for count, line in enumerate(self.lines(item)):
                text = line.text if line.kind is LineKind.CODE else (mark if not count else "  ") + line.text
                yield replace(line, text=text)

    def _rows(self, text: str, kind: LineKind = LineKind.PROSE) -> Iterator[Line]:
        for row in text.strip("\n").split("\n"):
            yield Line(tidy(row), kind, solution=self.solution, closed=self.solution)

    def _unknown(self, message: nodes.Element) -> Iterator[Line]:
        """The content of a directive that docutils does not know; its messages about anything else are no text."""
        blocks = [below for below in message.children if isinstance(below, nodes.literal_block)]
        match = _DIRECTIVE.match(blocks[0].astext()) if blocks else None
        if match is None or match[1] in _DROPPED or self.depth >= MAX_DEPTH:
            return
        rows = dedent(blocks[0].astext().partition("\n")[2]).split("\n")
        while rows and (not rows[0].strip() or _OPTION.match(rows[0])):
            rows.pop(0)
        solves = self.solution or block_says_solution("{" + match[1] + "} " + match[2])
        inner = replace(self, depth=self.depth + 1, solution=solves)
        if title := " ".join(_ROLE.sub(_role_text, match[2]).split()):
            yield from (replace(line, bold=True) for line in inner._rows(title))
        yield from inner.lines(_parse("\n".join(rows)))


def _ordinal(number: int, node: nodes.Element) -> str:
    kind = node.get("enumtype", "arabic")
    if kind in ("loweralpha", "upperalpha") and number <= 26:
        return chr(ord("a" if kind == "loweralpha" else "A") + number - 1)
    return str(number)


def _words(node: nodes.Node) -> str:
    """A node's text: formulas between dollar signs, code between backticks, unknown roles as their words."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return f"${node.astext()}$"
    if isinstance(node, nodes.literal):
        return f"`{node.astext()}`"
    if isinstance(node, nodes.problematic):
        return _ROLE.sub(_role_text, node.astext())
    if isinstance(node, (*_SKIPPED, nodes.system_message, nodes.image)):
        return str(node.get("alt", "")) if isinstance(node, nodes.image) else ""
    between = "" if isinstance(node, nodes.TextElement) else " "
    return between.join(_words(below) for below in node.children)


def _role_text(match: re.Match[str]) -> str:
    return match[1] or match[2] or ""

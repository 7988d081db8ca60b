"""Builds the document tree from headers: sections, blocks with solutions, groups of siblings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

from core.store.tables import NodeKind
from core.text.fences import fenced
from core.types import Box, Position
from ingestion.document import Header, Line, LineKind, LoadedDocument
from ingestion.solutions.answers import answers_in
from ingestion.solutions.marks import opens_solution

MAX_BLOCK_CHARS = 8_000
"""A longer text without any header is cut at a paragraph border, so that one block stays one topic."""
MAX_DEPTH = 16
"""Deeper headers stand beside each other. Books have at most ten levels of headings, questions three below them."""
ARITY = 10
"""Most children of an inner node; longer sibling lists are grouped (EduMod-LLM, section 3.3: a k-ary tree)."""


@dataclass
class UnstoredNode:
    """A node before it is stored: a block with text, or an inner node with children."""

    kind: NodeKind
    title: str
    heading_path: tuple[str, ...]
    label: str | None = None
    text: str = ""
    solution: str = ""
    position: Position = field(default_factory=lambda: Position(start=0, end=0))
    children: list[UnstoredNode] = field(default_factory=list)

    def walk(self) -> Iterator[UnstoredNode]:
        """This node and all below it, depth first."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left.extend(reversed(node.children))

    def blocks(self) -> Iterator[UnstoredNode]:
        return (node for node in self.walk() if node.kind is NodeKind.BLOCK)

    def inner(self) -> Iterator[UnstoredNode]:
        return (node for node in self.walk() if node.kind is not NodeKind.BLOCK)


@dataclass
class _Section:
    header: Header | None
    start: int
    end: int
    children: list[_Section] = field(default_factory=list)


def build_tree(document: LoadedDocument, headers: list[Header], *, solutions: bool) -> UnstoredNode:
    """The document's tree, every character in one block, in order; `solutions` sets them apart for staff."""
    root = UnstoredNode(NodeKind.DOCUMENT, document.title, ())
    marks = frozenset(n for n, line in enumerate(document.lines) if solutions and opens_solution(line))
    closed = frozenset(n for n, line in enumerate(document.lines) if line.staff or (solutions and line.closed))
    root.children = list(_Children(document, marks, closed).of(_sections(document, headers), ()))
    _hand_out_answers(root.blocks())
    _group(root)
    _cover(root)
    return root


def _sections(document: LoadedDocument, headers: list[Header]) -> _Section:
    root = _Section(None, 0, len(document.lines))
    stack = [root]
    for header in headers:
        while len(stack) > 1 and (_rank(stack[-1]) >= header.rank or len(stack) > MAX_DEPTH):
            stack.pop().end = header.line
        section = _Section(header, header.line, len(document.lines))
        stack[-1].children.append(section)
        stack.append(section)
    for open_section in stack:
        open_section.end = len(document.lines)
    return root


def _rank(section: _Section) -> int:
    return section.header.rank if section.header else -1


@dataclass(frozen=True)
class _Children:
    """Makes nodes of sections; solutions begin at `marks`, `closed` are lines of solutions that end."""

    document: LoadedDocument
    marks: frozenset[int]
    closed: frozenset[int]

    def of(self, section: _Section, path: tuple[str, ...]) -> Iterator[UnstoredNode]:
        """The nodes of a section: its own text first, then its sub-sections."""
        first_child = section.children[0].start if section.children else section.end
        title = path[-1] if path else self.document.title
        label = section.header.label if section.header else None
        own = list(self._blocks(section.start, first_child, UnstoredNode(NodeKind.BLOCK, title, path, label)))
        if not (section.children and section.header and self._is_blank(section.start + 1, first_child)):
            yield from own
        for child in section.children:
            yield self._node(child, path)

    def _is_blank(self, start: int, end: int) -> bool:
        return not any(line.text.strip() for line in self.document.lines[start:end])

    def _node(self, section: _Section, path: tuple[str, ...]) -> UnstoredNode:
        assert section.header is not None  # only the root has none, and the root is nobody's child
        header = section.header
        below = (*path, header.title)
        children = list(self.of(section, below))
        if len(children) == 1 and children[0].kind is NodeKind.BLOCK and not section.children:
            return children[0]
        return UnstoredNode(NodeKind.SECTION, header.title, below, header.label, children=children)

    def _blocks(self, start: int, end: int, like: UnstoredNode) -> Iterator[UnstoredNode]:
        mark = next((n for n in range(start, end) if n in self.marks), end)
        asked = [n for n in range(start, mark) if n not in self.closed]
        pieces = [piece for piece in _pieces(self.document, start, mark) if self._text(asked, *piece)]
        solved = [*(n for n in range(start, mark) if n in self.closed), *range(mark, end)]
        solution = self._text(solved, start, end)
        if solution and not pieces:
            pieces = [(mark, mark)]
        for first, last in pieces:
            carries = last == pieces[-1][1]
            position = _position(self.document, first, end if carries else last)
            text = self._visible_text(asked, first, last)
            yield replace(like, text=text, solution=solution if carries else "", position=position, children=[])

    def _text(self, numbers: list[int], start: int, end: int) -> str:
        return "\n".join(line.text for line in self._lines(numbers, start, end)).strip()

    def _visible_text(self, numbers: list[int], start: int, end: int) -> str:
        """The same with code and what it printed between fences, so that neither reads as prose."""
        shown: list[str] = []
        for (kind, _), group in groupby(self._lines(numbers, start, end), key=lambda line: (line.kind, line.cell)):
            texts = [line.text for line in group]
            has_code = kind is not LineKind.PROSE and any(text.strip() for text in texts)
            shown += fenced(_without_blank_ends(texts)) if has_code else texts
        return "\n".join(shown).strip()

    def _lines(self, numbers: list[int], start: int, end: int) -> list[Line]:
        within = numbers[bisect_left(numbers, start) : bisect_left(numbers, end)]
        return [self.document.lines[n] for n in within]


def _without_blank_ends(texts: list[str]) -> list[str]:
    filled = [n for n, text in enumerate(texts) if text.strip()]
    return texts[filled[0] : filled[-1] + 1]


def _pieces(document: LoadedDocument, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cuts at the last blank line before the limit, else at the last line border."""
    first, size, blank = start, 0, None
    for number in range(start, end):
        text = document.lines[number].text
        if size + len(text) > MAX_BLOCK_CHARS and number > first:
            cut = blank + 1 if blank is not None and blank + 1 > first else number
            yield first, cut
            first, blank = cut, None
            size = sum(len(line.text) + 1 for line in document.lines[cut:number])
        if not text.strip():
            blank = number
        size += len(text) + 1
    if first < end:
        yield first, end


def _hand_out_answers(blocks: Iterable[UnstoredNode]) -> None:
    """Where one solution answers several questions in a row, give each its own."""
    waiting: list[UnstoredNode] = []
    for block in blocks:
        if block.label:
            waiting.append(block)
        if block.solution:
            answers = answers_in(block.solution, [one.label or "" for one in waiting], block.label or "")
            if answers:
                block.solution = ""
            for index, text in answers:
                waiting[index].solution = text
            waiting = []


def _position(document: LoadedDocument, start: int, end: int) -> Position:
    lines = document.lines[start:end]
    pages = [line.page for line in lines if line.page]
    return Position(
        start=document.offsets[start],
        end=max(document.offsets[end] - 1, document.offsets[start]),
        first_page=min(pages, default=None),
        last_page=max(pages, default=None),
        boxes=tuple(_boxes(document, start, end)),
        cells=tuple(dict.fromkeys(line.cell for line in lines if line.cell)),
        start_second=min((line.seconds[0] for line in lines if line.seconds), default=None),
        end_second=max((line.seconds[1] for line in lines if line.seconds), default=None),
    )


def _boxes(document: LoadedDocument, start: int, end: int) -> Iterator[Box]:
    by_page: dict[int, list[tuple[float, float, float, float]]] = {}
    for line in document.lines[start:end]:
        if line.page and line.box:
            by_page.setdefault(line.page, []).append(line.box)
    for page, boxes in by_page.items():
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        yield Box(page=page, x0=min(lefts), y0=min(tops), x1=max(rights), y1=max(bottoms))


def _group(node: UnstoredNode) -> None:
    for child in node.children:
        _group(child)
    while len(node.children) > ARITY:
        node.children = [_group_members(node, start) for start in range(0, len(node.children), ARITY)]


def _group_members(node: UnstoredNode, start: int) -> UnstoredNode:
    members = node.children[start : start + ARITY]
    if len(members) == 1:
        return members[0]
    title = f"{_ends(members[0])[0]} – {_ends(members[-1])[1]}"
    return UnstoredNode(NodeKind.GROUP, title, node.heading_path, children=members)


def _ends(node: UnstoredNode) -> tuple[str, str]:
    if node.kind is NodeKind.GROUP:
        return _ends(node.children[0])[0], _ends(node.children[-1])[1]
    return node.title, node.title


def _cover(node: UnstoredNode) -> None:
    for child in node.children:
        _cover(child)
    if node.children:
        positions = [child.position for child in node.children]
        pages = [page for one in positions for page in (one.first_page, one.last_page) if page]
        node.position = _extent(positions[0], positions[-1], pages)


def _extent(first: Position, last: Position, pages: list[int]) -> Position:
    return Position(
        start=first.start, end=last.end, first_page=min(pages, default=None), last_page=max(pages, default=None)
    )

"""The stored trees of a course's documents as one tree for searching: what a model reads on its way to a passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.store.material import StoredBlock, StoredNode
from core.store.tables import NodeKind
from core.types import Visibility

MAX_CHILDREN = 20
"""Longer lists of siblings are grouped: asked about more at once, models skip some."""
GROUPED = 10
MAX_CONTENTS = 30
"""Most entries of a table of contents."""
LONG = 10
"""A table of contents shows documents with more passages than that in parts."""
SHOWN_CHARS = 600
"""Of a passage's text, and of the titles in a group."""

_Below = Mapping[str, Sequence[StoredNode | StoredBlock]]
"""What stands directly below a node or a document, by its id."""


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A node of the tree. A leaf has the `position` of its passage in the index; every other entry has children.

    `size` counts the leaves below; `span` is the first and the last of their positions. `is_public` says whether
    students may read one of them.
    """

    kind: NodeKind
    title: str
    summary: str
    children: tuple[OutlineNode, ...] = ()
    position: int | None = None
    size: int = 1
    span: tuple[int, int] = (0, -1)
    is_public: bool = True

    @classmethod
    def above(cls, kind: NodeKind, title: str, summary: str, children: Sequence[OutlineNode]) -> OutlineNode:
        """An inner entry. Where it has very many children, they are grouped."""
        spans = [child.span for child in children if child.size]
        span = (min(first for first, _ in spans), max(last for _, last in spans)) if spans else (0, -1)
        size, is_public = sum(child.size for child in children), any(child.is_public for child in children)
        return cls(kind, title, summary, _grouped(children), size=size, span=span, is_public=is_public)

    @classmethod
    def leaf(cls, title: str, text: str, position: int, *, is_public: bool = True) -> OutlineNode:
        """A passage."""
        return cls(NodeKind.BLOCK, title, text, position=position, span=(position, position), is_public=is_public)

    @property
    def public_title(self) -> str:
        """The title for students: that of a group names no staff-only members; empty where it has no others."""
        public = [child for child in self.children if child.is_public]
        if self.is_public and len(public) == len(self.children):
            return self.title
        return _between(public[0].public_title, public[-1].public_title) if public else ""

    def holds(self, position: int) -> bool:
        """Whether the passage at that position is below the entry."""
        return self.span[0] <= position <= self.span[1]


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry with the titles of the entries above it."""

    within: tuple[str, ...]
    entry: OutlineNode

    @property
    def label(self) -> str:
        return " › ".join(dict.fromkeys((*self.within, self.entry.title)))

    @property
    def public_label(self) -> str:
        """The label for students. What a passage of theirs stands in is theirs to see, groups aside."""
        return " › ".join(dict.fromkeys((*self.within, self.entry.public_title)))

    @property
    def text(self) -> str:
        """The label and the summary, for a model to read."""
        return f"{self.label}\n{self.entry.summary}".strip()

    def parts(self) -> list[ListedEntry]:
        """Its children. A group's title only repeats theirs, and is left out."""
        within = self.within if self.entry.kind is NodeKind.GROUP else (*self.within, self.entry.title)
        return [ListedEntry(within, child) for child in self.entry.children]


def build_outline(
    nodes: Sequence[StoredNode], blocks: Sequence[StoredBlock], positions: Mapping[str, int]
) -> OutlineNode:
    """The course, with its documents as children in the order of the blocks.

    `positions` maps the id of a passage's own block to its position in the index. Other blocks, those of solutions
    joined to their statements, have no leaf; nodes without a leaf below them are left out.
    """
    known = {node.id for node in nodes}
    titles = {block.passage.document_id: block.passage.title for block in blocks}
    below: dict[str, list[StoredNode | StoredBlock]] = defaultdict(list)
    for node in nodes:
        below[_above(node.parent_id, node.document_id, known)].append(node)
    for block in blocks:
        if block.passage.block_id in positions:
            below[_above(block.parent_id, block.passage.document_id, known)].append(block)
    documents = (_document(document_id, title, below, positions) for document_id, title in titles.items())
    return OutlineNode.above(NodeKind.GROUP, "", "", [document for document in documents if document.size])


def without_staff_summaries(nodes: Sequence[StoredNode], hidden: Iterable[StoredBlock]) -> list[StoredNode]:
    """The nodes; those above a `hidden` block lose their summary, which was written from its text as well."""
    parents = {node.id: node.parent_id for node in nodes}
    above: set[str] = set()
    for block in hidden:
        parent = block.parent_id
        while parent is not None and parent not in above:
            above.add(parent)
            parent = parents.get(parent)
    return [replace(node, summary="") if node.id in above and node.summary else node for node in nodes]


def _above(parent_id: str | None, document_id: str, known: Container[str]) -> str:
    """What was stored without a parent, or with one that is gone by now, stands directly below its document."""
    return parent_id if parent_id is not None and parent_id in known else document_id


def contents(outline: OutlineNode) -> list[ListedEntry]:
    """The table of contents: the documents, long ones in parts as far as there is room, the longest first."""
    listed = ListedEntry((), outline).parts()
    while open_ := [n for n, one in enumerate(listed) if _opens(one.entry, MAX_CONTENTS - len(listed) + 1)]:
        longest = max(open_, key=lambda n: listed[n].entry.size)
        listed[longest : longest + 1] = listed[longest].parts()
    return listed


def _opens(entry: OutlineNode, room: int) -> bool:
    return entry.size > LONG and 0 < len(entry.children) <= room


def _document(document_id: str, title: str, below: _Below, positions: Mapping[str, int]) -> OutlineNode:
    children = list(_entries(document_id, below, positions))
    if len(children) == 1 and children[0].children:
        return children[0]
    return OutlineNode.above(NodeKind.DOCUMENT, title, "", children)


def _entries(above: str, below: _Below, positions: Mapping[str, int]) -> Iterator[OutlineNode]:
    for one in sorted(below.get(above, ()), key=lambda one: one.ordinal):
        if isinstance(one, StoredBlock):
            yield _leaf(one, positions)
        elif children := list(_entries(one.id, below, positions)):
            yield OutlineNode.above(one.kind, one.title, one.summary or _titles(children), children)


def _leaf(block: StoredBlock, positions: Mapping[str, int]) -> OutlineNode:
    passage = block.passage
    title = passage.heading_path[-1] if passage.heading_path else passage.title
    is_public = passage.visibility is Visibility.STUDENT and not block.is_solution
    return OutlineNode.leaf(title, passage.text[:SHOWN_CHARS], positions[passage.block_id], is_public=is_public)


def _grouped(entries: Sequence[OutlineNode]) -> tuple[OutlineNode, ...]:
    """The entries, in groups of groups where they are very many."""
    while len(entries) > MAX_CHILDREN:
        entries = [_group(entries[start : start + GROUPED]) for start in range(0, len(entries), GROUPED)]
    return tuple(entries)


def _group(members: Sequence[OutlineNode]) -> OutlineNode:
    if len(members) == 1:
        return members[0]
    title = _between(members[0].title, members[-1].title)
    return OutlineNode.above(NodeKind.GROUP, title, _titles(members), members)


def _titles(members: Sequence[OutlineNode]) -> str:
    """What stands in place of a summary."""
    return "; ".join(dict.fromkeys(member.title for member in members))[:SHOWN_CHARS]


def _between(first: str, last: str) -> str:
    """The title of a group, by those of its first and its last member."""
    return f"{first} – {last}"

"""A course's documents as a tree of their folders, with what each holds for students and for staff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.course import Course
from core.store.store import Store
from core.store.tables import DocumentRow, now
from core.types import Source


@dataclass(frozen=True)
class TreeDocument:
    """A document, its blocks, and those of them that students may read now. A copy is another format of a document."""

    row: DocumentRow
    name: str
    blocks: int
    for_students: int


@dataclass
class TreeFolder:
    """A folder with all below it."""

    name: str
    folders: dict[str, TreeFolder] = field(default_factory=dict)
    own: list[TreeDocument] = field(default_factory=list)

    @property
    def documents(self) -> int:
        return len(self.own) + sum(folder.documents for folder in self.folders.values())

    @property
    def blocks(self) -> int:
        return sum(one.blocks for one in self.own) + sum(folder.blocks for folder in self.folders.values())

    @property
    def for_students(self) -> int:
        return sum(one.for_students for one in self.own) + sum(folder.for_students for folder in self.folders.values())


@dataclass(frozen=True)
class CourseTree:
    """The material of a course, a tree for each source that has some."""

    course: Course
    sources: Mapping[Source, TreeFolder]


async def read_tree(store: Store, course_id: str) -> CourseTree:
    """For staff. Other formats of a work are left out: they are not searched. Raises `UnknownName`."""
    course = await store.courses.read(course_id)
    rows = [row for row in await store.material.documents(course_id) if not row.variant_of]
    counts = await store.material.block_counts(course_id, now())
    sources = {source: [row for row in rows if row.source == source] for source in Source}
    return CourseTree(course, {source: _tree(own, counts) for source, own in sources.items() if own})


def _tree(rows: Sequence[DocumentRow], counts: Mapping[str, tuple[int, int]]) -> TreeFolder:
    top = TreeFolder("")
    for row in rows:
        *folders, name = row.name.split("/")
        here = top
        for folder in folders:
            here = here.folders.setdefault(folder, TreeFolder(folder))
        here.own.append(TreeDocument(row, name, *counts.get(row.id, (0, 0))))
    return top

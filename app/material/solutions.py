"""Which solutions belong to which assignments and questions, and which to none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.concurrency import in_thread
from core.course import Course
from core.store.material import StoredBlock
from core.store.store import Store
from core.store.tables import DocumentRow, now
from core.types import Source
from retrievers.index.solutions import unjoined_solutions

CENTURY = timedelta(days=36_500)
"""What is released later is not told apart from what is released."""


@dataclass(frozen=True)
class SolutionDocument:
    """A solution document with the assignments that it belongs to; several are forms of one."""

    document: DocumentRow
    assignments: Sequence[DocumentRow]
    is_corrected: bool
    """True if staff said what it belongs to."""
    blocks: int
    alone: Sequence[StoredBlock]
    """Its blocks that belong to no question."""
    labels: Sequence[str]
    """Numbers of the questions of its assignments."""


@dataclass(frozen=True)
class CourseSolutions:
    """The solution documents of a course, those with something to correct first."""

    course: Course
    assignments: Sequence[DocumentRow]
    solutions: Sequence[SolutionDocument]


def pairless(documents: Sequence[DocumentRow], corrections: dict[str, str | None]) -> set[str]:
    """Ids of solution documents without an assignment, given staff's corrections."""
    pairs = {one.pair for one in documents if one.source == Source.ASSIGNMENT and not one.is_solution}
    return {one.id for one in documents if one.is_solution and corrections.get(one.id, one.pair) not in pairs - {None}}


async def read_solutions(store: Store, course_id: str) -> CourseSolutions:
    """The course's solutions, released or not. Raises `UnknownName`."""
    course = await store.courses.read(course_id)
    documents = [one for one in await store.material.documents(course_id, Source.ASSIGNMENT) if not one.variant_of]
    pairs = (await store.material.variants(course_id)).pairs
    corrections = await store.pairings.of_course(course_id)
    blocks = await store.material.blocks(course_id, Source.ASSIGNMENT, now() + CENTURY)
    alone = await in_thread(unjoined_solutions, blocks)
    assignments = [one for one in documents if not one.is_solution]
    solutions = [_solution(one, assignments, corrections, pairs, blocks, alone) for one in documents if one.is_solution]
    solutions.sort(key=lambda one: not one.alone)
    return CourseSolutions(course, assignments, solutions)


def _solution(
    document: DocumentRow,
    assignments: Sequence[DocumentRow],
    corrections: dict[str, str | None],
    pairs: Mapping[str, str | None],
    blocks: Sequence[StoredBlock],
    alone: Sequence[StoredBlock],
) -> SolutionDocument:
    pair = corrections.get(document.id, document.pair)
    pair = pairs.get(pair, pair) if pair else pair
    mine = [one for one in assignments if pair is not None and one.pair == pair]
    ids = {one.id for one in mine}
    labels = [one.passage.label for one in blocks if one.passage.document_id in ids and one.passage.label]
    return SolutionDocument(
        document=document,
        assignments=mine,
        is_corrected=document.id in corrections,
        blocks=sum(one.passage.document_id == document.id for one in blocks),
        alone=[one for one in alone if one.passage.document_id == document.id],
        labels=list(dict.fromkeys(labels)),
    )

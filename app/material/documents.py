"""Documents and blocks, cut down to what the reader may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.material.calendar_rows import anchor_of
from app.material.course_calendar import CalendarPage, calendar_page
from app.material.solutions import pairless
from app.material.summary import disputes
from core.course import Course
from core.errors import NotFound
from core.store.material import StoredBlock
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState, now
from core.types import Audience, Source, Visibility
from ingestion.audience.decision import audience_as_stored
from retrievers.calendar.model import Calendar
from retrievers.calendar.subjects import key_of_work
from retrievers.index.calendars import read_calendar
from retrievers.index.released import END_OF_TIME


@dataclass(frozen=True)
class CourseMaterial:
    """A course's documents by source. `warnings` are those of documents, for staff alone."""

    course: Course
    documents: Mapping[Source, Sequence[DocumentRow]]
    warnings: Sequence[tuple[DocumentRow, str]]
    blocks: int
    staff_shares: Mapping[str, float]
    """The share of a document that only staff may read, by its id; for staff alone."""
    calendar: CalendarPage
    disputes: Sequence[tuple[str, str]]
    """Works of which the material gives several days: where to correct each, and a line; for staff alone."""
    audiences: Mapping[str, str]
    """For whom each document is and why, by its id; for staff alone."""
    variants: Mapping[str, Sequence[str]]
    """Names of the same work in other formats, by the id of the document that is read."""

    @property
    def count(self) -> int:
        return sum(len(found) for found in self.documents.values())

    @property
    def staff_only(self) -> int:
        """Documents that students never see."""
        documents = (row for rows in self.documents.values() for row in rows)
        return sum(row.visibility == Visibility.STAFF or row.is_solution for row in documents)


@dataclass(frozen=True)
class ReadDocument:
    """A document with its blocks; for a student without solutions, and without blocks for staff."""

    course: Course
    document: DocumentRow
    blocks: Sequence[StoredBlock]
    has_page_images: bool
    """False for a student where a page may show what is for staff."""


async def read_course(store: Store, course_id: str, *, is_staff: bool) -> CourseMaterial:
    """The course's documents. Raises `UnknownName`."""
    course = await store.courses.read(course_id)
    at = now()
    rows = await (store.material.documents(course_id) if is_staff else store.material.readable(course_id, at))
    counts = await (store.material.counts(course_id) if is_staff else store.material.counts_for_students(course_id, at))
    documents = {source: [row for row in rows if row.source == source and not row.variant_of] for source in Source}
    alone = pairless(rows, await store.pairings.of_course(course_id)) if is_staff else set()
    warnings = [(row, text) for row in rows for text in _warnings(row, row.id in alone)] if is_staff else []
    shares = await store.material.staff_shares(course_id) if is_staff else {}
    audience, until = (Audience.STAFF, END_OF_TIME) if is_staff else (Audience.STUDENTS, at)
    calendar = await read_calendar(store, await store.courses.get(course_id), audience, until)
    return CourseMaterial(
        course=course,
        documents=documents,
        warnings=warnings,
        blocks=sum(one.blocks for one in counts),
        staff_shares=shares,
        calendar=calendar_page(calendar),
        disputes=_disputes(calendar) if is_staff else [],
        audiences={row.id: audience_as_stored(row, course).sentence(row.name) for row in rows} if is_staff else {},
        variants=(await store.material.variants(course_id)).names,
    )


def _disputes(calendar: Calendar) -> list[tuple[str, str]]:
    return list(zip((anchor_of(key_of_work(work)) for work in calendar.disputed), disputes(calendar), strict=True))


def _warnings(row: DocumentRow, is_alone: bool) -> list[str]:
    if row.state != DocumentState.INDEXED:
        return [f"{row.state}: {row.error or 'nothing of it is indexed'}"]
    alone = ["This solution belongs to no assignment."] if is_alone else []
    return [*(text.removeprefix(f"{row.name}: ") for text in row.warnings), *alone]


async def read_document(store: Store, course_id: str, document_id: str, *, is_staff: bool) -> ReadDocument:
    """The document. Raises `UnknownName`, and `NotFound` also for a document that the reader may not see."""
    course = await store.courses.read(course_id)
    rows = await (store.material.documents(course_id) if is_staff else store.material.readable(course_id, now()))
    document = next((row for row in rows if row.id == document_id), None)
    if document is None:
        raise NotFound(f"The course {course_id} has no document {document_id!r} that you may see.")
    blocks = await store.material.blocks_of(course_id, document_id)
    public = [one for one in blocks if one.passage.visibility is Visibility.STUDENT]
    # A page without text has a warning: nobody has checked what its picture shows.
    is_public = len(public) == len(blocks) and not document.warnings
    is_public = is_public and not any(one.passage.solution for one in blocks)
    return ReadDocument(course, document, blocks if is_staff else public, is_staff or is_public)


async def document_of(store: Store, course_id: str, block_id: str, *, is_staff: bool) -> str:
    """The id of a block's document. Raises `NotFound`, also for a block the reader may not see."""
    gone = NotFound("The course does not have this block any more: its material has changed since.")
    blocks = await store.material.blocks_by_id(course_id, [block_id])
    if block_id not in blocks:
        raise gone
    document_id = blocks[block_id].passage.document_id
    if not is_staff:
        try:
            read = await read_document(store, course_id, document_id, is_staff=False)
        except NotFound:
            raise gone from None
        if block_id not in {one.passage.block_id for one in read.blocks}:
            raise gone
    return document_id

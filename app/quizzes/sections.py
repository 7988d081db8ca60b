"""Finds the section of each question in the current material, or why students cannot read it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from core.store.material import StoredBlock
from core.store.store import Store
from core.store.tables import DocumentRow, QuizQuestionRow, QuizRow, now
from core.types import Passage
from teaching.course import CourseSection, SectionKey, public_sections

NO_DOCUMENT = "Its document is not in the material any more."
NOT_RELEASED = "Its document is not released yet."
FOR_STAFF = "It is for staff now."
REMOVED = "It was removed or renamed, and the sentence stands in no section of its document that students can read."


class ReadableSections:
    """The sections that students may read now, in their order."""

    def __init__(self, sections: Iterable[CourseSection]) -> None:
        self._of_document: dict[str, list[CourseSection]] = defaultdict(list)
        self._order: dict[SectionKey, int] = {}
        for section in sections:
            self._of_document[section.document].append(section)
            self._order.setdefault(section.key, len(self._order))

    def section_of(self, row: QuizQuestionRow) -> CourseSection | None:
        """The question's own section if it has the sentence, else another of its document that has, else its own."""
        known = self._of_document.get(row.document, [])
        own = [one for one in known if one.heading_path == tuple(row.heading_path)]
        with_quote = (one for one in [*own, *known] if one.passage_with(row.quote) is not None)
        return next(with_quote, next(iter(own), None))

    def position(self, section: CourseSection | None) -> int:
        """Its position in the material, from 0; the last where there is none."""
        return len(self._order) if section is None else self._order[section.key]


async def readable_sections(store: Store, quiz: QuizRow) -> ReadableSections:
    """The sections of the quiz's source that students may read now."""
    return ReadableSections(public_sections(await store.material.blocks(quiz.course_id, quiz.source, now())))


async def absences(store: Store, quiz: QuizRow, rows: Sequence[QuizQuestionRow]) -> dict[int, str]:
    """Why students can read no section of these questions, by number."""
    if not rows:
        return {}
    documents = {one.name: one for one in await store.material.documents(quiz.course_id, quiz.source)}
    needed = {row.document for row in rows} & documents.keys()
    blocks = {name: await store.material.blocks_of(quiz.course_id, documents[name].id) for name in needed}
    return {row.number: _absence(row, documents.get(row.document), blocks.get(row.document, []), now()) for row in rows}


def _absence(row: QuizQuestionRow, document: DocumentRow | None, blocks: Sequence[StoredBlock], at: datetime) -> str:
    if document is None:
        return NO_DOCUMENT
    if document.release_at is not None and document.release_at > at:
        return NOT_RELEASED
    # Students can read none of these sections, or the question would stand there.
    return FOR_STAFF if any(_is_of(row, one.passage) for one in blocks) else REMOVED


def _is_of(row: QuizQuestionRow, passage: Passage) -> bool:
    section = CourseSection(passage.document, passage.heading_path, (passage,))
    return passage.heading_path == tuple(row.heading_path) or section.passage_with(row.quote) is not None

"""What a file is in the course: its row, whether that is stored already, and its text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from core.concurrency import in_thread
from core.course import Course
from core.store.material import CLASSIFICATION
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState
from core.types import Source, Visibility
from ingestion.audience.decision import audience_of
from ingestion.build import Builder
from ingestion.document import LoadedDocument
from ingestion.files import Discovery, SourceFile, is_text, shows_notes
from ingestion.parsing.parser import FileParser
from ingestion.parsing.sizes import CourseSize, SizeLimits
from ingestion.run_report import Action

NOTES_SHOWN = "+notes"


@dataclass(frozen=True)
class FileReader:
    """Reads files within the limits, and compares them with what is stored."""

    store: Store
    builder: Builder
    parser: FileParser
    limits: SizeLimits

    async def load(self, course: Course, file: SourceFile) -> LoadedDocument:
        """The file's text. Raises `UnreadableDocument` and its kinds."""
        self.limits.check_file(file.name, file.size)
        data = await in_thread(file.read)
        document = await self.parser.load(file.name, data, is_text=is_text(file.name, course, file.path))
        return document.with_notes_shown() if shows_notes(file.name, course, file.path) else document

    def row(self, course: Course, source: Source, file: SourceFile) -> DocumentRow:
        """The file as a document of the course, not yet read."""
        audience = audience_of(file.name, source, course, file.path)
        releases = [rule.release_at for rule in course.rules_for(file.name, file.path) if rule.release_at]
        return DocumentRow(
            id=hashlib.sha256("\0".join((course.id, source.value, file.name)).encode()).hexdigest()[:32],
            course_id=course.id,
            source=source,
            name=file.name,
            title=file.name,
            sha256=file.sha256,
            build=self._build(course, file),
            state=DocumentState.INDEXED,
            visibility=audience.visibility,
            pair=audience.pair,
            is_solution=audience.is_solution,
            release_at=releases[-1] if releases else None,
        )

    def _build(self, course: Course, file: SourceFile) -> str:
        """The fingerprint, and whether notes are shown, so that a new rule rebuilds."""
        shown = shows_notes(file.name, course, file.path)
        return f"{self.builder.fingerprint}{NOTES_SHOWN}" if shown else self.builder.fingerprint

    def action(self, course: Course, file: SourceFile, stored: DocumentRow | None, row: DocumentRow) -> Action:
        """What is to be done with a file whose document would be `row`."""
        if stored is None:
            return Action.NEW
        same = (stored.sha256, stored.build) == (row.sha256, row.build) and self.agree(course, file, stored, row)
        return Action.UNCHANGED if same and stored.state != DocumentState.FAILED else Action.CHANGED

    def agree(self, course: Course, file: SourceFile, stored: DocumentRow, row: DocumentRow) -> bool:
        """Whether a stored document's audience fits its name, course file and content."""
        if all(getattr(stored, name) == getattr(row, name) for name in CLASSIFICATION):
            return True
        by_content = (
            stored.is_solution and stored.visibility == Visibility.STAFF and stored.release_at == row.release_at
        )
        return by_content and not audience_of(file.name, Source(row.source), course, file.path).by_rule

    async def size(
        self, course: Course, source: Source, discovery: Discovery, stored: Mapping[str, DocumentRow], prune: bool
    ) -> CourseSize:
        """How much text the course has, after pruning; not counted if nothing is added."""
        rows = [(file, self.row(course, source, file)) for file in discovery.files]
        if all(self.action(course, file, stored.get(row.name), row) is Action.UNCHANGED for file, row in rows):
            return CourseSize({}, self.limits.course_chars)
        size = CourseSize(await self.store.material.chars(course.id), self.limits.course_chars)
        for row in discovery.vanished(stored) if prune else ():
            size.remove(row.id)
        return size

"""One ingestion run; each document is one transaction, so a killed run continues."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from core.concurrency import in_thread
from core.course import Course
from core.errors import DataDocument, EduModError, EmptyDocument
from core.files import write_atomically
from core.settings import ModelPrice
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState, JobState, NodeKind
from core.types import Source, Usage
from ingestion.audience.settling import StoredAudiences
from ingestion.build import Builder, BuildStage
from ingestion.file_reader import FileReader
from ingestion.files import Discovery, SourceFile
from ingestion.findings import findings, warn_of_staff_text, with_audience, with_pairs, with_variants
from ingestion.parsing.parser import FileParser
from ingestion.parsing.sizes import CourseSize, SizeLimits
from ingestion.planning import Planner
from ingestion.reembedding import Progress as Reembedded
from ingestion.reembedding import Reembedding
from ingestion.run_report import Action, FileOutcome, IngestedFile, IngestionPlan, IngestionReport
from ingestion.variants import find_variants
from retrievers.embedding.minilm import TEXTS_PER_SECOND

DOCUMENTS_AT_ONCE = 4

log = logging.getLogger("edumod")

Progress = Callable[[str, BuildStage], None]

Embedded = Callable[[str, int, int], None]
"""Called with a document's name and how many of how many of its chunks are embedded."""


@dataclass(frozen=True)
class _IngestionRun:
    course: Course
    source: Source
    stored: dict[str, DocumentRow]
    size: CourseSize
    audiences: StoredAudiences
    progress: Progress
    embedded: Embedded


@dataclass(frozen=True)
class Ingestion:
    """Everything a run needs."""

    store: Store
    builder: Builder
    parser: FileParser
    prices: Mapping[str, ModelPrice]
    limits: SizeLimits = field(default_factory=SizeLimits)
    texts_per_second: float = TEXTS_PER_SECOND
    """Texts that the embedding model processes per second, all threads together."""
    kept_files: Path | None = None
    """Folder that keeps copies of PDF files, whose pages are shown beside quotations; None to keep none."""

    @property
    def reembedding(self) -> Reembedding:
        return Reembedding(self.store, self.builder.encoder)

    @property
    def reading(self) -> FileReader:
        return FileReader(self.store, self.builder, self.parser, self.limits)

    async def plan(
        self, course: Course, source: Source, discovery: Discovery, *, parse: bool, prune: bool = False
    ) -> IngestionPlan:
        """See `Planner.plan`."""
        planner = Planner(self.reading, self.reembedding, self.prices, self.texts_per_second)
        return await planner.plan(course, source, discovery, parse=parse, prune=prune)

    async def run(
        self,
        course: Course,
        source: Source,
        discovery: Discovery,
        *,
        prune: bool = False,
        progress: Progress = lambda _name, _stage: None,
        embedded: Embedded = lambda _name, _done, _total: None,
        reembedded: Reembedded = lambda _done, _total: None,
        kind: str | None = None,
    ) -> IngestionReport:
        """Ingest what is new or changed, and report on every file; a bad file stops no other.

        A course with another embedding is embedded again first. `progress` reports each stage of a file, `embedded` its
        chunks, `reembedded` the blocks of the course. `kind` is what the run is recorded as; an earlier one of the same
        kind that never ended counts as interrupted.
        """
        started = perf_counter()
        job = await self.store.jobs.start(course.id, kind or f"ingest {source.value}")
        try:
            reembedding = await self.reembedding.run(course.id, reembedded)
            stored = {row.name: row for row in await self.store.material.documents(course.id, source)}
            size = await self.reading.size(course, source, discovery, stored, prune)
            audiences = StoredAudiences(self.store.material, course, source, discovery.files)
            run = _IngestionRun(course, source, stored, size, audiences, progress, embedded)
            files = await self._files(run, discovery, prune)
        except BaseException:
            await self.store.jobs.finish(job, JobState.FAILED, {})
            raise
        report = IngestionReport(
            course=course.id,
            source=source,
            model=self.builder.llm.model,
            seconds=round(perf_counter() - started, 3),
            files=tuple(files),
            reembedding=reembedding,
            usage=sum((file.usage for file in files), Usage()),
        )
        await self.store.jobs.finish(job, JobState.DONE, report.model_dump(mode="json"))
        return report

    async def _files(self, run: _IngestionRun, discovery: Discovery, prune: bool) -> list[IngestedFile]:
        gate = asyncio.Semaphore(DOCUMENTS_AT_ONCE)

        async def one(file: SourceFile) -> IngestedFile:
            async with gate:
                return await self._file(run, file)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(file)) for file in discovery.files]
        done = [task.result() for task in tasks]
        gone = await self._report_vanished(run, discovery, prune)
        audiences = await run.audiences.settle()
        done = [with_audience(file, audiences[file.name]) if file.name in audiences else file for file in done]
        await self._find_variants(run, [*done, *gone])
        corrections = await self.store.pairings.of_course(run.course.id)
        done += [IngestedFile(name=s.name, outcome=FileOutcome.SKIPPED, reason=s.reason) for s in discovery.skipped]
        rows = {row.name: row for row in await self.store.material.documents(run.course.id, run.source)}
        for row in rows.values():
            row.pair = corrections.get(row.id, row.pair)
        return with_variants(with_pairs(done, rows), rows) + gone

    async def _find_variants(self, run: _IngestionRun, files: Sequence[IngestedFile]) -> None:
        """Look for formats and copies of one work, once documents have changed."""
        same = (FileOutcome.UNCHANGED, FileOutcome.VANISHED)
        if any(file.outcome not in same for file in files):
            rows = await self.store.material.documents(run.course.id, run.source)
            blocks = await self.store.material.all_blocks(run.course.id, run.source)
            variants = await in_thread(find_variants, rows, blocks)
            await self.store.material.set_variants(run.course.id, run.source, variants)

    async def _report_vanished(self, run: _IngestionRun, discovery: Discovery, prune: bool) -> list[IngestedFile]:
        gone = discovery.vanished(run.stored)
        if gone and prune:
            await self.store.material.remove(run.course.id, [row.id for row in gone])
            await run.audiences.forget([row.id for row in gone])
            return [IngestedFile(name=row.name, outcome=FileOutcome.REMOVED) for row in gone]
        reason = "no longer there; still searchable until removed with --prune"
        return [IngestedFile(name=row.name, outcome=FileOutcome.VANISHED, reason=reason) for row in gone]

    async def _file(self, run: _IngestionRun, file: SourceFile) -> IngestedFile:
        try:
            return await self._new_version(run, file)
        except DataDocument as error:
            return IngestedFile(
                name=file.name, outcome=FileOutcome.SKIPPED, reason=f"{error}{await self._keep_earlier(run, file)}"
            )
        except EduModError as error:
            return await self._store_failure(run, file, error)
        except Exception as error:
            # One file that trips over a fault of ours must not stop the others.
            log.exception("Ingesting %s failed", file.name)
            return await self._store_failure(run, file, error)
        finally:
            run.progress(file.name, BuildStage.STORED)

    async def _new_version(self, run: _IngestionRun, file: SourceFile) -> IngestedFile:
        row, stored = self.reading.row(run.course, run.source, file), run.stored.get(file.name)
        if stored and self.reading.action(run.course, file, stored, row) is Action.UNCHANGED:
            outcome = FileOutcome.EMPTY if stored.state == DocumentState.EMPTY else FileOutcome.UNCHANGED
            return IngestedFile(name=file.name, outcome=outcome, reason=stored.error or "", pages=stored.pages)
        return await self._ingest(run, row, file)

    async def _store_failure(self, run: _IngestionRun, file: SourceFile, error: Exception) -> IngestedFile:
        empty = isinstance(error, EmptyDocument)
        reason = str(error) if isinstance(error, EduModError) else f"{type(error).__name__}: {error}"
        note = "" if empty else await self._keep_earlier(run, file)
        if not note:
            row = self.reading.row(run.course, run.source, file)
            row.state, row.error = DocumentState.EMPTY if empty else DocumentState.FAILED, reason
            await self.store.material.replace(row, [], [])
            await run.audiences.forget([row.id])
            run.size.remove(row.id)
        return IngestedFile(
            name=file.name, outcome=FileOutcome.EMPTY if empty else FileOutcome.FAILED, reason=f"{reason}{note}"
        )

    async def _keep_earlier(self, run: _IngestionRun, file: SourceFile) -> str:
        """The note that an earlier version is kept, its audience updated."""
        stored, row = run.stored.get(file.name), self.reading.row(run.course, run.source, file)
        if stored is None or stored.state != DocumentState.INDEXED:
            return ""
        if not self.reading.agree(run.course, file, stored, row):
            await self.store.material.reclassify(row)
        return " The version indexed before is kept."

    async def _ingest(self, run: _IngestionRun, row: DocumentRow, file: SourceFile) -> IngestedFile:
        run.progress(file.name, BuildStage.LOAD)
        document = await self.reading.load(run.course, file)
        await in_thread(self._keep, file)
        with run.size.replacing(row.id, file.name, len(document.text)):
            built = await self.builder.build(
                row,
                document,
                lambda stage: run.progress(file.name, stage),
                lambda done, total: run.embedded(file.name, done, total),
            )
            async with run.audiences.hold(built.document, built.nodes):
                await self.store.material.replace(
                    built.document, built.nodes, built.embeddings, built.embedding, built.facts
                )
        blocks = [node for node in built.nodes if node.kind is NodeKind.BLOCK]
        return IngestedFile(
            name=file.name,
            outcome=FileOutcome.INDEXED,
            pages=built.document.pages,
            blocks=len(blocks),
            solutions=sum(1 for node in blocks if node.label and node.solution),
            embeddings=len(built.embeddings),
            usage=built.usage,
            warnings=(*built.document.warnings, *warn_of_staff_text(document, run.source)),
            **findings(built.document, document, built.nodes),
        )

    def _keep(self, file: SourceFile) -> None:
        if self.kept_files is not None and file.name.lower().endswith(".pdf"):
            copy = self.kept_files / f"{file.sha256}.pdf"
            if not copy.exists():
                write_atomically(copy, file.read())

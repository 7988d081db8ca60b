"""One ingestion run: plan, then build and store each changed document on its own.

A document is stored in one transaction, with an id that follows from course, source and name; so a run that was
killed continues where it stopped and ends with the same content as one that was not.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from core.concurrency import in_thread
from core.course import Course
from core.errors import EduModError, EmptyDocument
from core.llm.metered import cost_of, with_free
from core.settings import ModelPrice
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState, JobState, NodeKind
from core.types import Source, Usage
from ingestion.build import Builder, Stage
from ingestion.files import Discovery, SourceFile, pair_of, visibility_of
from ingestion.report import Action, IngestedFile, Outcome, Plan, PlannedFile, Report
from ingestion.sandbox import ParserPool

CHARS_PER_TOKEN = 4
REPLY_TOKENS = 90
DOCUMENTS_AT_ONCE = 4


log = logging.getLogger("edumod")

Progress = Callable[[str, Stage], None]


@dataclass(frozen=True)
class Ingestion:
    """Everything a run needs. Built once in `app/wiring.py`."""

    store: Store
    builder: Builder
    pool: ParserPool
    prices: dict[str, ModelPrice]

    async def plan(self, course: Course, source: Source, found: Discovery, *, parse: bool) -> Plan:
        """Compare files with what is stored.

        With `parse`, the new and changed ones are read, without asking a model, to estimate its calls and to name the
        files that cannot be read.
        """
        stored = {row.name: row for row in await self.store.material.documents(course.id, source)}
        files = []
        for file in found.files:
            row = self._row(course, source, file)
            files.append(await self._planned(file, row, self._action(stored.get(file.name), row), parse))
        files += [PlannedFile(name=s.name, action=Action.SKIPPED, reason=s.reason) for s in found.skipped]
        files += [PlannedFile(name=row.name, action=Action.VANISHED) for row in _vanished(found, stored)]
        calls = sum(file.model_calls for file in files)
        tokens = sum(file.prompt_tokens for file in files)
        written = calls * REPLY_TOKENS
        return Plan(
            course=course.id,
            source=source,
            model=self.builder.llm.model,
            files=tuple(files),
            model_calls=calls,
            prompt_tokens=tokens,
            completion_tokens=written,
            cost_usd=cost_of(
                Usage(prompt_tokens=tokens, completion_tokens=written),
                with_free(self.prices).get(self.builder.llm.model),
            ),
        )

    async def run(
        self, course: Course, source: Source, found: Discovery, *, prune: bool = False, progress: Progress | None = None
    ) -> Report:
        """Ingest what is new or changed, and report on every file. A bad file never stops the others."""
        started = perf_counter()
        job = await self.store.jobs.start(course.id, f"ingest {source.value}")
        try:
            files = await self._files(course, source, found, prune, progress or (lambda _name, _stage: None))
        except BaseException:
            await self.store.jobs.finish(job, JobState.FAILED, {})
            raise
        report = Report(
            course=course.id,
            source=source,
            model=self.builder.llm.model,
            seconds=round(perf_counter() - started, 3),
            files=tuple(files),
            usage=sum((file.usage for file in files), Usage()),
        )
        await self.store.jobs.finish(job, JobState.DONE, report.model_dump(mode="json"))
        return report

    async def _files(
        self, course: Course, source: Source, found: Discovery, prune: bool, progress: Progress
    ) -> list[IngestedFile]:
        stored = {row.name: row for row in await self.store.material.documents(course.id, source)}
        gate = asyncio.Semaphore(DOCUMENTS_AT_ONCE)

        async def one(file: SourceFile) -> IngestedFile:
            async with gate:
                return await self._file(course, source, file, stored.get(file.name), progress)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(file)) for file in found.files]
        done = [task.result() for task in tasks]
        done += [IngestedFile(name=s.name, outcome=Outcome.SKIPPED, reason=s.reason) for s in found.skipped]
        return done + await self._vanished(course, found, stored, prune)

    async def _vanished(
        self, course: Course, found: Discovery, stored: dict[str, DocumentRow], prune: bool
    ) -> list[IngestedFile]:
        gone = _vanished(found, stored)
        if gone and prune:
            await self.store.material.remove(course.id, [row.id for row in gone])
            return [IngestedFile(name=row.name, outcome=Outcome.REMOVED) for row in gone]
        reason = "no longer there; still searchable until removed with --prune"
        return [IngestedFile(name=row.name, outcome=Outcome.VANISHED, reason=reason) for row in gone]

    async def _file(
        self, course: Course, source: Source, file: SourceFile, stored: DocumentRow | None, progress: Progress
    ) -> IngestedFile:
        try:
            return await self._new_version(self._row(course, source, file), file, stored, progress)
        except EduModError as error:
            return await self._failed(self._row(course, source, file), file, stored, error)
        except Exception as error:
            # One file that trips over a fault of ours must not cost the others their place.
            log.exception("Ingesting %s failed", file.name)
            return await self._failed(self._row(course, source, file), file, stored, error)
        finally:
            progress(file.name, Stage.STORED)

    async def _new_version(
        self, row: DocumentRow, file: SourceFile, stored: DocumentRow | None, progress: Progress
    ) -> IngestedFile:
        if stored and self._action(stored, row) is Action.UNCHANGED:
            outcome = Outcome.EMPTY if stored.state == DocumentState.EMPTY else Outcome.UNCHANGED
            return IngestedFile(name=file.name, outcome=outcome, reason=stored.error or "", pages=stored.pages)
        return await self._ingest(row, file, progress)

    async def _failed(
        self, row: DocumentRow, file: SourceFile, stored: DocumentRow | None, error: Exception
    ) -> IngestedFile:
        empty = isinstance(error, EmptyDocument)
        reason = str(error) if isinstance(error, EduModError) else f"{type(error).__name__}: {error}"
        if stored and stored.state == DocumentState.INDEXED and not empty:
            reason += " The version indexed before is kept."
        else:
            row.state, row.error = DocumentState.EMPTY if empty else DocumentState.FAILED, reason
            await self.store.material.replace(row, [], [])
        return IngestedFile(name=file.name, outcome=Outcome.EMPTY if empty else Outcome.FAILED, reason=reason)

    async def _ingest(self, row: DocumentRow, file: SourceFile, progress: Progress) -> IngestedFile:
        progress(file.name, Stage.LOAD)
        document = await self.pool.load(file.name, await in_thread(file.read))
        built = await self.builder.build(row, document, lambda stage: progress(file.name, stage))
        await self.store.material.replace(built.document, built.nodes, built.embeddings)
        blocks = [node for node in built.nodes if node.kind is NodeKind.BLOCK]
        return IngestedFile(
            name=file.name,
            outcome=Outcome.INDEXED,
            pages=built.document.pages,
            blocks=len(blocks),
            solutions=sum(1 for node in blocks if node.solution),
            embeddings=len(built.embeddings),
            usage=built.usage,
            warnings=tuple(built.document.warnings),
        )

    def _row(self, course: Course, source: Source, file: SourceFile) -> DocumentRow:
        pair, is_solution = pair_of(file.name) if source is Source.ASSIGNMENT else (None, False)
        releases = [rule.release_at for rule in course.rules_for(file.name, file.path) if rule.release_at]
        return DocumentRow(
            id=hashlib.sha256("\0".join((course.id, source.value, file.name)).encode()).hexdigest()[:32],
            course_id=course.id,
            source=source,
            name=file.name,
            title=file.name,
            sha256=file.sha256,
            build=self.builder.fingerprint,
            state=DocumentState.INDEXED,
            visibility=visibility_of(file.name, source, course, file.path),
            pair=pair,
            is_solution=is_solution,
            release_at=releases[-1] if releases else None,
        )

    def _action(self, stored: DocumentRow | None, row: DocumentRow) -> Action:
        if stored is None:
            return Action.NEW
        kept = ("sha256", "build", "visibility", "pair", "is_solution", "release_at")
        same = all(getattr(stored, name) == getattr(row, name) for name in kept)
        return Action.UNCHANGED if same and stored.state != DocumentState.FAILED else Action.CHANGED

    async def _planned(self, file: SourceFile, row: DocumentRow, action: Action, parse: bool) -> PlannedFile:
        planned = PlannedFile(name=file.name, action=action, bytes=file.size)
        if action is Action.UNCHANGED or not parse:
            return planned
        try:
            document = await self.pool.load(file.name, await in_thread(file.read))
        except EduModError as error:
            return planned.model_copy(update={"reason": str(error)})
        calls, chars = self.builder.estimate(row.source, document)
        return planned.model_copy(
            update={"pages": document.pages, "model_calls": calls, "prompt_tokens": chars // CHARS_PER_TOKEN}
        )


def _vanished(found: Discovery, stored: dict[str, DocumentRow]) -> list[DocumentRow]:
    """Stored documents below a folder that was read whole, whose file is not there any more."""
    names = {file.name for file in found.files}
    folders = ("",) if found.folders is None else tuple(f"{folder}/" for folder in found.folders)
    return [row for name, row in stored.items() if name not in names and name.startswith(folders)]

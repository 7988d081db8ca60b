"""Decides who may read a course's documents while files are added."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from core.concurrency import in_thread
from core.course import Course
from core.store.material import CLASSIFICATION, Material
from core.store.tables import DocumentRow, DocumentState, NodeKind, NodeRow
from core.types import Source, Visibility
from ingestion.audience.contents import AssignmentFile, answers_alone, solves
from ingestion.audience.decision import (
    FileAudience,
    as_answers_beside,
    as_solution_of,
    audience_as_stored,
    audience_of,
)


class _File(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def path(self) -> Path: ...


class Audiences:
    """Who may read each document, by course file, name and content, whatever the order of adding."""

    def __init__(self, course: Course, source: Source, paths: Mapping[str, Path]) -> None:
        self._course, self._source, self._paths = course, source, paths
        self._works: dict[str, AssignmentFile] = {}
        self._sheets: dict[str, dict[str, float]] = defaultdict(dict)
        """For each document the sheets whose questions it repeats and answers, and how many of them."""

    def by_name(self, name: str) -> FileAudience:
        return audience_of(name, self._source, self._course, self._paths.get(name))

    def put(self, document_id: str, name: str, blocks: Sequence[tuple[str, str, str]]) -> None:
        """Add or replace a document and compare it with all others, about 0.1 ms each."""
        self.remove(document_id)
        work = AssignmentFile(document_id, name, self.by_name(name).pair, blocks)
        for other in self._works.values():
            for solution, sheet in ((work, other), (other, work)):
                if share := solves(solution, sheet):
                    self._sheets[solution.document_id][sheet.document_id] = share
        self._works[document_id] = work

    def remove(self, document_id: str) -> None:
        self._works.pop(document_id, None)
        self._sheets.pop(document_id, None)
        for sheets in self._sheets.values():
            sheets.pop(document_id, None)

    def of(self, document_id: str, name: str) -> FileAudience:
        """Who may read a document. What the instructor says is never doubted."""
        audience = self.by_name(name)
        if audience.by_rule or (audience.is_solution and self._has_sheet(audience.pair)):
            return audience
        sheets = [
            (share, -_distance(work.name, name), work.name, work)
            for sheet, share in self._sheets.get(document_id, {}).items()
            if not self.by_name((work := self._works[sheet]).name).is_solution
        ]
        if not sheets:
            return self._beside_a_sheet(document_id, audience)
        sheet = max(sheets, key=lambda entry: entry[:3])[3]
        return as_solution_of(audience, sheet.name, sheet.pair)

    def solvers_of(self, sheet_id: str) -> list[AssignmentFile]:
        """The documents that answer a sheet."""
        alone = [work for work in self._works.values() if answers_alone(work, self._works[sheet_id])]
        return alone + self._answered(sheet_id)

    def _beside_a_sheet(self, document_id: str, audience: FileAudience) -> FileAudience:
        """For staff if it may be the missing solution of a sheet; what has a solution itself is none."""
        work = self._works.get(document_id)
        if work is None or audience.visibility is Visibility.STAFF or work.is_starter or self._is_solved(work):
            return audience
        sheets = [sheet for sheet in self._works.values() if answers_alone(work, sheet) and not self._is_solved(sheet)]
        sheet = min((sheet.name for sheet in sheets if not self.by_name(sheet.name).is_solution), default=None)
        return as_answers_beside(audience, sheet) if sheet else audience

    def _is_solved(self, sheet: AssignmentFile) -> bool:
        by_name = (self.by_name(work.name) for work in self._works.values() if work.pair == sheet.pair)
        return any(audience.is_solution for audience in by_name) or bool(self._answered(sheet.document_id))

    def _answered(self, sheet_id: str) -> list[AssignmentFile]:
        return [self._works[solution] for solution, sheets in self._sheets.items() if sheet_id in sheets]

    def _has_sheet(self, pair: str | None) -> bool:
        return any(work.pair == pair and not self.by_name(work.name).is_solution for work in self._works.values())


def _distance(first: str, second: str) -> int:
    common = next((n for n, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), 0)
    return len(first) - common


class StoredAudiences:
    """The audiences of stored and added documents in one run."""

    def __init__(self, material: Material, course: Course, source: Source, files: Iterable[_File]) -> None:
        self._material, self._course, self._source = material, course, source
        self._paths = {file.name: file.path for file in files}
        self._lock = asyncio.Lock()
        self._loaded: Audiences | None = None
        self._changed = False
        self._planned: dict[str, str] = {}

    @asynccontextmanager
    async def hold(self, row: DocumentRow, nodes: Sequence[NodeRow]) -> AsyncIterator[None]:
        """Classify a row that is stored within; what becomes a solution is for staff at once."""
        blocks = [(node.label or "", node.text, node.solution) for node in nodes if node.kind is NodeKind.BLOCK]
        async with self._lock:
            audiences = await self._put(row, blocks)
            self._changed = True
            _classify(row, audiences.of(row.id, row.name))
            solvers = {work.document_id for work in audiences.solvers_of(row.id)}
            await self._reclassify(audiences, solvers)
            yield

    async def put(self, row: DocumentRow, blocks: Sequence[tuple[str, str, str]]) -> None:
        self._planned[row.name] = row.id
        async with self._lock:
            await self._put(row, blocks)

    async def forget(self, document_ids: Sequence[str]) -> None:
        """Leave out documents without text."""
        async with self._lock:
            self._changed = True
            for document_id in document_ids:
                (await self._audiences()).remove(document_id)

    async def settle(self) -> dict[str, FileAudience]:
        """Reclassify stored documents; returns the audiences by name."""
        rows = await self._material.documents(self._course.id, self._source)
        async with self._lock:
            if not self._changed:
                return {row.name: audience_as_stored(row, self._course, self._paths.get(row.name)) for row in rows}
            audiences = await self._audiences()
            await self._reclassify(audiences, {row.id for row in rows})
            return {row.name: audiences.of(row.id, row.name) for row in rows}

    async def expect(self) -> dict[str, FileAudience]:
        """Each file's expected audience by name."""
        stored = {row.name: row.id for row in await self._material.documents(self._course.id, self._source)}
        async with self._lock:
            audiences = await self._audiences() if self._planned else None
            return {
                name: audiences.of(self._planned.get(name) or stored.get(name, ""), name)
                if audiences
                else audience_of(name, self._source, self._course, path)
                for name, path in self._paths.items()
            }

    async def _put(self, row: DocumentRow, blocks: Sequence[tuple[str, str, str]]) -> Audiences:
        audiences = await self._audiences()
        if self._source is Source.ASSIGNMENT:
            await in_thread(audiences.put, row.id, row.name, blocks)
        return audiences

    async def _audiences(self) -> Audiences:
        if self._loaded is None:
            self._loaded = Audiences(self._course, self._source, self._paths)
            if self._source is Source.ASSIGNMENT:
                await in_thread(_load, self._loaded, await self._read_blocks())
        return self._loaded

    async def _read_blocks(self) -> dict[tuple[str, str], list[tuple[str, str, str]]]:
        documents: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
        for block in await self._material.all_blocks(self._course.id, self._source):
            passage = block.passage
            documents[passage.document_id, passage.document].append((passage.label, passage.text, passage.solution))
        return documents

    async def _reclassify(self, audiences: Audiences, document_ids: set[str]) -> None:
        if not document_ids:
            return
        for row in await self._material.documents(self._course.id, self._source):
            if row.id not in document_ids or row.state != DocumentState.INDEXED:
                continue
            before = [getattr(row, name) for name in CLASSIFICATION]
            _classify(row, audiences.of(row.id, row.name))
            if before != [getattr(row, name) for name in CLASSIFICATION]:
                await self._material.reclassify(row)


def _load(audiences: Audiences, documents: Mapping[tuple[str, str], list[tuple[str, str, str]]]) -> None:
    for (document_id, name), blocks in documents.items():
        audiences.put(document_id, name, blocks)


def _classify(row: DocumentRow, audience: FileAudience) -> None:
    row.visibility, row.pair, row.is_solution = audience.visibility, audience.pair, audience.is_solution

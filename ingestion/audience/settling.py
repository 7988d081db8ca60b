"""Decides who may read a course's documents while files are added."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from core.concurrency import in_thread
from core.course import Course
from core.store.material import CLASSIFICATION, Material
from core.store.tables import DocumentRow, DocumentState, NodeKind, NodeRow
from core.types import Source, Visibility
from ingestion.audience.contents import AssignmentFile, answers_alone, share_in, solves
from ingestion.audience.decision import (
    FileAudience,
    as_answers_beside,
    as_hardly_read,
    as_printed,
    as_solution_of,
    audience_as_stored,
    audience_of,
)
from ingestion.naming.names import says_printed_solution, says_same_work

SHARED = 0.3
"""Share of a sheet's passages that its solution has, where the sheet's path says nothing of it."""
SAME_PATH, SAME_NAME = 1.0, 1.02
"""Worth, beside that share, of a path with the solution's words, and of the same name."""

CHARS_OF_A_PAGE = 100
"""With fewer on average a file is a scan or drawings, which cannot be compared. A line of print has about 80."""


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
        self._hardly_read: set[str] = set()
        self._printed: dict[str, str] = {}
        """The names of the web pages of solutions that documents are prints of."""
        self._named: dict[str, str | None] = {}
        """The pair of each solution by its name, as far as it is known."""

    def by_name(self, name: str) -> FileAudience:
        return audience_of(name, self._source, self._course, self._paths.get(name))

    def put(self, document_id: str, name: str, blocks: Sequence[tuple[str, str, str]], pages: int | None) -> None:
        """Add or replace a document and compare it with all others, about 0.1 ms each."""
        self.remove(document_id)
        if pages and sum(len(text) for _, text, _ in blocks) < CHARS_OF_A_PAGE * pages:
            self._hardly_read.add(document_id)
        is_print = name.lower().endswith(".pdf")
        lines = (line for _, text, _ in blocks[:1] for line in text.split("\n") if is_print)
        if printed := next(filter(None, map(says_printed_solution, lines)), None):
            self._printed[document_id] = printed
        work = AssignmentFile(document_id, name, self.by_name(name).pair, blocks)
        for other in self._works.values():
            for solution, sheet in ((work, other), (other, work)):
                if share := solves(solution, sheet):
                    self._sheets[solution.document_id][sheet.document_id] = share
        self._works[document_id] = work

    def remove(self, document_id: str) -> None:
        self._works.pop(document_id, None)
        self._hardly_read.discard(document_id)
        self._printed.pop(document_id, None)
        self._named.clear()
        self._sheets.pop(document_id, None)
        for sheets in self._sheets.values():
            sheets.pop(document_id, None)

    def of(self, document_id: str, name: str) -> FileAudience:
        """Who may read a document. What the instructor says is never doubted."""
        audience = self.by_name(name)
        if audience.is_solution:
            return replace(audience, pair=self._pair_of(document_id, audience.pair))
        if audience.by_rule:
            return audience
        if document_id in self._hardly_read:
            return as_hardly_read(audience)
        if printed := self._printed.get(document_id):
            return as_printed(audience, printed, self._likeliest_pair(self._works[document_id], audience.pair or ""))
        sheets = [
            (share, -_distance(work.name, name), work.name, work)
            for sheet, share in self._sheets.get(document_id, {}).items()
            if not self._is_solution(work := self._works[sheet])
        ]
        if not sheets:
            return self._beside_a_sheet(document_id, audience)
        sheet = max(sheets, key=lambda entry: entry[:3])[3]
        if self._is_solved_by_name(self._works[document_id].pair) and self._is_solved_by_name(sheet.pair):
            # Two sheets that begin alike.
            return audience
        return as_solution_of(audience, sheet.name, sheet.pair)

    def _pair_of(self, document_id: str, pair: str | None) -> str | None:
        """That of a solution by its name: of the sheet that is named like it, whose path has its words, or that it
        repeats; of several the one that it shares most with."""
        if document_id not in self._named:
            work = self._works.get(document_id)
            self._named[document_id] = self._likeliest_pair(work, pair) if work and pair else pair
        return self._named[document_id]

    def _likeliest_pair(self, work: AssignmentFile, pair: str) -> str | None:
        likely = [
            (likeness, -_distance(sheet.name, work.name), sheet.name, sheet.pair)
            for sheet in self._works.values()
            if not self._is_solution(sheet) and (likeness := _likeness(work, pair, sheet)) >= SHARED
        ]
        return max(likely)[3] if likely else pair

    def _is_solution(self, work: AssignmentFile) -> bool:
        """Whether a document is a solution by its name, or by that of the page that it is a print of."""
        return work.document_id in self._printed or self.by_name(work.name).is_solution

    def _is_solved_by_name(self, pair: str | None) -> bool:
        named = ((work, audience) for work in self._works.values() if (audience := self.by_name(work.name)).is_solution)
        return any(self._pair_of(work.document_id, audience.pair) == pair for work, audience in named)

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
        sheet = min((sheet.name for sheet in sheets if not self._is_solution(sheet)), default=None)
        return as_answers_beside(audience, sheet) if sheet else audience

    def _is_solved(self, sheet: AssignmentFile) -> bool:
        return self._is_solved_by_name(sheet.pair) or bool(self._answered(sheet.document_id))

    def _answered(self, sheet_id: str) -> list[AssignmentFile]:
        return [self._works[solution] for solution, sheets in self._sheets.items() if sheet_id in sheets]


def _likeness(work: AssignmentFile, pair: str, sheet: AssignmentFile) -> float:
    if sheet.pair == pair:
        return SAME_NAME + share_in(work, sheet)
    return share_in(work, sheet) + SAME_PATH * says_same_work(work.name, pair, sheet.name)


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
            await in_thread(audiences.put, row.id, row.name, blocks, row.pages)
        return audiences

    async def _audiences(self) -> Audiences:
        if self._loaded is None:
            self._loaded = Audiences(self._course, self._source, self._paths)
            if self._source is Source.ASSIGNMENT:
                rows = await self._material.documents(self._course.id, self._source)
                await in_thread(_load, self._loaded, await self._read_blocks(), {row.id: row.pages for row in rows})
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


def _load(
    audiences: Audiences,
    documents: Mapping[tuple[str, str], list[tuple[str, str, str]]],
    pages: Mapping[str, int | None],
) -> None:
    for (document_id, name), blocks in documents.items():
        audiences.put(document_id, name, blocks, pages.get(document_id))


def _classify(row: DocumentRow, audience: FileAudience) -> None:
    row.visibility, row.pair, row.is_solution = audience.visibility, audience.pair, audience.is_solution

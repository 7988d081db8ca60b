"""The indexes of all courses: built once per revision of a course's material, cached in memory, vectors on disk."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from core.concurrency import SingleFlight, in_thread
from core.embedding import Embedding
from core.errors import ForeignVectors, UnknownName
from core.memory import release_free_memory
from core.store.courses import StoredCourse
from core.store.material import StoredBlock, StoredNode
from core.store.nearest import NearestChunks
from core.store.store import Store
from core.store.tables import now
from core.types import Audience, Source
from retrievers.calendar.model import Calendar
from retrievers.embedding.chunks import ChunkSizes, chunk_block
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.encoder import Encoder, Unavailable
from retrievers.index.calendars import read_calendar, zone_of
from retrievers.index.course_index import SAMPLES, CourseIndex, sample_positions
from retrievers.index.languages import OtherLanguages
from retrievers.index.lexical import LexicalIndex
from retrievers.index.outline import build_outline, without_staff_summaries
from retrievers.index.released import CoursePassages, Version, read_passages
from retrievers.index.semantic import ChunkVectors, MemoryIndex, PlainVectors, SemanticIndex, positions_of
from retrievers.index.semantic_database import CourseVectorsThere, DatabaseIndex
from retrievers.index.solutions import Joined, join_solutions, readable_by_students
from retrievers.index.structure import Words, level_above
from retrievers.index.vector_cache import fingerprint_of, keep, read_kept
from retrievers.names import Directory
from retrievers.tokens import tokenize

CAPACITY = 512
"""Indexes cached in memory; the least recently used is dropped first."""
MAX_BYTES = 64 * 2**20
"""What they may take together, as `CourseIndex.bytes` estimates it; those of one course always may."""
MAX_CALENDARS = 128
RELEASED_BYTES = 16 * 2**20
"""After so much was dropped, freed memory is given back to the system."""
MAX_READS = 5
"""Readings of a course that is being ingested at the same time, before its index counts as broken."""


_Key = tuple[str, Source | None, Audience]


class Indexes:
    """The indexes of all courses. Used from one event loop."""

    def __init__(
        self,
        store: Store,
        embeddings: Embeddings,
        folder: Path,
        *,
        capacity: int = CAPACITY,
        max_bytes: int = MAX_BYTES,
        nearest: NearestChunks | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        """With `nearest`, queries are compared with vectors in the database, which are not kept in memory."""
        self._store = store
        self.nearest = nearest
        self._max_bytes = max_bytes
        self._embeddings = embeddings
        self._folder = folder
        self._capacity = capacity
        self._clock = clock
        self._cached: OrderedDict[_Key, _CachedIndex] = OrderedDict()
        self._loading: SingleFlight[CourseIndex] = SingleFlight()
        self._calendars: OrderedDict[tuple[str, Audience], _CachedCalendar] = OrderedDict()
        self._dropped_bytes = 0

    async def get(
        self, course_id: str, source: Source | None = None, audience: Audience = Audience.STUDENTS
    ) -> CourseIndex:
        """The index of what is stored and released now. Raises `UnknownName` for an unknown course.

        Nothing that only staff may read is in an index for students, so that nothing can be learnt from its order. The
        one for staff is the same where a course has no such texts.
        Where its vectors cannot be searched, its semantic methods raise `ForeignVectors`; the lexical ones work.
        """
        key, revision = (course_id, source, audience), await self._revision(course_id)
        cached = self._cached.get(key)
        if cached is not None and cached.revision == revision and cached.is_current(self._clock()):
            self._cached.move_to_end(key)
            return cached.index
        return await self._loading.do((key, revision), lambda: self._load(key, revision))

    async def calendar(self, course_id: str, audience: Audience = Audience.STUDENTS) -> tuple[Calendar, ZoneInfo]:
        """What the material that is released says about works, events and staff, and where the course is.

        Students' calendar is only of what they may read. Raises `UnknownName` for an unknown course.
        """
        course, at = await self._store.courses.get(course_id), self._clock()
        cached = self._calendars.get((course_id, audience))
        if cached is None or cached.config != course.config or not cached.version.is_current(course.revision, at):
            until = await self._store.material.next_release(course_id, at)
            calendar = await read_calendar(self._store, course, audience, at)
            cached = _CachedCalendar(Version(course.revision, until), course.config, calendar)
            self._calendars[course_id, audience] = cached
            while len(self._calendars) > MAX_CALENDARS:
                self._calendars.popitem(last=False)
        self._calendars.move_to_end((course_id, audience))
        return cached.calendar, zone_of(course)

    async def has_set_dates(self, course_id: str) -> bool:
        """Whether staff said what is so of works, events or people. Raises `UnknownName` for an unknown course."""
        return bool((await self._store.courses.get(course_id)).calendar)

    async def is_current(self, course_id: str, version: Version) -> bool:
        """True where the course's material is still that version. Raises `UnknownName` for an unknown course."""
        return version.is_current(await self._revision(course_id), self._clock())

    async def passages(self, course_id: str) -> CoursePassages:
        """All passages of a course, those that are not released apart. Raises `UnknownName` for an unknown course."""
        return await read_passages(self._store.material, course_id, await self._revision(course_id), self._clock())

    @property
    def router_encoder(self) -> Encoder:
        """What the offline router, whose weights were learned with it, sees questions with in every course."""
        return self._embeddings.builtin

    @property
    def is_full(self) -> bool:
        """Whether another index would take the place of one that is cached."""
        total = sum(cached.index.bytes for cached in self._cached.values())
        return len(self._cached) >= self._capacity or total >= self._max_bytes

    async def _load(self, key: _Key, revision: int) -> CourseIndex:
        at = self._clock()
        until = await self._store.material.next_release(key[0], at)
        index = await self._read(key, at)
        cached = self._cached.get(key)
        if cached is None or cached.revision <= revision:
            self._cached[key] = _CachedIndex(index, revision, until)
            self._cached.move_to_end(key)
            self._drop_oldest(key[0])
            if self._dropped_bytes >= RELEASED_BYTES:
                self._dropped_bytes = 0
                await in_thread(release_free_memory)
        return index

    def _drop_oldest(self, course_id: str) -> None:
        """Drop indexes that were not used for longest. Those of the course that is searched now stay, also where
        they are too large together: each of its searches would load them anew."""
        total = sum(cached.index.bytes for cached in self._cached.values())
        others = [key for key in self._cached if key[0] != course_id]
        while others and (total > self._max_bytes or len(self._cached) > self._capacity):
            dropped = self._cached.pop(others.pop(0)).index.bytes
            total -= dropped
            self._dropped_bytes += dropped

    async def _read(self, key: _Key, at: datetime) -> CourseIndex:
        """Blocks and vectors are read one after the other; where the course changed in between, both once more."""
        course_id, source, audience = key
        course = await self._newest(course_id)
        for _ in range(MAX_READS):
            record = course.embedding or self._embeddings.builtin_embedding
            stored = await self._store.material.blocks(course_id, source, at)
            blocks = readable_by_students(stored)
            if audience is Audience.STAFF:
                if blocks == stored:
                    return await self.get(course_id, source)
                blocks = stored
            nodes = await self._store.material.inner_nodes(course_id, source, at)
            readable = {block.passage.block_id for block in blocks}
            nodes = without_staff_summaries(nodes, (one for one in stored if one.passage.block_id not in readable))
            vectors = await self._vectors(key, course.revision, at, blocks, record)
            missing = len({block.passage.block_id for block in blocks} - set(vectors.block_ids))
            there = None if missing else await self._there(key, record)
            if not missing and (there is None or there.rows.revision == course.revision):
                encoder = self._embeddings.of(record)
                built = await in_thread(self._build, key, blocks, nodes, vectors, encoder, there)
                return await self._with_languages(built, key, course.revision, blocks, record)
            before, course = course, await self._newest(course_id)
            if before.revision == course.revision:
                break
        problem = ForeignVectors(
            f"{missing} of {len(blocks)} blocks of the course {course_id!r} have no vectors of its embedding {record}: "
            f"an earlier version made others, or they were lost. Run `edumod course embed {course_id}`; until then, "
            "the retriever bm25 works."
        )
        return await in_thread(self._build, key, blocks, nodes, vectors, Unavailable(problem))

    async def _there(self, key: _Key, record: Embedding) -> CourseVectorsThere | None:
        """The vectors in the database that the index is searched with; None where it is searched in memory."""
        if self.nearest is None:
            return None
        course_id, source, _ = key
        rows = await self.nearest.rows(course_id, record.id, source)
        return CourseVectorsThere(self.nearest, course_id, source, record, rows)

    async def _vectors(
        self, key: _Key, revision: int, at: datetime, blocks: Sequence[StoredBlock], record: Embedding
    ) -> ChunkVectors | PlainVectors:
        """From disk if they were cached for exactly this material, else from the database.

        None where their dimension is not the embedding's.
        """
        if self.nearest is not None:
            ids = {block.passage.block_id for block in blocks}
            rows = await self._store.material.vectors(key[0], key[1], at, record.id)
            try:
                return PlainVectors.build([row for row in rows if row.block_id in ids], record.dimension)
            except ValueError:
                return PlainVectors.build([], record.dimension)
        fingerprint = await in_thread(fingerprint_of, blocks, record.id, revision)
        path = self._path(key, record)
        kept = await in_thread(read_kept, path, fingerprint)
        if kept is not None:
            return kept
        ids = {block.passage.block_id for block in blocks}
        stored = await self._store.material.vectors(key[0], key[1], at, record.id)
        own = [vector for vector in stored if vector.block_id in ids]
        try:
            vectors = await in_thread(ChunkVectors.build, own, record.dimension)
        except ValueError:
            return ChunkVectors.build([], record.dimension)
        if blocks and revision == (await self._newest(key[0])).revision:
            await in_thread(keep, path, vectors, fingerprint)
        return vectors

    async def _with_languages(
        self, index: CourseIndex, key: _Key, revision: int, blocks: Sequence[StoredBlock], record: Embedding
    ) -> CourseIndex:
        """The index with the multilingual embedding beside the built-in one, which knows English alone."""
        encoder = self._embeddings.multilingual
        if encoder is None or record.id != self._embeddings.builtin_embedding.id:
            return index
        languages = await in_thread(
            OtherLanguages,
            index.passages,
            encoder,
            {passage.block_id: at for at, passage in enumerate(index.passages)},
            partial(self._multilingual_vectors, key, revision, blocks, encoder),
        )
        return replace(index, _languages=languages)

    async def _multilingual_vectors(
        self, key: _Key, revision: int, blocks: Sequence[StoredBlock], encoder: Encoder
    ) -> ChunkVectors:
        """From disk if they were made of exactly this material, else made now."""
        record = await encoder.embedding()
        fingerprint = await in_thread(fingerprint_of, blocks, record.id, revision)
        path = self._path(key, record)
        if kept := await in_thread(read_kept, path, fingerprint):
            return kept
        owners, texts = await in_thread(_chunks, blocks, encoder, record.max_tokens)
        vectors = await in_thread(ChunkVectors.of, await encoder.passages(texts), owners)
        await in_thread(keep, path, vectors, fingerprint)
        return vectors

    def _build(
        self,
        key: _Key,
        blocks: Sequence[StoredBlock],
        nodes: Sequence[StoredNode],
        vectors: ChunkVectors | PlainVectors,
        encoder: Encoder,
        there: CourseVectorsThere | None = None,
    ) -> CourseIndex:
        joined = join_solutions(blocks)
        positions = {block_id: position for position, one in enumerate(joined) for block_id in one.block_ids}
        passages = tuple(one.passage for one in joined)
        leaves = {passage.block_id: position for position, passage in enumerate(passages)}
        words = [_words(one) for one in joined]
        matrix, chunks = vectors.matrix, positions_of(vectors.block_ids, positions)
        semantic: SemanticIndex
        if isinstance(vectors, ChunkVectors):
            semantic = MemoryIndex(vectors, positions)
        elif there is None:
            semantic = MemoryIndex(ChunkVectors.build([], matrix.shape[1]), positions)
        else:
            firsts = {at: np.flatnonzero(chunks == at)[:1] for at in sample_positions(len(passages), SAMPLES)}
            samples = {at: matrix[row[0]].copy() for at, row in firsts.items() if len(row)}
            semantic = DatabaseIndex(there, positions, samples)
        return CourseIndex(
            course_id=key[0],
            source=key[1],
            passages=passages,
            names=Directory(passages),
            encoder=encoder,
            _lexical=LexicalIndex([one.all for one in words]),
            _semantic=semantic,
            _sections=level_above(passages, words, matrix, chunks),
            _build_outline=partial(build_outline, nodes, blocks, leaves),
        )

    async def _revision(self, course_id: str) -> int:
        return (await self._store.courses.get(course_id)).revision

    async def _newest(self, course_id: str) -> StoredCourse:
        """The course as it is stored now; `get` may give it as it was a second ago."""
        found = await self._store.courses.find(course_id)
        if found is None:
            raise UnknownName("course", course_id, [course.id for course in await self._store.courses.all()])
        return found

    def _path(self, key: _Key, record: Embedding) -> Path:
        course_id, source, audience = key
        name = hashlib.sha256(f"{course_id}\0{source or ''}\0{record.id}\0{audience}".encode()).hexdigest()[:32]
        return self._folder / f"{name}.faiss.sealed"


@dataclass(frozen=True)
class _CachedIndex:
    """An index, the revision it shows at least, and the moment when the next document is released."""

    index: CourseIndex
    revision: int
    until: datetime | None

    def is_current(self, at: datetime) -> bool:
        return self.until is None or at < self.until


@dataclass(frozen=True)
class _CachedCalendar:
    """A calendar, with the version of the material and the course file that it was made of."""

    version: Version
    config: Mapping[str, Any]
    calendar: Calendar


def _chunks(blocks: Sequence[StoredBlock], encoder: Encoder, max_tokens: int) -> tuple[tuple[str, ...], list[str]]:
    """What is embedded, with the block of each text."""
    sizes = ChunkSizes.within(max_tokens)
    chunks = [
        (block.passage.block_id, chunk.text)
        for block in blocks
        for chunk in chunk_block(block.passage.title, block.passage.heading_path, block.passage.text, encoder, sizes)
    ]
    return tuple(block_id for block_id, _ in chunks), [text for _, text in chunks]


def _words(joined: Joined) -> Words:
    """All words by which a passage can be found; in an index for staff those of its solution as well."""
    passage = joined.passage
    headings = dict.fromkeys([passage.document, passage.title, *passage.heading_path, passage.label])
    return Words(
        headings=tuple(tuple(tokenize(heading)) for heading in headings),
        text=tuple(tokenize(f"{passage.text}\n{passage.solution}")),
    )

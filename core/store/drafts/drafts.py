"""Drafts and their traces."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, and_, func, select, true
from sqlalchemy.exc import IntegrityError

from core.access import EVERYTHING, Reach
from core.errors import DraftChanged, NotFound, StorageUnavailable
from core.store.drafts import ownership
from core.store.drafts.filter import DraftFilter
from core.store.drafts.ownership import LeftDraft, OpenDraft, finished_draft, no_draft
from core.store.drafts.statements import statements_for
from core.store.drafts.unstored import DraftChange, Unstored
from core.store.engine.database import Database
from core.store.engine.group_commit import GroupCommit
from core.store.engine.topic import Topic
from core.store.judgements import forget as forget_judgements
from core.store.pages import Cursor, Page, ordered_page, page_of
from core.store.people.reach import within
from core.store.processes import Processes
from core.store.tables import CourseRow, DraftRow, DraftState, TraceRow, now, table_of

_courses = table_of(CourseRow)
_drafts = table_of(DraftRow)
_traces = table_of(TraceRow)
log = logging.getLogger("edumod")

NOT_STORED = {"code": "storage-unavailable", "detail": "The question could not be stored, so it was not answered."}
BUSY_WITHIN = timedelta(days=14)
STORED_AT_ONCE = 20
"""How many drafts that waited in memory share a transaction: on a nearly full disk a small one may still succeed."""


class Drafts(Topic):
    """A draft is owned by the process that works on it, until that process dies.

    While the database cannot be used, drafts are kept in memory, and `store_waiting` stores them later.
    """

    def __init__(self, database: Database, processes: Processes) -> None:
        super().__init__(database)
        self._processes = processes
        self._unstored = Unstored()
        self._changes: GroupCommit[DraftChange] = GroupCommit(database, self._store, self._unstored.add)

    @property
    def waiting(self) -> int:
        """The number of drafts that wait in memory for the database."""
        return len(self._unstored)

    async def busy_courses(self, limit: int) -> list[str]:
        """Courses by their questions of the last two weeks, most first; then, up to the limit, those without any."""
        recent = and_(_drafts.c.course_id == _courses.c.id, _drafts.c.created_at > now() - BUSY_WITHIN)
        query = select(_courses.c.id).outerjoin(_drafts, recent).group_by(_courses.c.id)
        query = query.order_by(func.count(_drafts.c.id).desc(), _courses.c.id).limit(limit)
        return [row[0] for row in await self._rows(query)]

    def waits(self, draft_id: str) -> bool:
        """True if the draft waits in memory for the database."""
        return draft_id in self._unstored

    async def open(self, draft: DraftRow) -> OpenDraft:
        """Reserve the draft's idempotency key, or return the key's finished answer; a draft that failed, or whose
        process died, is opened again.

        Raises `IdempotencyKeyInProgress`, `IdempotencyKeyReused`, and `StorageUnavailable` (the question is kept).
        """
        if (earlier := self._unstored.of_key(draft.course_id, draft.idempotency_key)) is not None:
            if (finished := finished_draft(earlier.row, draft)) is not None:
                return finished
            draft.id = earlier.draft_id
        draft.owner = self._processes.id
        try:
            return await self._open(draft)
        except StorageUnavailable as error:
            failed = {} if draft.state is DraftState.REFUSED else {"state": DraftState.FAILED, "error": NOT_STORED}
            self._unstored.add([DraftChange({**draft.model_dump(), **failed})])
            raise error.of_draft(draft.id) from error

    async def find_answer(self, draft: DraftRow) -> OpenDraft | None:
        """The finished answer for the draft's idempotency key. Raises `IdempotencyKeyReused`."""
        if (earlier := self._unstored.of_key(draft.course_id, draft.idempotency_key)) is not None:
            return finished_draft(earlier.row, draft)
        same = and_(_drafts.c.course_id == draft.course_id, _drafts.c.idempotency_key == draft.idempotency_key)
        rows = await self._rows(select(_drafts).where(same))
        return finished_draft(rows[0]._mapping, draft) if rows else None

    async def _open(self, draft: DraftRow) -> OpenDraft:
        try:
            await self._transact(ownership.insert, self._processes, draft.model_dump())
            self._unstored.discard(draft.id)
            return OpenDraft(draft.id)
        except IntegrityError:
            opened = await self._transact(ownership.take_over, self._processes, draft)
            if opened is None:
                raise
            return opened

    def begin(self, draft: DraftRow) -> asyncio.Future[None]:
        """Store a new draft; durable when the future is done. One in work waits a moment to share a transaction."""
        draft.owner = self._processes.id
        return self._changes.write(DraftChange(draft.model_dump()), is_urgent=draft.state is not DraftState.WORKING)

    def end(self, draft: DraftRow, trace: TraceRow) -> asyncio.Future[None]:
        """Store a draft's outcome and trace, even if this process counted as dead; durable when the future is done."""
        draft.owner = self._processes.id
        return self._changes.write(DraftChange(draft.model_dump(), (trace.model_dump(),)), is_urgent=True)

    async def flush(self) -> None:
        """Wait until every write is on disk, including those whose callers were cancelled."""
        await self._changes.flush()

    async def store_waiting(self) -> None:
        """Store the drafts that wait in memory. Raises `StorageUnavailable`."""
        while changes := self._unstored.first(STORED_AT_ONCE):
            writes = [self._changes.write(change, is_urgent=True) for change in changes]
            results = await asyncio.gather(*writes, return_exceptions=True)
            for change, result in zip(changes, results, strict=True):
                if isinstance(result, StorageUnavailable):
                    raise result
                if isinstance(result, BaseException):
                    log.error("%s waited for the database, which rejected it: %s", change, result)
                self._unstored.remove(change)

    async def get(self, draft_id: str, reach: Reach = EVERYTHING) -> DraftRow:
        """Raises `NotFound`, also for a draft out of reach."""
        query = select(_drafts).where(_drafts.c.id == draft_id, *within(reach, _drafts))
        if (draft := await self._find(DraftRow, query)) is None:
            raise no_draft(draft_id)
        return draft

    async def page(
        self,
        wanted: DraftFilter,
        before: Cursor | None,
        limit: int,
        reach: Reach = EVERYTHING,
        *,
        oldest_first: bool = False,
    ) -> Page:
        """Up to `limit` drafts within reach after the cursor, newest first unless `oldest_first`."""
        read = partial(page_of, oldest_first=oldest_first)
        alternatives = [[*within(reach, _drafts), *part.conditions(_drafts.c)] for part in wanted.by_state]
        async with self._database.read() as connection:
            return await connection.run_sync(read, _drafts, alternatives, before, limit)

    async def ordered(
        self, wanted: DraftFilter, order: str, after: Cursor | None, limit: int, reach: Reach = EVERYTHING
    ) -> Page:
        """Up to `limit` drafts within reach after the cursor, by one of `ORDERS`, lowest and oldest first."""
        conditions = [*within(reach, _drafts), *wanted.conditions(_drafts.c)]
        async with self._database.read() as connection:
            return await connection.run_sync(ordered_page, _drafts, conditions, order, after, limit)

    async def count(self, filters: Iterable[DraftFilter], reach: Reach = EVERYTHING) -> list[int]:
        """Drafts within reach that fit each filter. Filters of one scope share a pass over the (large) rows."""
        wanted = list(filters)
        counts: dict[DraftFilter, int] = {}
        async with self._database.read() as connection:
            for scope in dict.fromkeys(part.scope for part in wanted):
                group = [part for part in wanted if part.scope == scope]
                counted = [func.count().filter(and_(true(), *part.conditions(_drafts.c))) for part in group]
                query = select(*counted).where(*within(reach, _drafts), *scope.conditions(_drafts.c))
                counts |= dict(zip(group, (await connection.execute(query.select_from(_drafts))).one(), strict=True))
        return [counts[part] for part in wanted]

    async def many(self, draft_ids: Sequence[str]) -> dict[str, DraftRow]:
        """The drafts of those ids that exist, by id."""
        drafts = await self._all(DraftRow, select(_drafts).where(_drafts.c.id.in_(draft_ids)))
        return {draft.id: draft for draft in drafts}

    async def offer(self, draft_id: str, alternative: dict[str, Any], trace: TraceRow) -> None:
        """Store another answer beside a draft's own, with the trace of its run."""
        async with self._database.write() as connection:
            mine = _drafts.update().where(_drafts.c.id == draft_id)
            await connection.execute(mine.values(alternative=alternative))
            await connection.execute(_traces.insert(), trace.model_dump())

    async def swap(self, draft_id: str, version: int) -> None:
        """Make a draft's other answer its own, and its own the other. Raises `DraftChanged`."""
        same = and_(_drafts.c.id == draft_id, _drafts.c.version == version, _drafts.c.alternative.is_not(None))
        values = {
            "response": _drafts.c.alternative,
            "alternative": _drafts.c.response,
            "state": DraftState.PENDING,
            "version": version + 1,
        }
        is_open = _drafts.c.state.in_((DraftState.PENDING, DraftState.FAILED))
        async with self._database.write() as connection:
            result = await connection.execute(_drafts.update().where(same, is_open).values(values))
            if not result.rowcount:
                raise DraftChanged(f"The draft {draft_id} has changed since you read it, or has no other answer.")
            await connection.run_sync(forget_judgements, draft_id)

    async def reopen(self, draft_id: str) -> OpenDraft:
        """Open a failed draft, or one whose process died. Raises `NotFound` and `NotRetryable`."""
        await self._transact(ownership.reopen, self._processes, draft_id)
        return OpenDraft(draft_id)

    async def left(self) -> list[LeftDraft]:
        """Drafts in work whose process died, at most `SWEPT_AT_ONCE`."""
        async with self._database.read() as connection:
            return await connection.run_sync(ownership.left, self._processes)

    async def interrupt(self, draft_ids: Sequence[str]) -> None:
        """Mark those of these drafts as failed whose process is dead."""
        await self._transact(ownership.interrupt, self._processes, draft_ids)

    async def trace(self, trace_id: str, reach: Reach = EVERYTHING) -> TraceRow:
        """Raises `NotFound`, also for a trace whose draft is out of reach."""
        query = select(_traces).join(_drafts, _drafts.c.id == _traces.c.draft_id)
        query = query.where(_traces.c.id == trace_id, *within(reach, _drafts))
        if (trace := await self._find(TraceRow, query)) is None:
            raise NotFound(f"There is no trace {trace_id!r}.")
        return trace

    async def latest_trace(self, draft_id: str) -> TraceRow:
        """The trace of the draft's last run. Raises `NotFound`, also if no run of the draft has ended."""
        query = select(_traces).where(_traces.c.draft_id == draft_id).order_by(_traces.c.created_at.desc()).limit(1)
        if (trace := await self._find(TraceRow, query)) is None:
            raise NotFound(f"There is no trace or draft {draft_id!r}, or no run of that draft has ended yet.")
        return trace

    def _store(self, connection: Connection, changes: Sequence[DraftChange]) -> None:
        """Store changes in a transaction, in any order: a draft that has ended is not inserted as begun."""
        self._processes.ensure_registered(connection)
        # In one order, so that two processes that store the same drafts do not wait for each other.
        ended = sorted((change.row for change in changes if change.has_ended), key=itemgetter("id"))
        ids = {row["id"] for row in ended}
        begun = [change.row for change in changes if change.draft_id not in ids]
        traces = [trace for change in changes for trace in change.traces]
        statements = statements_for(connection.dialect)
        for statement, rows in zip(statements, (begun, ended, traces), strict=True):
            if rows:
                connection.execute(statement, rows)

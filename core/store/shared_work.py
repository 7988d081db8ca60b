"""Files that wait to be ingested, and jobs that failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, delete, func, select, update

from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import upsert
from core.store.tables import FailedJobRow, WaitingFileRow, now, table_of
from core.types import Source

_files = table_of(WaitingFileRow)
_failed = table_of(FailedJobRow)

MAX_FAILED = 200
"""Failed jobs that a page shows."""


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A file that waits, without its content. `bytes` is its size; it will be ingested if it `is_accepted`."""

    source: Source
    name: str
    bytes: int
    is_accepted: bool
    stored_at: datetime


class WaitingFiles(Topic):
    @transaction
    def put(self, connection: Connection, row: WaitingFileRow) -> None:
        """Store the file, in place of an earlier version that waits. A changed one counts, also while the earlier one
        is being ingested."""
        values = row.model_dump()
        changed = {name: values[name] for name in ("sha256", "content", "is_accepted", "stored_at")}
        connection.execute(upsert(connection.dialect, _files, values, changed))

    async def get(self, course_id: str, source: Source, name: str) -> WaitingFileRow | None:
        mine = (_files.c.course_id == course_id, _files.c.source == source, _files.c.name == name)
        return await self._find(WaitingFileRow, select(_files).where(*mine))

    async def of(self, course_id: str) -> list[WaitingFile]:
        """Those of a course, by kind and name."""
        size = func.length(_files.c.content)
        columns = (_files.c.source, _files.c.name, size, _files.c.is_accepted, _files.c.stored_at)
        chosen = select(*columns).where(_files.c.course_id == course_id).order_by(_files.c.source, _files.c.name)
        return [WaitingFile(Source(source), *values) for source, *values in await self._rows(chosen)]

    async def accept(self, course_id: str) -> list[WaitingFile]:
        """The files of a course that wait; all of them will be ingested now."""
        await self._change(update(_files).where(_files.c.course_id == course_id).values(is_accepted=True))
        return await self.of(course_id)

    async def hold(self, row: WaitingFileRow) -> None:
        """The file waits for somebody to look at it, unless it has changed since."""
        mine = (_files.c.course_id == row.course_id, _files.c.source == row.source, _files.c.name == row.name)
        await self._change(update(_files).where(*mine, _files.c.sha256 == row.sha256).values(is_accepted=False))

    async def discard(self, course_id: str) -> int:
        """Remove the files of a course that are not accepted; how many they were."""
        return await self._change(delete(_files).where(_files.c.course_id == course_id, ~_files.c.is_accepted))

    async def remove(self, row: WaitingFileRow) -> None:
        """Remove the file once it is ingested, unless it has changed since."""
        mine = (_files.c.course_id == row.course_id, _files.c.source == row.source, _files.c.name == row.name)
        await self._change(delete(_files).where(*mine, _files.c.sha256 == row.sha256))


class FailedJobs(Topic):
    async def add(self, kind: str, key: str, arguments: dict[str, Any], attempts: int, error: str) -> None:
        row = FailedJobRow(
            id=uuid4().hex, kind=kind, key=key, arguments=arguments, attempts=attempts, error=error.replace("\0", "�"),
            failed_at=now(),
        )  # fmt: skip
        await self._change(_failed.insert().values(row.model_dump()))

    async def all(self) -> list[FailedJobRow]:
        """The latest, newest first."""
        return await self._all(FailedJobRow, select(_failed).order_by(_failed.c.failed_at.desc()).limit(MAX_FAILED))

    async def get(self, job_id: str) -> FailedJobRow | None:
        return await self._find(FailedJobRow, select(_failed).where(_failed.c.id == job_id))

    async def remove(self, job_id: str) -> None:
        await self._change(delete(_failed).where(_failed.c.id == job_id))

    async def count(self) -> int:
        return int(await self._scalar(select(func.count()).select_from(_failed)))

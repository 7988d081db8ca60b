"""Long pieces of work and their reports."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, select

from core.store.engine.topic import Topic, transaction
from core.store.tables import JobRow, JobState, now, table_of

_jobs = table_of(JobRow)


class Jobs(Topic):
    @transaction
    def start(self, connection: Connection, course_id: str, kind: str) -> str:
        """Record the start of a job, and mark any earlier one of that kind that never ended as interrupted."""
        unended = (_jobs.c.course_id == course_id, _jobs.c.kind == kind, _jobs.c.state == JobState.RUNNING)
        interrupted = {"state": JobState.INTERRUPTED, "finished_at": now()}
        connection.execute(_jobs.update().where(*unended).values(interrupted))
        row = JobRow(id=uuid4().hex, course_id=course_id, kind=kind, state=JobState.RUNNING)
        connection.execute(_jobs.insert(), row.model_dump())
        return row.id

    async def finish(self, job_id: str, state: JobState, report: dict[str, Any]) -> None:
        ended = {"state": state, "finished_at": now(), "report": report}
        await self._change(_jobs.update().where(_jobs.c.id == job_id).values(ended))

    async def all(self, course_id: str) -> list[JobRow]:
        """The course's jobs, newest first."""
        query = select(_jobs).where(_jobs.c.course_id == course_id).order_by(_jobs.c.created_at.desc())
        return await self._all(JobRow, query)

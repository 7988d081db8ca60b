"""The audit log: who read students' data, and who decided what. It is only ever added to."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, or_, select

from core.access import EVERYTHING, Person, Reach
from core.store.engine.database import Database
from core.store.engine.group_commit import GroupCommit
from core.store.engine.topic import Topic
from core.store.tables import AuditRow, now, table_of

log = logging.getLogger("edumod")
_audit = table_of(AuditRow)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Something that a person or program did. `details` hold no text of students."""

    actor: Person
    action: str
    """Such as `draft.read` or `draft.decide`."""
    course_id: str | None = None
    subject: str | None = None
    request_id: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    at: datetime = field(default_factory=now)


class Audit(Topic):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._entries: GroupCommit[dict[str, Any]] = GroupCommit(database, _store)

    async def add(self, entry: AuditEntry) -> None:
        """Durable when it returns; entries of many requests share a transaction. Raises `StorageUnavailable`."""
        await self._entries.write(_row(entry), is_urgent=False)

    def note(self, entry: AuditEntry) -> None:
        """Add it soon, without waiting: a page that is read must not wait for the log. A failure is logged."""
        self._entries.write(_row(entry), is_urgent=False).add_done_callback(_log_failure)

    @staticmethod
    def record(connection: Connection, entry: AuditEntry) -> None:
        """Add an entry in a transaction, with what it is about."""
        connection.execute(_audit.insert(), _row(entry))

    async def page(self, reach: Reach = EVERYTHING, limit: int = 100, before: datetime | None = None) -> list[AuditRow]:
        """The latest entries about courses within reach, newest first."""
        query = select(_audit).order_by(_audit.c.at.desc(), _audit.c.id.desc()).limit(limit)
        if reach.courses is not None:
            query = query.where(or_(_audit.c.course_id.in_(reach.courses), _audit.c.actor == reach.asker))
        if before is not None:
            query = query.where(_audit.c.at < before)
        return await self._all(AuditRow, query)

    async def flush(self) -> None:
        """Wait until every entry is on disk."""
        await self._entries.flush()


def _log_failure(written: asyncio.Future[None]) -> None:
    if not written.cancelled() and (error := written.exception()) is not None:
        log.error("An entry of the audit log was not stored: %s", error)


def _store(connection: Connection, rows: Any) -> None:
    connection.execute(_audit.insert(), list(rows))


def _row(entry: AuditEntry) -> dict[str, Any]:
    return AuditRow(
        id=uuid4().hex,
        at=entry.at,
        course_id=entry.course_id,
        actor=entry.actor.id,
        actor_name=entry.actor.name,
        action=entry.action,
        subject=entry.subject,
        request_id=entry.request_id,
        details=entry.details,
    ).model_dump()

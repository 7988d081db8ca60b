"""The tables of procrastinate, a schema of their own beside ours; and what they hold, for pages and metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, text

from core.errors import SetupError
from core.store.engine.database import Database
from core.store.engine.postgresql import lock, take_time
from core.store.engine.topic import Topic

SCHEMA = "edumod_jobs"

_COMMENT = text(
    "SELECT d.description FROM pg_namespace n LEFT JOIN pg_description d "
    "ON d.objoid = n.oid AND d.classoid = 'pg_namespace'::regclass WHERE n.nspname = :schema"
)
"""The newest step of procrastinate's own migrations that was applied. Not by `to_regnamespace`, whose cache may be
older than the lock."""
_LANES = text(
    f"SELECT queue_name, count(*) FILTER (WHERE status = 'todo'), count(*) FILTER (WHERE status = 'doing'), "  # noqa: S608
    "COALESCE(EXTRACT(EPOCH FROM now() - min(due) FILTER (WHERE status = 'todo' AND due <= now())), 0) "
    "FROM (SELECT j.queue_name, j.status, COALESCE(j.scheduled_at, (SELECT max(e.at) FROM "
    f"{SCHEMA}.procrastinate_events e WHERE e.job_id = j.id AND e.type IN ('deferred', 'deferred_for_retry'))) AS due "
    f"FROM {SCHEMA}.procrastinate_jobs j WHERE j.status IN ('todo', 'doing')) AS jobs GROUP BY queue_name ORDER BY 1"
)


async def prepare_queue(database: Database) -> None:
    """Create the tables, or bring them up to date. Raises `SetupError` where a later version wrote them."""
    async with database.write() as connection:
        await connection.run_sync(_prepare)


def _prepare(connection: Connection) -> None:
    from procrastinate.schema import SchemaManager

    steps = sorted(path.name for path in Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    applied = connection.execute(_COMMENT, {"schema": SCHEMA}).scalar()
    if applied == steps[-1]:
        return
    take_time(connection)
    lock(connection, "queue")
    applied = connection.execute(_COMMENT, {"schema": SCHEMA}).scalar()
    if applied is not None and applied > steps[-1]:
        raise SetupError(
            f"The job queue of the database was made by a later version of procrastinate ({applied}); this one knows "
            f"up to {steps[-1]}. Install the newest version of EduMod."
        )
    if applied is None:
        connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
        scripts = [SchemaManager.get_schema()]
    else:
        folder = Path(SchemaManager.get_migrations_path())
        scripts = [(folder / name).read_text(encoding="utf-8") for name in steps if name > applied]
    before = connection.execute(text("SHOW search_path")).scalar_one()
    connection.execute(text(f"SET LOCAL search_path = {SCHEMA}"))
    for script in scripts:
        connection.exec_driver_sql(script.replace("%", "%%"))
    connection.execute(text(f"SET LOCAL search_path = {before}"))
    connection.execute(text(f"COMMENT ON SCHEMA {SCHEMA} IS '{steps[-1]}'"))


class QueueState(Topic):
    """What waits in procrastinate's tables."""

    async def lanes(self) -> list[tuple[str, int, int, float]]:
        """Of each queue that holds something: its name, jobs that wait and run, and the age of the oldest due one."""
        return [(row[0], int(row[1]), int(row[2]), float(row[3])) for row in await self._rows(_LANES)]

    @asynccontextmanager
    async def alone(self, what: str) -> AsyncIterator[bool]:
        """Whether no other process does this meanwhile."""
        query = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
        async with self._database.write() as connection:
            yield bool((await connection.execute(query, {"name": f"edumod {what}"})).scalar())

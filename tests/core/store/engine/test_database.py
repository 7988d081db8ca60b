"""Transactions that end before their time."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

from sqlalchemy import text

from core.store.engine.database import Database

SLOW = text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n")


async def test_a_write_cancelled_in_mid_statement_gives_its_lock_back(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await database.migrate()
    cancelled = [asyncio.create_task(write_slowly(database)) for _ in range(3)]
    await asyncio.sleep(0.1)
    for task in cancelled:
        task.cancel()
    # The exceptions are kept, and with them everything their frames refer to.
    errors = await asyncio.gather(*cancelled, return_exceptions=True)
    async with asyncio.timeout(30), database.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
    assert all(isinstance(error, asyncio.CancelledError) for error in errors)
    await database.aclose()


async def write_slowly(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(SLOW)


async def test_a_commit_does_not_wait_for_work_in_other_threads(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await database.migrate()
    gate = threading.Event()
    # As many as the event loop's own threads, and then some.
    busy = [asyncio.create_task(asyncio.to_thread(gate.wait, 30)) for _ in range(64)]
    await asyncio.sleep(0)
    try:
        async with asyncio.timeout(25):
            await database.commit(lambda connection: connection.execute(text("SELECT 1")).close(), lambda: None)
    finally:
        gate.set()
        await asyncio.gather(*busy)
        await database.aclose()


async def test_a_new_database_waits_for_other_writers(tmp_path: Path) -> None:
    """SQLite refuses to turn a file into WAL mode at once where another process writes, busy timeout or not."""
    path = tmp_path / "edumod.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    database = Database(f"sqlite+aiosqlite:///{path}")
    opening = asyncio.create_task(database.migrate())
    await asyncio.sleep(0.3)
    assert not opening.done()
    other.close()
    async with asyncio.timeout(25):
        await opening
    await database.aclose()

"""Many writes in one transaction, on a real SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from core.store.engine.database import Database
from core.store.engine.group_commit import GroupCommit


class Table:
    """Stores numbers, those below zero excepted; each transaction's numbers are noted, and the first may be held up."""

    def __init__(self) -> None:
        self.transactions: list[list[int]] = []
        self.began = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def store(self, connection: Connection, numbers: Sequence[int]) -> None:
        self.transactions.append(list(numbers))
        self.began.set()
        assert self.may_go_on.wait(30)
        for number in numbers:
            if number < 0:
                raise ValueError(f"{number} is below zero")
            connection.execute(text("INSERT INTO number VALUES (:number)"), {"number": number})


@pytest.fixture
async def database(empty_database_url: str) -> AsyncIterator[Database]:
    opened = Database(empty_database_url)
    async with opened.write() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))
    yield opened
    await opened.aclose()


async def numbers_in(folder: Path) -> Database:
    """As the fixture, on SQLite, which has one writer at a time."""
    opened = Database(f"sqlite:///{folder / 'numbers.db'}")
    async with opened.write() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))
    return opened


async def stored(database: Database) -> list[int]:
    async with database.read() as connection:
        return [row.n for row in await connection.execute(text("SELECT n FROM number ORDER BY n"))]


async def test_what_arrives_during_a_transaction_shares_the_next(database: Database) -> None:
    table = Table()
    group = GroupCommit(database, table.store)
    table.may_go_on.clear()
    first = group.write(1, is_urgent=True)
    await asyncio.to_thread(table.began.wait, 30)
    others = [group.write(number, is_urgent=True) for number in (2, 3, 4)]
    table.may_go_on.set()
    await asyncio.gather(first, *others)
    assert table.transactions == [[1], [2, 3, 4]]
    assert await stored(database) == [1, 2, 3, 4]


async def test_a_transaction_takes_along_what_arrived_while_it_waited_for_the_database(tmp_path: Path) -> None:
    database = await numbers_in(tmp_path)
    table = Table()
    group = GroupCommit(database, table.store)
    async with database.write():
        first = group.write(1, is_urgent=True)
        await asyncio.sleep(0.1)
        second = group.write(2, is_urgent=True)
    await asyncio.gather(first, second)
    assert table.transactions == [[1, 2]]
    await database.aclose()


async def test_what_is_not_urgent_waits_up_to_the_batch_window(database: Database) -> None:
    table = Table()
    group = GroupCommit(database, table.store)
    first = group.write(1, is_urgent=False)
    await asyncio.sleep(0)
    await asyncio.gather(first, group.write(2, is_urgent=True))
    async with asyncio.timeout(30):
        await group.write(3, is_urgent=False)
    assert table.transactions == [[1, 2], [3]]


async def test_what_is_urgent_does_not_wait_for_the_batch_window(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.store.engine.group_commit.BATCH_WINDOW_SECONDS", 60)
    group = GroupCommit(database, Table().store)
    async with asyncio.timeout(30):
        await group.write(1, is_urgent=True)


async def test_one_bad_item_does_not_cost_the_others_theirs(database: Database) -> None:
    group = GroupCommit(database, Table().store)
    written = [group.write(number, is_urgent=True) for number in (1, -2, 3)]
    results = await asyncio.gather(*written, return_exceptions=True)
    assert [str(result) for result in results] == ["None", "-2 is below zero", "None"]
    assert await stored(database) == [1, 3]


async def test_if_no_transaction_can_begin_all_callers_get_the_error(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}")  # A folder.
    group = GroupCommit(database, Table().store)
    written = [group.write(number, is_urgent=True) for number in (1, 2)]
    results = await asyncio.gather(*written, return_exceptions=True)
    assert all("its file cannot be opened" in str(result) for result in results)
    await group.flush()
    await database.aclose()


async def test_all_callers_fail_at_once_while_another_process_locks_the_database(tmp_path: Path) -> None:
    database = await numbers_in(tmp_path)
    impatient = Database(f"sqlite+aiosqlite:///{tmp_path / 'numbers.db'}", busy_seconds=0.2)
    group = GroupCommit(impatient, Table().store)
    other = sqlite3.connect(tmp_path / "numbers.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    written = [group.write(number, is_urgent=True) for number in range(20)]
    told: list[float] = []
    for one in written:
        one.add_done_callback(lambda _: told.append(time.monotonic()))
    results = await asyncio.gather(*written, return_exceptions=True)
    other.close()
    assert all("another process has locked it" in str(result) for result in results)
    assert max(told) - min(told) < 0.1
    await group.write(20, is_urgent=True)
    assert await stored(database) == [20]
    await impatient.aclose()
    await database.aclose()


async def test_the_item_of_a_cancelled_caller_is_written(database: Database) -> None:
    group = GroupCommit(database, Table().store)
    group.write(1, is_urgent=True).cancel()
    await group.flush()
    assert await stored(database) == [1]

"""Databases that cannot be used as a whole, on real SQLite files."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from core.errors import IdempotencyKeyReused, StorageUnavailable
from core.store.drafts.unstored import DraftChange, Unstored
from core.store.engine.database import Database
from core.store.engine.group_commit import GroupCommit
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, TraceRow
from tests.core.store.engine.test_group_commit import Table
from tests.servers.storage import full_disk, held

LONG = {"question": "why " * 20_000}
URL = "sqlite+aiosqlite:///{}"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(URL.format(tmp_path / "edumod.db"), busy_seconds=0.2)
    await opened.courses.put("ds101", {"id": "ds101"})
    yield opened
    await opened.aclose()


def working(id_: str = "d1", **values: object) -> DraftRow:
    fields = {"id": id_, "course_id": "ds101", "state": DraftState.WORKING, "request": LONG}
    return DraftRow(**{**fields, **values})


def answered(draft: DraftRow) -> tuple[DraftRow, TraceRow]:
    draft.state, draft.response = DraftState.PENDING, {"answer": "yes" * 20_000}
    return draft, TraceRow(id=f"t-{draft.id}", course_id="ds101", draft_id=draft.id)


async def test_a_full_disk_is_named_without_a_path(store: Store, tmp_path: Path) -> None:
    with full_disk(), pytest.raises(StorageUnavailable, match="the disk is full") as raised:
        await store.courses.put("big", LONG)
    assert str(tmp_path) not in str(raised.value)
    assert raised.value.retry_after


async def test_a_database_that_another_process_holds_is_named_and_can_be_read(store: Store, tmp_path: Path) -> None:
    with held(tmp_path / "edumod.db"):
        with pytest.raises(StorageUnavailable, match="another process has locked it"):
            await store.courses.put("new", {})
        assert (await store.courses.find("ds101")) is not None
    await store.courses.put("new", {})


async def test_a_read_only_database_is_named(store: Store) -> None:
    with pytest.raises(StorageUnavailable, match="read-only"):
        await store.database.commit(write_to_read_only, lambda: None)


def write_to_read_only(connection: Connection) -> None:
    connection.execute(text("PRAGMA query_only=ON"))
    try:
        connection.execute(text("DELETE FROM course"))
    finally:
        connection.execute(text("PRAGMA query_only=OFF"))


async def test_a_wrong_statement_is_not_an_outage(store: Store) -> None:
    with pytest.raises(OperationalError, match="no such table"):
        async with store.database.read() as connection:
            await connection.execute(text("SELECT * FROM missing_table"))


async def test_writers_queued_for_a_locked_database_do_not_wait_one_after_another(tmp_path: Path) -> None:
    database = Database(URL.format(tmp_path / "edumod.db"), busy_seconds=1.0)
    await database.migrate()
    attempts: list[int] = []

    async def write(number: int) -> None:
        async with database.write() as connection:
            attempts.append(number)
            await connection.execute(text("DELETE FROM course"))

    with held(tmp_path / "edumod.db"):
        async with asyncio.timeout(20):
            results = await asyncio.gather(*(write(n) for n in range(40)), return_exceptions=True)
    assert all(isinstance(result, StorageUnavailable) for result in results)
    assert not attempts
    await write(1)
    await database.aclose()


async def test_a_batch_that_the_disk_does_not_take_is_not_tried_item_by_item(tmp_path: Path) -> None:
    database = Database(URL.format(tmp_path / "numbers.db"))
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))
    table, unstored = Table(), []

    def store_and_fill(connection: object, numbers: list[int]) -> None:
        table.transactions.append(list(numbers))
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    group = GroupCommit(database, store_and_fill, unstored.extend)  # type: ignore[arg-type]
    written = [group.write(number, is_urgent=True) for number in range(5)]
    results = await asyncio.gather(*written, return_exceptions=True)
    assert all(isinstance(result, StorageUnavailable) for result in results)
    assert table.transactions == [[0, 1, 2, 3, 4]]
    assert unstored == [0, 1, 2, 3, 4]
    await database.aclose()


async def test_an_answer_that_the_disk_does_not_take_is_stored_later_with_its_trace(store: Store) -> None:
    draft = working()
    with full_disk():
        begun = store.drafts.begin(draft)
        ended = store.drafts.end(*answered(draft))
        results = await asyncio.gather(begun, ended, return_exceptions=True)
        assert {type(result) for result in results} == {StorageUnavailable}
        assert store.drafts.waits("d1")
        with pytest.raises(StorageUnavailable):
            await store.drafts.store_waiting()
    await store.drafts.store_waiting()
    assert (await store.drafts.get("d1")).state == DraftState.PENDING
    assert (await store.drafts.latest_trace("d1")).id == "t-d1"
    assert store.drafts.waiting == 0


async def test_an_answer_whose_beginning_was_not_stored_is_stored_whole(store: Store) -> None:
    draft = working()
    with full_disk(), pytest.raises(StorageUnavailable):
        await store.drafts.begin(draft)
    await store.drafts.end(*answered(draft))
    await store.drafts.store_waiting()
    stored = await store.drafts.get("d1")
    assert (stored.state, stored.request) == (DraftState.PENDING, LONG)


async def test_an_answer_is_kept_for_later_though_its_client_has_left(store: Store) -> None:
    draft = working()
    with full_disk():
        store.drafts.begin(draft).cancel()
        store.drafts.end(*answered(draft)).cancel()
        await store.drafts.flush()
    await store.drafts.store_waiting()
    assert (await store.drafts.get("d1")).state == DraftState.PENDING


async def test_a_keyed_question_that_could_not_be_stored_becomes_a_failed_draft_and_its_key_works(store: Store) -> None:
    first = working("d1", idempotency_key="key", fingerprint="print")
    with full_disk(), pytest.raises(StorageUnavailable) as raised:
        await store.drafts.open(first)
    assert raised.value.draft_id == "d1"
    with full_disk(), pytest.raises(StorageUnavailable):
        await store.drafts.open(working("d2", idempotency_key="key", fingerprint="print"))
    with pytest.raises(IdempotencyKeyReused):
        await store.drafts.open(working("d3", idempotency_key="key", fingerprint="another"))
    assert store.drafts.waiting == 1
    await store.drafts.store_waiting()
    failed = await store.drafts.get("d1")
    assert (failed.state, failed.error and failed.error["code"]) == (DraftState.FAILED, "storage-unavailable")
    opened = await store.drafts.open(working("d4", idempotency_key="key", fingerprint="print"))
    assert (opened.draft_id, opened.response) == ("d1", None)


async def test_a_key_whose_answer_waits_in_memory_gives_it_again(store: Store) -> None:
    draft = working(idempotency_key="key", fingerprint="print")
    await store.drafts.open(draft)
    with full_disk():
        with pytest.raises(StorageUnavailable):
            await store.drafts.end(*answered(draft))
        again = await store.drafts.open(working("d2", idempotency_key="key", fingerprint="print"))
    assert (again.draft_id, again.response) == ("d1", draft.response)


async def test_a_draft_that_the_database_refuses_later_does_not_keep_the_others_waiting(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    with full_disk():
        writes = [store.drafts.begin(working("bad", course_id="none")), store.drafts.begin(working("good"))]
        await asyncio.gather(*writes, return_exceptions=True)
    # Whether the disk or the foreign key was noticed first, the good one is there in the end.
    await store.drafts.store_waiting()
    assert (await store.drafts.get("good")).state == DraftState.WORKING
    assert store.drafts.waiting == 0


async def test_what_waits_in_memory_is_stored_when_the_process_ends(tmp_path: Path) -> None:
    url = URL.format(tmp_path / "edumod.db")
    closing = await Store.open(url)
    await closing.courses.put("ds101", {"id": "ds101"})
    with full_disk(), pytest.raises(StorageUnavailable):
        await closing.drafts.begin(working())
    await closing.aclose()
    opened = await Store.open(url)
    assert (await opened.drafts.get("d1")).request == LONG
    await opened.aclose()


def test_memory_takes_so_many_drafts_and_names_those_that_are_lost(caplog: pytest.LogCaptureFixture) -> None:
    unstored = Unstored(limit=2)
    unstored.add([DraftChange({"id": str(n), "n": n}) for n in range(3)])
    unstored.add([DraftChange({"id": "1", "n": 11}, traces=({"id": "t"},)), DraftChange({"id": "1", "n": 1})])
    assert [(change.draft_id, change.row["n"]) for change in unstored.first(5)] == [("0", 0), ("1", 11)]
    assert "The draft 2 is lost" in caplog.text


@pytest.mark.parametrize("error", [FileNotFoundError("a file"), TimeoutError("a call")])
async def test_an_error_of_other_work_within_a_transaction_is_not_taken_for_the_databases(
    tmp_path: Path, error: Exception
) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    with pytest.raises(type(error)):
        async with database.read():
            raise error
    await database.aclose()


async def test_a_file_that_was_overwritten_makes_the_database_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "edumod.db"
    store = await Store.open(f"sqlite+aiosqlite:///{path}")
    await store.aclose()
    path.write_bytes(b"not a database " * 1_000)
    database = Database(f"sqlite+aiosqlite:///{path}")
    with pytest.raises(StorageUnavailable, match="not a database"):
        async with database.read() as connection:
            await connection.execute(text("SELECT * FROM course"))
    await database.aclose()

"""Drafts whose process died, and those whose process lives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, select, text

from core.errors import IdempotencyKeyInProgress, NotFound, NotRetryable
from core.store.drafts.drafts import Drafts
from core.store.drafts.ownership import reopen
from core.store.engine.database import Database
from core.store.engine.schema import migrate
from core.store.processes import DEAD_AFTER, Processes
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, ProcessRow, TraceRow

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Clock:
    """The database's clock, set by hand."""

    moment: datetime = NOON

    def __call__(self, connection: Connection) -> datetime:
        return self.moment


@asynccontextmanager
async def process(url: str, clock: Clock) -> AsyncIterator[Store]:
    """A store as another process would have it; left without ending in order."""
    opened = await Store.open(url)
    await opened.courses.put("ds101", {"id": "ds101"})
    processes = Processes(opened.database, clock)
    yield replace(opened, processes=processes, drafts=Drafts(opened.database, processes))
    await opened.database.aclose()


def draft(id_: str = "d1", **values: object) -> DraftRow:
    return DraftRow(**{"id": id_, "course_id": "ds101", "state": DraftState.WORKING, "request": {"q": 1}, **values})


def trace(id_: str = "t1") -> TraceRow:
    return TraceRow(id=id_, course_id="ds101", draft_id="d1")


async def sweep(store: Store) -> None:
    await store.drafts.interrupt([one.id for one in await store.drafts.left()])


async def test_a_draft_whose_process_was_not_seen_for_long_is_interrupted(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as died, process(database_url, clock) as other:
        await died.drafts.begin(draft())
        clock.moment += DEAD_AFTER
        await sweep(other)
        stored = await other.drafts.get("d1")
    assert (stored.state, stored.error and stored.error["code"]) == (DraftState.FAILED, "interrupted")
    assert stored.request == {"q": 1}


async def test_the_drafts_of_a_living_process_are_left_alone(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as busy, process(database_url, clock) as other:
        await busy.drafts.begin(draft())
        clock.moment += DEAD_AFTER - timedelta(seconds=2)
        assert await other.drafts.left() == []
        await busy.processes.beat()
        clock.moment += DEAD_AFTER - timedelta(seconds=2)
        await other.drafts.interrupt(["d1"])
        assert await other.drafts.left() == await busy.drafts.left() == []
        assert (await other.drafts.get("d1")).state == DraftState.WORKING


async def test_a_process_never_takes_itself_for_dead(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as slow:
        await slow.drafts.begin(draft())
        clock.moment += timedelta(hours=1)
        assert await slow.drafts.left() == []


async def test_a_process_that_ends_in_order_leaves_its_drafts_at_once(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as ending, process(database_url, clock) as other:
        await ending.drafts.begin(draft())
        await ending.processes.end()
        assert [one.id for one in await other.drafts.left()] == ["d1"]


async def test_an_answer_of_a_process_that_was_taken_for_dead_is_stored_all_the_same(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as slow, process(database_url, clock) as other:
        await slow.drafts.begin(draft())
        clock.moment += DEAD_AFTER
        await sweep(other)
        await slow.drafts.end(draft(state=DraftState.PENDING, response={"answer": 1}), trace())
        stored = await other.drafts.get("d1")
    assert (stored.state, stored.response, stored.error) == (DraftState.PENDING, {"answer": 1}, None)


async def test_a_failure_of_a_process_considered_dead_does_not_affect_its_successor(
    database_url: str,
) -> None:
    clock = Clock()
    async with process(database_url, clock) as slow, process(database_url, clock) as other:
        await slow.drafts.begin(draft())
        clock.moment += DEAD_AFTER
        await other.drafts.reopen("d1")
        failed = draft(state=DraftState.FAILED, error={"code": "model-timeout"})
        await slow.drafts.end(failed, trace("t1"))
        assert (await other.drafts.get("d1")).state == DraftState.WORKING
        await other.drafts.end(draft(state=DraftState.PENDING, response={"answer": 2}), trace("t2"))
        await slow.drafts.end(failed, trace("t3"))
        assert (await other.drafts.get("d1")).response == {"answer": 2}


async def test_the_key_of_a_dead_process_can_be_used_again_at_once(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as died, process(database_url, clock) as other:
        await died.drafts.open(draft(idempotency_key="key", fingerprint="print"))
        again = draft("d2", idempotency_key="key", fingerprint="print")
        with pytest.raises(IdempotencyKeyInProgress):
            await other.drafts.open(again)
        clock.moment += DEAD_AFTER
        assert (await other.drafts.open(again)).draft_id == "d1"
        with pytest.raises(IdempotencyKeyInProgress):
            await died.drafts.open(draft("d3", idempotency_key="key", fingerprint="print"))


async def test_a_delayed_process_learns_that_others_may_be_delayed_too(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as one:
        assert await one.processes.beat()
        clock.moment += timedelta(seconds=5)
        assert await one.processes.beat()
        clock.moment += DEAD_AFTER
        assert not await one.processes.beat()


async def test_rows_of_dead_processes_are_removed_and_no_others(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as died, process(database_url, clock) as other:
        await died.processes.beat()
        clock.moment += timedelta(seconds=15)
        await other.processes.beat()
        await other.processes.forget_dead()
        assert await ids(other) == {died.processes.id, other.processes.id}
        clock.moment += timedelta(seconds=15)
        await other.processes.beat()
        await other.processes.forget_dead()
        assert await ids(other) == {other.processes.id}


async def ids(store: Store) -> set[str]:
    async with store.database.read() as connection:
        return {row.id for row in await connection.execute(text("SELECT id FROM process"))}


async def test_the_databases_own_clock_is_close_to_ours(database_url: str) -> None:
    store = await Store.open(database_url)
    await store.processes.beat()
    async with store.database.read() as connection:
        seen = (await connection.execute(select(ProcessRow.seen_at))).scalar_one()
    await store.aclose()
    assert abs(datetime.now(UTC) - seen) < timedelta(minutes=1)


async def test_a_store_that_only_reads_leaves_no_trace_of_its_process(database_url: str) -> None:
    reading = await Store.open(database_url)
    await reading.courses.all()
    assert await ids(reading) == set()
    await reading.aclose()


@pytest.mark.parametrize("state", [DraftState.PENDING, DraftState.REFUSED, DraftState.WORKING])
async def test_only_what_failed_or_was_left_can_be_answered_again(database_url: str, state: DraftState) -> None:
    async with process(database_url, Clock()) as store:
        await store.drafts.begin(draft(state=state))
        with pytest.raises(NotRetryable, match="d1"):
            await store.drafts.reopen("d1")
        with pytest.raises(NotFound):
            await store.drafts.reopen("d2")


async def test_only_one_of_many_processes_may_answer_a_draft_again(database_url: str) -> None:
    async with process(database_url, Clock()) as store:
        await store.drafts.begin(draft(state=DraftState.FAILED, error={"code": "interrupted"}))
        results = await asyncio.gather(*(store.drafts.reopen("d1") for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(result, NotRetryable) for result in results) == 9


async def test_drafts_at_work_in_an_old_database_are_interrupted_by_its_migration(empty_database_url: str) -> None:
    database = Database(empty_database_url)
    async with database.write() as connection:
        await connection.run_sync(migrate, "0002")
        await connection.execute(text("INSERT INTO course VALUES ('c', '{}', 0)"))
        for name, state in (("d1", "working"), ("d2", "pending")):
            await connection.execute(
                text(
                    "INSERT INTO draft (id, course_id, created_at, state, fingerprint, request) "
                    "VALUES (:id, 'c', '2026-01-01 00:00:00.000000', :state, '', :request)"
                ),
                {"id": name, "state": state, "request": '{"question": {"body": "?"}}'},
            )
    await database.aclose()
    store = await Store.open(empty_database_url)
    first, second = await store.drafts.get("d1"), await store.drafts.get("d2")
    await store.aclose()
    assert (first.state, first.error and first.error["code"]) == (DraftState.FAILED, "interrupted")
    assert (first.request, first.parameters) == ({"question": {"body": "?"}}, None)
    assert (second.state, second.error) == (DraftState.PENDING, None)


async def test_a_draft_that_a_new_process_has_just_taken_is_not_taken_from_it_by_who_waited(
    database_url: str,
) -> None:
    """Who waits for a row that another transaction has locked must not judge its owner by what was there before."""
    async with process(database_url, Clock()) as first, process(database_url, Clock()) as second:
        await first.drafts.begin(draft(state=DraftState.FAILED, error={"code": "interrupted"}))
        await first.processes.end()
        async with first.database.write() as connection:
            await connection.run_sync(reopen, first.processes, "d1")
            others = [
                asyncio.create_task(second.drafts.interrupt(["d1"])),
                asyncio.create_task(second.drafts.reopen("d1")),
            ]
            await waiting(second, 2)
        results = await asyncio.gather(*others, return_exceptions=True)
        assert (results[0], type(results[1])) == (None, NotRetryable)
        assert (await second.drafts.get("d1")).state == DraftState.WORKING


async def waiting(store: Store, number: int) -> None:
    """Wait until so many transactions wait for a row; on SQLite, where they wait for their turn, a moment."""
    if store.database.engine.dialect.name == "sqlite":
        await asyncio.sleep(0.1)
        return
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with asyncio.timeout(30), store.database.read() as connection:
        while (await connection.execute(query)).scalar_one() < number:
            await connection.rollback()
            await asyncio.sleep(0.01)


async def test_a_process_knows_how_many_share_the_database(database_url: str) -> None:
    clock = Clock()
    async with process(database_url, clock) as first, process(database_url, clock) as second:
        await first.processes.beat()
        await second.processes.beat()
        assert (first.processes.living, second.processes.living) == (1, 2)
        await first.processes.beat()
        assert first.processes.living == 2
        clock.moment += DEAD_AFTER + timedelta(seconds=1)
        await first.processes.beat()
        assert first.processes.living == 1

"""Workers on PostgreSQL: several of them, dead ones, and databases of other versions."""

from __future__ import annotations

import asyncio
from typing import LiteralString

import psycopg
import pytest

from app.jobs import shared
from app.jobs.in_process import InProcessQueue
from core.errors import SetupError
from core.store.queue_schema import SCHEMA, prepare_queue
from core.store.store import Store
from tests.app.jobs.workplace import Recorder, process, working
from tests.servers.postgresql import PostgreSQLServer


def change(url: str, statement: LiteralString) -> None:
    """Run a statement on the queue's tables, as something unforeseen might."""
    with psycopg.connect(url, options=f"-c search_path={SCHEMA}") as connection:
        connection.execute(statement)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers count as dead after half a second; their own signs of life come later."""
    monkeypatch.setattr(shared, "DEAD_SECONDS", 0.5)
    monkeypatch.setattr(shared, "SWEEP_SECONDS", 0.1)
    monkeypatch.setattr(shared, "POLL_SECONDS", 0.1)
    monkeypatch.setattr(shared, "GRACE_SECONDS", 0.1)


async def test_the_jobs_of_a_dead_worker_are_done_by_another(
    postgresql_url: str, recorder: Recorder, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder.gate.clear()
    async with process(postgresql_url) as dead, process(postgresql_url) as alive:
        await dead.jobs.add("note", {"name": "a"}, "a")
        monkeypatch.setattr(shared, "HEARTBEAT_SECONDS", 60.0)  # It gives no further sign of life.
        async with working(dead):
            await recorder.begun.wait()
            recorder.begun.clear()
            monkeypatch.setattr(shared, "HEARTBEAT_SECONDS", 0.1)
            async with working(alive):
                await asyncio.wait_for(recorder.begun.wait(), 10)
                recorder.gate.set()
                await recorder.until(2)
        assert await alive.jobs.lanes() == []
    assert recorder.done == {"a": 2}  # Once by each: why a job must do no harm when it is done again.


async def test_a_job_whose_workers_all_died_is_left_alone_and_kept(
    postgresql_url: str, recorder: Recorder, quick: None
) -> None:
    async with process(postgresql_url) as here:
        await here.jobs.add("note", {"name": "a"}, "a")
        change(postgresql_url, "UPDATE procrastinate_jobs SET status = 'doing', attempts = 9")
        assert await here.jobs.sweep() == 0
        (row,) = await here.store.failed_jobs.all()
        assert "died 10 times" in row.error
        assert await here.jobs.lanes() == []


async def test_a_dead_workers_job_gives_way_to_the_same_one_that_was_added_since(
    postgresql_url: str, recorder: Recorder, quick: None
) -> None:
    async with process(postgresql_url) as here:
        await here.jobs.add("note", {"name": "a"}, "a")
        change(postgresql_url, "UPDATE procrastinate_jobs SET status = 'doing'")
        assert await here.jobs.add("note", {"name": "a"}, "a")
        assert await here.jobs.sweep() == 1
        (lane,) = await here.jobs.lanes()
        assert (lane.waiting, lane.running) == (1, 0)


async def test_a_stopped_worker_leaves_its_jobs_to_others(postgresql_url: str, recorder: Recorder, quick: None) -> None:
    recorder.gate.clear()
    async with process(postgresql_url) as here:
        await here.jobs.add("note", {"name": "a"}, "a")
        async with working(here):
            await recorder.begun.wait()
        recorder.gate.set()
        async with process(postgresql_url) as other, working(other):
            await recorder.until(1)
    assert recorder.done == {"a": 1}


async def test_what_is_urgent_is_done_first(postgresql_url: str, recorder: Recorder) -> None:
    async with process(postgresql_url) as here:
        for number in range(3):
            await here.jobs.add("note", {"name": f"batch {number}"}, str(number))
        await here.jobs.add("urgent", {"name": "student"}, "s")
        async with working(here, concurrency=1):
            await recorder.until(4)
    assert next(iter(recorder.done)) == "student"


async def test_jobs_are_done_although_connections_are_cut(
    postgresql: PostgreSQLServer, postgresql_url: str, recorder: Recorder, quick: None
) -> None:
    async with process(postgresql_url) as here:
        for number in range(10):
            await here.jobs.add("note", {"name": str(number)}, str(number))
        async with working(here, concurrency=2):
            await recorder.until(2)
            postgresql.cut_connections(postgresql_url)
            async with asyncio.timeout(20):
                while set(recorder.done) != {str(number) for number in range(10)}:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)


async def test_several_processes_that_start_at_once_make_one_queue(postgresql_url: str) -> None:
    stores = [await Store.open(postgresql_url) for _ in range(4)]
    await asyncio.gather(*(prepare_queue(store.database) for store in stores))
    for store in stores:
        await store.aclose()


async def test_a_queue_of_a_later_version_is_refused(postgresql_url: str) -> None:
    store = await Store.open(postgresql_url)
    await prepare_queue(store.database)
    change(postgresql_url, f"COMMENT ON SCHEMA {SCHEMA} IS '99.00.00_01_later.sql'")
    with pytest.raises(SetupError, match="later version of procrastinate"):
        await prepare_queue(store.database)
    await store.aclose()


async def test_the_queue_is_no_table_of_another_program(postgresql_url: str) -> None:
    async with process(postgresql_url) as here:
        await here.jobs.lanes()
    again = await Store.open(postgresql_url)
    await again.aclose()


async def test_what_a_stopped_process_on_sqlite_had_to_do_is_kept_as_failed(
    tmp_path: object, recorder: Recorder
) -> None:
    recorder.gate.clear()
    url = f"sqlite:///{tmp_path}/edumod.db"
    async with process(url) as here:
        assert isinstance(here.jobs, InProcessQueue)
        await here.jobs.add("note", {"name": "a"}, "a")
        await recorder.begun.wait()
    store = await Store.open(url)
    (row,) = await store.failed_jobs.all()
    assert "was stopped" in row.error
    await store.aclose()

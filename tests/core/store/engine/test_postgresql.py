"""What only PostgreSQL does: connections that are lost, time limits, messages, and transactions side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import select, text
from sqlalchemy.dialects import postgresql as dialect
from sqlalchemy.exc import DBAPIError

from core.errors import InvalidInput, StorageUnavailable, UnknownName
from core.store.engine.database import Database, backend_of
from core.store.engine.group_commit import GroupCommit
from core.store.engine.order import by_code_point
from core.store.engine.outages import storage_errors
from core.store.engine.urls import parse_url
from core.store.store import Store
from core.store.tables import CourseRow, DraftRow, DraftState, EvaluationRow, EvaluationState, TraceRow
from tests.core.store.engine.test_group_commit import Table
from tests.core.store.test_processes import waiting
from tests.core.store.test_store import document, tree
from tests.servers.postgresql import PostgreSQLServer


@pytest.fixture
async def store(postgresql_url: str) -> AsyncIterator[Store]:
    opened = await Store.open(postgresql_url, busy_seconds=0.2)
    await opened.courses.put("ds101", {"id": "ds101"})
    yield opened
    await opened.aclose()


@asynccontextmanager
async def another(url: str) -> AsyncIterator[Store]:
    """A store as another process has it."""
    opened = await Store.open(url)
    yield opened
    await opened.aclose()


def answered(name: str = "d1") -> tuple[DraftRow, TraceRow]:
    draft = DraftRow(id=name, course_id="ds101", state=DraftState.PENDING, request={"q": 1}, response={"a": 1})
    return draft, TraceRow(id=f"t-{name}", course_id="ds101", draft_id=name)


async def test_of_a_transaction_whose_connection_is_lost_nothing_is_stored(
    store: Store, postgresql: PostgreSQLServer, postgresql_url: str
) -> None:
    async def delete_and_go_on() -> None:
        async with store.database.write() as connection:
            await connection.execute(text("DELETE FROM course"))
            postgresql.cut_connections(postgresql_url)
            await connection.execute(text("SELECT 1"))

    with pytest.raises(StorageUnavailable, match="cannot be reached"):
        await delete_and_go_on()
    assert [course.id for course in await store.courses.all()] == ["ds101"]


async def test_after_a_restart_of_the_server_nobody_notices(
    store: Store, postgresql: PostgreSQLServer, postgresql_url: str
) -> None:
    await asyncio.gather(*(store.courses.all() for _ in range(8)))
    postgresql.cut_connections(postgresql_url)
    await asyncio.gather(*(store.courses.all() for _ in range(8)))
    await store.drafts.end(*answered())
    postgresql.cut_connections(postgresql_url)
    await store.drafts.end(*answered("d2"))
    assert (await store.drafts.get("d2")).response == {"a": 1}


async def test_a_batch_whose_connection_is_lost_is_stored_later_and_once(
    store: Store, postgresql: PostgreSQLServer, postgresql_url: str
) -> None:
    async with store.database.write() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))
    unstored: list[int] = []
    table = Table()
    table.may_go_on.clear()
    group = GroupCommit(store.database, table.store, unstored.extend)
    written = [group.write(number, is_urgent=True) for number in (1, 2)]
    await asyncio.to_thread(table.began.wait, 30)
    await asyncio.to_thread(postgresql.cut_connections, postgresql_url)
    table.may_go_on.set()
    results = await asyncio.gather(*written, return_exceptions=True)
    assert all(isinstance(result, StorageUnavailable) for result in results)
    assert unstored == [1, 2]
    await asyncio.gather(*(group.write(number, is_urgent=True) for number in unstored))
    async with store.database.read() as connection:
        assert (await connection.execute(text("SELECT n FROM number ORDER BY n"))).scalars().all() == [1, 2]


async def test_answers_wait_in_memory_while_the_server_takes_no_connection(
    store: Store, postgresql: PostgreSQLServer, postgresql_url: str
) -> None:
    with postgresql.closed(postgresql_url):
        with pytest.raises(StorageUnavailable, match="cannot be reached"):
            await store.drafts.end(*answered())
        assert store.drafts.waits("d1")
        with pytest.raises(StorageUnavailable, match="cannot be reached"):
            await store.courses.all()
    await store.drafts.store_waiting()
    assert (await store.drafts.get("d1")).response == {"a": 1}


async def test_a_course_is_known_while_the_server_takes_no_connection(
    store: Store, postgresql: PostgreSQLServer, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.store.engine.fresh.FRESH_SECONDS", 0)
    await store.courses.get("ds101")
    with postgresql.closed(postgresql_url):
        assert (await store.courses.get("ds101")).id == "ds101"


async def test_who_waits_too_long_for_a_row_is_told_that_another_process_holds_it(
    store: Store, postgresql_url: str
) -> None:
    async with another(postgresql_url) as other, other.database.write() as connection:
        await connection.execute(text("SELECT * FROM course FOR UPDATE"))
        with pytest.raises(StorageUnavailable, match="another process has locked it"):
            await store.courses.put("ds101", {})
    await store.courses.put("ds101", {})


async def test_a_statement_that_takes_too_long_is_ended(postgresql_url: str) -> None:
    database = Database(postgresql_url, statement_seconds=0.05)
    with pytest.raises(StorageUnavailable, match="took too long"):
        async with database.read() as connection:
            await connection.execute(text("SELECT pg_sleep(10)"))
    await database.aclose()


async def test_a_cancelled_write_gives_its_locks_back(store: Store, postgresql_url: str) -> None:
    async def hold() -> None:
        async with store.database.write() as connection:
            await connection.execute(text("SELECT * FROM course FOR UPDATE"))
            await connection.execute(text("SELECT pg_sleep(60)"))

    task = asyncio.create_task(hold())
    async with another(postgresql_url) as other:
        writing = asyncio.create_task(other.courses.put("ds101", {"title": "new"}))
        await waiting(other, 1)
        task.cancel()
        async with asyncio.timeout(30):
            await writing
    with pytest.raises(asyncio.CancelledError):
        await task


@asynccontextmanager
async def messages(url: str) -> AsyncIterator[asyncio.Event]:
    """An event that is set by each message about a course."""
    event = asyncio.Event()
    following = asyncio.create_task(backend_of(parse_url(url)).follow(event.set))
    await heard(event)
    yield event
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)


async def heard(event: asyncio.Event) -> None:
    """Wait for a message, or for the news that messages come from now on."""
    async with asyncio.timeout(30):
        await event.wait()
    event.clear()


async def test_a_change_of_a_course_is_heard_of_at_once(store: Store, postgresql_url: str) -> None:
    async with messages(postgresql_url) as event:
        for change in changes(store):
            await change()
            await heard(event)


def changes(store: Store) -> list[Callable[[], Awaitable[None]]]:
    row = document()
    return [
        lambda: store.courses.put("ds101", {"title": "new"}),
        lambda: store.material.replace(row, tree(row), []),
        lambda: store.material.reclassify(row),
        lambda: store.material.remove("ds101", [row.id]),
    ]  # fmt: skip


async def test_messages_go_on_after_their_connection_was_lost(
    store: Store, postgresql: PostgreSQLServer, postgresql_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with messages(postgresql_url) as event:
        postgresql.cut_connections(postgresql_url)
        await heard(event)  # What was missed meanwhile is not known, so everything is read anew.
        await store.courses.put("ds101", {"title": "new"})
        await heard(event)
    assert "no messages about changed courses" in caplog.text


async def test_two_processes_may_store_the_same_document_at_once(store: Store, postgresql_url: str) -> None:
    row = document()
    async with another(postgresql_url) as one, another(postgresql_url) as two:
        revision = (await one.courses.get("ds101")).revision
        await asyncio.gather(*(other.material.replace(row, tree(row, 50), []) for other in (one, two) * 4))
        assert len(await one.material.blocks("ds101", None, row.ingested_at)) == 50
        found = await one.courses.find("ds101")
        assert found is not None
        assert found.revision == revision + 8


async def test_two_processes_that_open_the_same_evaluation_share_it(store: Store, postgresql_url: str) -> None:
    async def opened(other: Store, name: str) -> str:
        row = EvaluationRow(id=name, kind="functions", key="k", state=EvaluationState.RUNNING)
        return (await other.evaluations.open(row, [])).id

    async with another(postgresql_url) as one, another(postgresql_url) as two:
        names = await asyncio.gather(*(opened(other, f"e{n}") for n, other in enumerate((one, two) * 5)))
    assert len(set(names)) == 1


async def test_two_processes_that_create_a_course_at_once_both_succeed(store: Store, postgresql_url: str) -> None:
    async with another(postgresql_url) as other:
        await asyncio.gather(*(one.courses.put(f"c{n}", {}) for n in range(5) for one in (store, other)))
    assert {(await store.courses.get(f"c{n}")).revision for n in range(5)} == {1}


async def test_a_text_with_a_nul_is_refused_or_replaced_but_never_a_fault(store: Store) -> None:
    for look in (store.courses.find("a\0b"), store.drafts.get("a\0b")):
        with pytest.raises(InvalidInput, match="NUL"):
            await look
    row = document()
    nodes = tree(row)
    nodes[1].text, nodes[1].heading_path = "before\0after", ["a\0b"]
    await store.material.replace(row, nodes, [])
    [block] = await store.material.blocks("ds101", None, row.ingested_at)
    assert (block.passage.text, block.passage.heading_path) == ("before\ufffdafter", ("a\0b",))
    with pytest.raises(UnknownName):
        await store.courses.get("ab")


@pytest.mark.parametrize(
    ("state", "reason"),
    [("53100", "disk is full"), ("25006", "read-only"), ("40P01", "another process"), ("53300", "overloaded"),
     ("57P01", "cannot be reached"), ("XX001", "reports errors")],
)  # fmt: skip
def test_what_the_server_reports_about_the_whole_database_is_an_outage(state: str, reason: str) -> None:
    original = Exception("as the driver words it")
    original.sqlstate = state  # type: ignore[attr-defined]
    with pytest.raises(StorageUnavailable, match=reason), storage_errors():
        raise DBAPIError("SELECT", {}, original)


def test_names_are_ordered_alike_on_every_machine() -> None:
    query = select(CourseRow.id).order_by(by_code_point(CourseRow.id))
    assert str(query.compile(dialect=dialect.dialect())).endswith('ORDER BY course.id COLLATE "C"')  # type: ignore[no-untyped-call]

"""The database, on a real SQLite file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, event, text
from sqlmodel import SQLModel

from core.errors import IdempotencyKeyInProgress, IdempotencyKeyReused, NotFound, SetupError, UnknownName
from core.store.courses import Courses
from core.store.engine import group_commit
from core.store.engine.database import Database
from core.store.engine.schema import HEAD
from core.store.store import Store
from core.store.tables import (
    DocumentRow,
    DocumentState,
    DraftRow,
    DraftState,
    EmbeddingRow,
    JobState,
    NodeKind,
    NodeRow,
    TraceRow,
    now,
)
from core.types import Source, Visibility


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    opened = await Store.open(database_url)
    await opened.courses.put("ds101", {"id": "ds101"})
    yield opened
    await opened.aclose()


def document(name: str = "a.md", course: str = "ds101", **values: object) -> DocumentRow:
    fields = {
        "id": f"{course}-{name}", "course_id": course, "source": Source.TEXTBOOK, "name": name, "title": name,
        "sha256": "0", "build": "0", "state": DocumentState.INDEXED, "visibility": Visibility.STUDENT,
    }  # fmt: skip
    return DocumentRow(**{**fields, **values})


def tree(row: DocumentRow, blocks: int = 1) -> list[NodeRow]:
    root = NodeRow(
        id=f"{row.id}/0", course_id=row.course_id, document_id=row.id, ordinal=0, kind=NodeKind.DOCUMENT, title="t"
    )
    leaves = [
        NodeRow(
            id=f"{row.id}/{n}", course_id=row.course_id, document_id=row.id, parent_id=root.id, ordinal=n,
            kind=NodeKind.BLOCK, title="b", heading_path=["h"], text=f"text {n}", position={"start": 0, "end": 6},
        )
        for n in range(1, blocks + 1)
    ]  # fmt: skip
    return [root, *leaves]


async def test_a_sqlite_database_keeps_answers_through_a_power_cut(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'edumod.db'}")
    async with store.database.read() as connection:
        settings = {
            name: (await connection.execute(text(f"PRAGMA {name}"))).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    await store.aclose()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 15_000}


async def test_migrations_lead_to_the_models(store: Store) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, SQLModel.metadata))

    async with store.database.read() as connection:
        assert await connection.run_sync(differences) == []


def test_the_newest_migration_is_the_one_the_code_expects() -> None:
    folder = Path(__file__).parents[3] / "core" / "store" / "migrations"
    assert ScriptDirectory(str(folder)).get_current_head() == HEAD


async def test_a_file_that_is_not_a_database_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "edumod.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(SetupError, match="EDUMOD_HOME"):
        await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")


async def test_a_database_of_a_newer_version_is_refused(store: Store, database_url: str) -> None:
    async with store.database.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SetupError, match="newest version"):
        await Store.open(database_url)


async def test_several_processes_may_create_the_schema_at_once(empty_database_url: str) -> None:
    for opened in await asyncio.gather(*(Store.open(empty_database_url) for _ in range(4))):
        await opened.aclose()


def working(id_: str = "d1") -> DraftRow:
    return DraftRow(id=id_, course_id="ds101", state=DraftState.WORKING, request={"question": "?"})


def keyed(fingerprint: str = "print", request: dict[str, Any] | None = None, **values: Any) -> DraftRow:
    values = {"id": uuid4().hex, "course_id": "ds101", "state": DraftState.WORKING, **values}
    return DraftRow(idempotency_key="key", fingerprint=fingerprint, request=request, **values)


@contextmanager
def commits() -> Iterator[list[Connection]]:
    """The transactions with drafts that are committed meanwhile; the store also looks for changed courses by itself."""
    writing: set[Connection] = set()
    committed: list[Connection] = []

    def note_write(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(("INSERT INTO draft ", "UPDATE draft ")):
            writing.add(connection)

    def note_commit(connection: Connection) -> None:
        if connection in writing:
            committed.append(connection)

    event.listen(Engine, "before_cursor_execute", note_write)
    event.listen(Engine, "commit", note_commit)
    try:
        yield committed
    finally:
        event.remove(Engine, "before_cursor_execute", note_write)
        event.remove(Engine, "commit", note_commit)


async def test_a_draft_that_was_only_begun_is_stored_before_long(store: Store) -> None:
    async with asyncio.timeout(30):
        await store.drafts.begin(working())
    assert (await store.drafts.get("d1")).state == DraftState.WORKING


async def test_a_quick_answer_is_begun_and_ended_in_one_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "BATCH_WINDOW_SECONDS", 30)  # A slow machine must not make the answer late.
    draft = working()
    with commits() as seen:
        begun = store.drafts.begin(draft)
        for _ in range(3):  # Turns of the loop, in which a draft that waited for nothing would be on its way.
            await asyncio.sleep(0)
        draft.state, draft.response = DraftState.PENDING, {"answer": "yes"}
        trace = TraceRow(id="t1", course_id="ds101", draft_id="d1", steps=[], usage={})
        await asyncio.gather(begun, store.drafts.end(draft, trace))
    assert len(seen) == 1
    stored = await store.drafts.get("d1")
    assert (stored.state, stored.response) == (DraftState.PENDING, {"answer": "yes"})
    assert (await store.drafts.latest_trace("d1")).id == "t1"


async def test_answers_that_end_at_once_share_one_transaction(store: Store) -> None:
    drafts = [working(f"d{n}") for n in range(20)]
    with commits() as seen:
        writes = [store.drafts.begin(draft) for draft in drafts]
        for draft in drafts:
            draft.state, draft.response = DraftState.PENDING, {"answer": draft.id}
            writes.append(store.drafts.end(draft, TraceRow(id=f"t-{draft.id}", course_id="ds101", draft_id=draft.id)))
        await asyncio.gather(*writes)
    assert len(seen) == 1
    assert (await store.drafts.get("d7")).response == {"answer": "d7"}


async def test_closing_the_store_waits_for_what_is_on_its_way(database_url: str) -> None:
    closing = await Store.open(database_url)
    await closing.courses.put("ds101", {"id": "ds101"})
    closing.drafts.begin(working())
    await closing.aclose()
    opened = await Store.open(database_url)
    assert (await opened.drafts.get("d1")).state == DraftState.WORKING
    await opened.aclose()


async def test_a_cancelled_flush_does_not_cancel_the_writes(store: Store) -> None:
    async with store.database.write():
        store.drafts.begin(working())
        flushing = asyncio.create_task(store.drafts.flush())
        await asyncio.sleep(0.1)
        flushing.cancel()
        await asyncio.gather(flushing, return_exceptions=True)
    await store.drafts.flush()
    assert (await store.drafts.get("d1")).state == DraftState.WORKING


async def test_a_draft_that_cannot_be_stored_is_logged_if_its_client_has_disconnected(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    stored = store.drafts.begin(DraftRow(id="lost", course_id="no such course", state=DraftState.PENDING))
    stored.cancel()
    await store.drafts.flush()
    assert "The draft lost could not be stored; its client had disconnected." in caplog.text


async def test_an_unknown_course_is_answered_with_the_known_ones(store: Store) -> None:
    with pytest.raises(UnknownName, match="ds101"):
        await store.courses.get("ds102")


class SlowToRead:
    """A database whose first reader gets its rows, and then has to wait until it is let."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.reads = 0
        self.has_read = asyncio.Event()
        self.may_go_on = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Any]:
        async with self._database.read() as connection:
            yield connection
        self.reads += 1
        if self.reads == 1:
            self.has_read.set()
            await self.may_go_on.wait()


async def test_concurrent_reads_of_a_course_are_coalesced(store: Store) -> None:
    database = SlowToRead(store.database)
    # PostgreSQL tells a process of its own changes too, some time later; the courses are then rightly read anew.
    database.revised = store.database.revised  # type: ignore[attr-defined]
    courses = Courses(cast(Database, database))
    reading = asyncio.gather(*(courses.get("ds101") for _ in range(20)))
    await database.has_read.wait()
    database.may_go_on.set()
    assert len({id(course) for course in await reading}) == 1
    assert database.reads == 1


async def test_a_course_that_was_just_changed_is_not_taken_from_a_look_before(store: Store) -> None:
    database = SlowToRead(store.database)
    courses = Courses(cast(Database, database))
    before = asyncio.create_task(courses.get("ds101"))
    await database.has_read.wait()
    await store.courses.put("ds101", {"id": "ds101", "title": "new"})
    assert (await courses.get("ds101")).config["title"] == "new"
    database.may_go_on.set()
    assert "title" not in (await before).config
    assert (await courses.get("ds101")).config["title"] == "new"


async def test_replacing_a_document_replaces_its_tree_and_grows_the_revision(store: Store) -> None:
    row = document()
    vector = EmbeddingRow(
        node_id=f"{row.id}/1", ordinal=0, course_id="ds101", model="m", start=0, end=6, vector=b"1234"
    )
    await store.material.replace(row, tree(row, blocks=3), [vector])
    await store.material.replace(row, tree(row, blocks=2), [vector])
    blocks = await store.material.blocks("ds101", None, now())
    assert [block.passage.text for block in blocks] == ["text 1", "text 2"]
    assert [v.vector for v in await store.material.vectors("ds101", Source.TEXTBOOK, now(), "m")] == [b"1234"]
    assert await store.material.vectors("ds101", Source.TEXTBOOK, now(), "another model") == []
    assert (await store.courses.get("ds101")).revision == 2


async def test_a_document_that_cannot_be_stored_leaves_the_old_one(store: Store) -> None:
    row = document()
    await store.material.replace(row, tree(row), [])
    broken = EmbeddingRow(node_id="no such node", ordinal=0, course_id="ds101", model="m", start=0, end=1, vector=b"")
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        await store.material.replace(row, tree(row, blocks=5), [broken])
    assert len(await store.material.blocks("ds101", None, now())) == 1


async def test_material_is_seen_by_its_own_course_from_its_release_on(store: Store) -> None:
    await store.courses.put("other", {"id": "other"})
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    for row in (document(), document("b.md", release_at=tomorrow), document("c.md", course="other")):
        await store.material.replace(row, tree(row), [])
    assert [b.passage.document for b in await store.material.blocks("ds101", None, now())] == ["a.md"]
    later = tomorrow + timedelta(seconds=1)
    assert [b.passage.document for b in await store.material.blocks("ds101", None, later)] == ["a.md", "b.md"]
    assert await store.material.next_release("ds101", now()) == tomorrow
    assert await store.material.next_release("ds101", later) is None


async def test_a_key_gives_its_answer_again(store: Store) -> None:
    opened = await store.drafts.open(keyed("print", {"q": 1}))
    draft = DraftRow(
        id=opened.draft_id, course_id="ds101", state=DraftState.PENDING, idempotency_key="key", fingerprint="print",
        response={"answer": 42},
    )  # fmt: skip
    await store.drafts.end(draft, TraceRow(id="t", course_id="ds101", draft_id=opened.draft_id))
    again = await store.drafts.open(keyed("print", {"q": 1}))
    assert (again.draft_id, again.response) == (opened.draft_id, {"answer": 42})
    assert (await store.drafts.trace("t")).draft_id == opened.draft_id


async def test_a_key_in_use_or_used_for_another_request_is_refused(store: Store) -> None:
    await store.drafts.open(keyed("print", {}))
    with pytest.raises(IdempotencyKeyInProgress, match="still being answered"):
        await store.drafts.open(keyed("print", {}))
    with pytest.raises(IdempotencyKeyReused, match="another request"):
        await store.drafts.open(keyed("other print", {}))


async def test_a_failed_draft_keeps_the_question_and_its_key_works_again(store: Store) -> None:
    opened = await store.drafts.open(keyed("print", {"q": "why"}))
    failed = DraftRow(
        id=opened.draft_id, course_id="ds101", state=DraftState.FAILED, idempotency_key="key", fingerprint="print",
        request={"q": "why"}, error={"code": "model-timeout"},
    )  # fmt: skip
    await store.drafts.end(failed, TraceRow(id="t", course_id="ds101", draft_id=opened.draft_id))
    assert (await store.drafts.get(opened.draft_id)).request == {"q": "why"}
    assert await store.drafts.open(keyed("print", {"q": "why"})) == opened


async def test_only_one_of_many_concurrent_requests_wins(store: Store) -> None:
    results = await asyncio.gather(*(store.drafts.open(keyed("print", {})) for _ in range(20)), return_exceptions=True)
    assert sum(1 for one in results if not isinstance(one, BaseException)) == 1


async def test_drafts_saved_at_once_are_all_kept_though_one_of_them_is_bad(store: Store) -> None:
    def draft(name: str, course: str = "ds101") -> DraftRow:
        return DraftRow(id=name, course_id=course, state=DraftState.PENDING, response={"n": name})

    rows = [draft(str(n), "no such course" if n == 7 else "ds101") for n in range(20)]
    results = await asyncio.gather(*(store.drafts.begin(row) for row in rows), return_exceptions=True)
    assert [n for n, result in enumerate(results) if result is not None] == [7]
    assert [(await store.drafts.get(str(n))).response for n in range(20) if n != 7] == [
        {"n": str(n)} for n in range(20) if n != 7
    ]


async def test_a_cancelled_save_takes_no_other_with_it(store: Store) -> None:
    rows = [DraftRow(id=str(n), course_id="ds101", state=DraftState.PENDING) for n in range(10)]
    tasks = [store.drafts.begin(row) for row in rows]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[3].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [n for n, result in enumerate(results) if result is None] == [1, 2, 4, 5, 6, 7, 8, 9]
    for n in (1, 2, 4, 9):
        assert (await store.drafts.get(str(n))).state == DraftState.PENDING


async def test_the_latest_trace_of_a_draft_is_that_of_its_last_run(store: Store) -> None:
    draft = DraftRow(id="d", course_id="ds101", state=DraftState.FAILED)
    await store.drafts.begin(draft)
    with pytest.raises(NotFound, match="no run of that draft has ended"):
        await store.drafts.latest_trace("d")
    for trace_id, minutes in (("second", 2), ("first", 1)):
        at = now() + timedelta(minutes=minutes)
        await store.drafts.end(draft, TraceRow(id=trace_id, course_id="ds101", draft_id="d", created_at=at))
    assert (await store.drafts.latest_trace("d")).id == "second"


async def test_unknown_drafts_and_traces_are_not_found(store: Store) -> None:
    with pytest.raises(NotFound):
        await store.drafts.get("nope")
    with pytest.raises(NotFound):
        await store.drafts.trace("nope")


async def test_a_job_that_never_ended_is_marked_interrupted_by_the_next(store: Store) -> None:
    await store.jobs.start("ds101", "ingest qa")
    job = await store.jobs.start("ds101", "ingest qa")
    await store.jobs.finish(job, JobState.DONE, {"files": 3})
    states = {row.id: row.state for row in await store.jobs.all("ds101")}
    assert sorted(states.values()) == [JobState.DONE, JobState.INTERRUPTED]
    assert states[job] == JobState.DONE


async def test_a_document_that_becomes_staffs_is_no_variant_and_has_none(store: Store) -> None:
    rows = [document(name, source=Source.ASSIGNMENT) for name in ("a.md", "b.md", "c.md")]
    for row in rows:
        await store.material.replace(row, tree(row), [])
    main, variant, other = (row.id for row in rows)
    await store.material.set_variants("ds101", Source.ASSIGNMENT, {variant: main, other: main})
    await store.material.reclassify(document("b.md", source=Source.ASSIGNMENT, visibility=Visibility.STAFF))
    assert [row.variant_of for row in await store.material.documents("ds101")] == [None, None, main]
    await store.material.reclassify(document("a.md", source=Source.ASSIGNMENT, visibility=Visibility.STAFF))
    assert [row.variant_of for row in await store.material.documents("ds101")] == [None, None, None]

"""Backups and copies, between real databases of both kinds."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import stat
from collections.abc import Callable, Iterator
from itertools import count, product, takewhile
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlmodel import SQLModel

from core.errors import InvalidInput, SetupError
from core.store.copies.rows import ORDER
from core.store.copies.transfer import _source, back_up, copy, restore
from core.store.engine.database import Database
from core.store.engine.schema import SchemaState, migrate, schema_of
from core.store.engine.urls import parse_url
from core.store.store import Store
from core.store.tables import DraftState, EmbeddingRow, table_of
from tests.core.store.copies.filled import EVENING, contents, fill, utc
from tests.servers.postgresql import DATABASES, SQLITE_FIRST, PostgreSQLServer

NewDatabase = Callable[[str], str]


@pytest.fixture
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewDatabase]:
    """Gives the URL of a new, empty database of a kind."""
    numbers = count()
    made: list[tuple[PostgreSQLServer, str]] = []

    def create(kind: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / f'{next(numbers)}.db'}"
        server: PostgreSQLServer = request.getfixturevalue("postgresql")
        made.append((server, server.create()))
        return made[-1][1]

    yield create
    for server, url in made:
        server.drop(url)


@pytest.mark.parametrize(("origin", "goal"), list(product(DATABASES, DATABASES)))
async def test_a_backup_of_either_kind_restores_either_kind(
    origin: str, goal: str, new_database: NewDatabase, tmp_path: Path
) -> None:
    source, target = new_database(origin), new_database(goal)
    await fill(source)
    written = back_up(source, tmp_path / "backup.gz")
    assert restore(target, tmp_path / "backup.gz") == written
    assert all(written.values())
    assert await contents(target) == await contents(source)


@pytest.mark.parametrize(("origin", "goal"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
async def test_a_copy_answers_as_its_source_did(origin: str, goal: str, new_database: NewDatabase) -> None:
    source, target = new_database(origin), new_database(goal)
    await fill(source)
    copy(source, target)
    store = await Store.open(target)
    [document] = await store.material.documents("ds101")
    assert document.release_at == utc(EVENING)
    assert await store.material.next_release("ds101", utc(EVENING).replace(year=2025)) == utc(EVENING)
    assert (await store.drafts.get("d1")).response == {"answer": "yes"}
    # Its process is not running here, so the next service looks after the draft that was at work.
    assert [draft.id for draft in await store.drafts.left()] == ["d2"]
    await store.aclose()


async def test_vectors_that_were_made_for_searching_are_no_hindrance_and_are_made_again(
    postgresql_url: str, tmp_path: Path
) -> None:
    await fill(postgresql_url)
    store = await Store.open(postgresql_url)
    assert await store.nearest.prepare() is None
    async with store.database.read() as connection:
        ((model,),) = (await connection.execute(select(table_of(EmbeddingRow).c.model).distinct())).all()
    before = await store.nearest.rows("ds101", model, None)
    assert before.block_ids
    await store.aclose()
    back_up(postgresql_url, tmp_path / "backup.gz")
    restore(postgresql_url, tmp_path / "backup.gz", replace=True)
    store = await Store.open(postgresql_url)
    assert await store.nearest.prepare() is None
    assert await store.nearest.rows("ds101", model, None) == before
    await store.aclose()


async def test_a_backup_is_for_its_owner_alone_and_replaces_no_file(database_url: str, tmp_path: Path) -> None:
    await fill(database_url)
    path = tmp_path / "folder" / "backup.gz"
    back_up(database_url, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="exists already"):
        back_up(database_url, path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["backup.gz"]


async def test_a_backup_holds_one_moment_while_others_write(database_url: str) -> None:
    await fill(database_url)
    store = await Store.open(database_url)
    with _source(parse_url(database_url)) as records:
        head, _ = next(records), next(records)
        await store.courses.put("late", {"id": "late"})
        rest = list(records)
    await store.aclose()
    assert isinstance(head, dict)
    assert head["format"] == "edumod-backup"
    start = next(n for n, one in enumerate(rest) if isinstance(one, dict) and one.get("table") == "course")
    courses = list(takewhile(lambda one: isinstance(one, list), rest[start + 1 :]))
    assert [one[0] for one in courses if isinstance(one, list)] == ["ds101", "empty"]


async def test_a_database_with_rows_is_replaced_only_when_that_is_asked_for(database_url: str, tmp_path: Path) -> None:
    await fill(database_url)
    back_up(database_url, tmp_path / "backup.gz")
    before = await contents(database_url)
    with pytest.raises(InvalidInput, match="--replace"):
        restore(database_url, tmp_path / "backup.gz")
    store = await Store.open(database_url)
    await store.courses.put("later", {"id": "later"})
    await store.aclose()
    restore(database_url, tmp_path / "backup.gz", replace=True)
    assert await contents(database_url) == before


async def test_a_database_stays_as_it_was_where_its_replacement_fails(
    database_url: str, tmp_path: Path, backup: Path
) -> None:
    await fill(database_url)
    before = await contents(database_url)
    shutil.copy(backup, tmp_path / "backup.gz")
    changed(tmp_path / "backup.gz", lambda lines: lines[:-1])
    with pytest.raises(InvalidInput, match="cut off"):
        restore(database_url, tmp_path / "backup.gz", replace=True)
    assert await contents(database_url) == before


async def test_nothing_is_copied_into_a_database_that_cannot_hold_every_character(
    database_url: str, postgresql: PostgreSQLServer
) -> None:
    await fill(database_url)
    goal = postgresql.create("TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(SetupError, match=r"LATIN1.*createdb --encoding=UTF8"):
        copy(database_url, goal)
    postgresql.drop(goal)


async def test_a_database_that_a_service_uses_is_not_replaced(database_url: str, tmp_path: Path) -> None:
    await fill(database_url)
    back_up(database_url, tmp_path / "backup.gz")
    service = await Store.open(database_url)
    await service.processes.beat()
    with pytest.raises(InvalidInput, match="Stop them first"):
        restore(database_url, tmp_path / "backup.gz", replace=True)
    await service.aclose()


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Path:
    """A backup with rows of every table."""
    folder = tmp_path_factory.mktemp("backup")
    shutil.copy(sqlite_template, folder / "edumod.db")
    asyncio.run(fill(f"sqlite:///{folder / 'edumod.db'}"))
    back_up(f"sqlite:///{folder / 'edumod.db'}", folder / "backup.gz")
    return folder / "backup.gz"


def changed(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
    path.write_bytes(gzip.compress("".join(change(lines)).encode()))


def with_head(**values: object) -> Callable[[list[str]], list[str]]:
    return lambda lines: [json.dumps({**json.loads(lines[0]), **values}) + "\n", *lines[1:]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "cut off"),
        (lambda lines: [*lines[:2], *lines[3:]], "lacks rows|foreign key|FOREIGN KEY"),
        (lambda lines: [*lines[:-2], lines[-2][:-10]], "damaged"),
        (lambda lines: [*lines[:3], '["x"]\n', *lines[3:]], "does not fit"),
        (lambda lines: [*lines[:3], '{"table": "no_table", "columns": []}\n', *lines[3:]], "no table"),
        (lambda lines: [*lines[:3], "7\n", *lines[3:]], "damaged"),
        (lambda lines: lines[1:], "not a backup"),
        (lambda lines: [], "not a backup"),
        (with_head(version=2), "newer version"),
        (with_head(schema="9999"), "newer version"),
        (with_head(schema="x; DROP TABLE course"), "newer version"),
    ],
)
@pytest.mark.parametrize("empty_database_url", SQLITE_FIRST, indirect=True)
async def test_of_a_damaged_backup_nothing_is_restored(
    change: Callable[[list[str]], list[str]], message: str, empty_database_url: str, tmp_path: Path, backup: Path
) -> None:
    shutil.copy(backup, tmp_path / "backup.gz")
    changed(tmp_path / "backup.gz", change)
    with pytest.raises(InvalidInput, match=message):
        restore(empty_database_url, tmp_path / "backup.gz")
    assert await state(empty_database_url) == SchemaState.EMPTY


async def state(url: str) -> SchemaState:
    database = Database(url)
    async with database.read() as connection:
        found = await connection.run_sync(schema_of, "0000")
    await database.aclose()
    return found.state


@pytest.mark.parametrize("content", [b"", b"no gzip at all", gzip.compress(b"x" * 100, mtime=0)[:15]])
def test_a_file_that_is_no_backup_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "backup.gz").write_bytes(content)
    with pytest.raises(InvalidInput, match="backup"):
        restore(f"sqlite:///{tmp_path / 'new.db'}", tmp_path / "backup.gz")


def test_a_backup_of_no_database_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no database"):
        back_up(f"sqlite:///{tmp_path / 'missing.db'}", tmp_path / "backup.gz")
    assert list(tmp_path.iterdir()) == []


async def test_a_backup_of_an_earlier_schema_is_brought_up_to_date(
    empty_database_url: str, new_database: NewDatabase, tmp_path: Path
) -> None:
    database = Database(empty_database_url)
    async with database.write() as connection:
        await connection.run_sync(migrate, "0002")
        await connection.execute(text("INSERT INTO course (id, config, revision) VALUES ('c', '{}', 7)"))
        await connection.execute(
            text(
                "INSERT INTO draft (id, course_id, created_at, state, fingerprint) "
                "VALUES ('d', 'c', '2026-01-01 00:00:00.000000', 'working', '')"
            )
        )
    await database.aclose()
    back_up(empty_database_url, tmp_path / "backup.gz")
    for kind in DATABASES:
        target = new_database(kind)
        restore(target, tmp_path / "backup.gz")
        store = await Store.open(target)
        assert (await store.courses.get("c")).revision == 7
        assert (await store.drafts.get("d")).state == DraftState.FAILED
        await store.aclose()


async def test_a_nul_in_a_text_of_sqlite_becomes_a_stand_in_on_postgresql(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    source, target = new_database("sqlite"), new_database("postgresql")
    await fill(source)
    store = await Store.open(source)
    async with store.database.write() as connection:
        await connection.execute(text("UPDATE node SET title = 'a' || char(0) || 'b'"))
    await store.aclose()
    copy(source, target)
    store = await Store.open(target)
    assert {node.title for node in await store.material.tree("ds101")} == {"a\ufffdb"}
    await store.aclose()


def test_a_table_whose_rows_refer_to_its_own_has_an_order_in_which_parents_come_first() -> None:
    own = {
        table.name
        for table in SQLModel.metadata.tables.values()
        if any(key.column.table is table for key in table.foreign_keys)
    }
    assert own == set(ORDER)

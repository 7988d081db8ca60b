"""A look at a database, and what cannot be used as one."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from core.concurrency import in_thread
from core.errors import SetupError
from core.store.engine.database import Database
from core.store.engine.schema import HEAD, SchemaState, migrate
from core.store.engine.urls import display_url, parse_url
from core.store.inspection import inspect_database
from core.store.store import Store
from tests.core.store.copies.filled import fill
from tests.servers.postgresql import PostgreSQLServer, database_name

SECRET = "s3cr%40t"
PLAIN = "s3cr@t"


async def run(url: str, *statements: str, revision: str | None = None) -> None:
    database = Database(url)
    async with database.write() as connection:
        if revision:
            await connection.run_sync(migrate, revision)
        for statement in statements:
            await connection.execute(text(statement))
    await database.aclose()


async def test_a_database_of_today_is_named_with_what_it_holds(database_url: str) -> None:
    await fill(database_url)
    service = await Store.open(database_url)
    await service.processes.beat()
    found = inspect_database(database_url)
    await service.aclose()
    assert found.kind.startswith(("SQLite 3.", "PostgreSQL 18"))
    assert (found.schema.state, found.schema.revision, found.newest) == (SchemaState.CURRENT, HEAD, HEAD)
    assert (found.courses, found.drafts, found.processes) == (2, 2, 1)


async def test_an_earlier_schema_is_told_apart(empty_database_url: str) -> None:
    await run(empty_database_url, revision="0002")
    found = inspect_database(empty_database_url)
    assert (found.schema.state, found.schema.revision, found.courses) == (SchemaState.OLDER, "0002", 0)


async def test_a_newer_schema_is_told_apart_and_refused(database_url: str) -> None:
    await run(database_url, "UPDATE alembic_version SET version_num = '9999'")
    assert inspect_database(database_url).schema.state is SchemaState.NEWER
    with pytest.raises(SetupError, match=r"written by a newer version .* 9999.* Install the newest version"):
        await Store.open(database_url)


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE customer (id INTEGER)"],
        ["CREATE TABLE course (id INTEGER)"],
        ["CREATE TABLE alembic_version (version_num VARCHAR)", "INSERT INTO alembic_version VALUES ('a1b2c3d4e5f6')"],
        [
            "CREATE TABLE customer (id INTEGER)",
            "CREATE TABLE alembic_version (version_num VARCHAR)",
            "INSERT INTO alembic_version VALUES ('0002')",
        ],
    ],
)
async def test_another_programs_database_is_refused_and_stays_as_it_is(
    empty_database_url: str, statements: list[str]
) -> None:
    await run(empty_database_url, *statements)
    before = inspect_database(empty_database_url)
    assert before.schema.state is SchemaState.FOREIGN
    with pytest.raises(SetupError, match="another program's tables"):
        await Store.open(empty_database_url)
    assert inspect_database(empty_database_url) == before


def test_a_database_without_tables_is_empty(empty_database_url: str, tmp_path: Path) -> None:
    assert inspect_database(empty_database_url).schema.state is SchemaState.EMPTY
    assert list(tmp_path.iterdir()) == []


async def test_tables_of_an_extension_belong_to_no_program(postgresql: PostgreSQLServer) -> None:
    url = postgresql.create()
    await run(
        url, "CREATE EXTENSION vector", "CREATE TABLE helper (n INTEGER)", "ALTER EXTENSION vector ADD TABLE helper"
    )
    assert inspect_database(url).schema.state is SchemaState.EMPTY
    await (await Store.open(url)).aclose()
    postgresql.drop(url)


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_look_changes_no_file(tmp_path: Path, is_open: bool) -> None:
    url = f"sqlite:///{tmp_path / 'edumod.db'}"
    store = await Store.open(url)
    await store.courses.put("ds101", {})
    if not is_open:
        await store.aclose()
    before = files_in(tmp_path)
    assert inspect_database(url).courses == 1
    assert files_in(tmp_path) == before
    if is_open:
        await store.aclose()


def files_in(folder: Path) -> dict[str, bytes]:
    """The files' contents, but for SQLite's own memory that processes share."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".db-shm"}


def test_a_folder_and_a_file_that_is_no_database_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_bytes(b"not a database at all" * 100)
    for path in (tmp_path, tmp_path / "text.db"):
        with pytest.raises(SetupError, match="cannot be opened") as raised:
            inspect_database(f"sqlite:///{path}")
        assert str(path) in str(raised.value)


def look(url: str) -> None:
    inspect_database(url)


def open_store(url: str) -> None:
    asyncio.run(Store.open(url))


@pytest.mark.parametrize("attempt", [look, open_store])
def test_a_server_that_is_not_there_is_named_without_the_password(attempt: Callable[[str], None]) -> None:
    pytest.importorskip("psycopg")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # Nobody listens on it.
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=rf"127\.0\.0\.1:{port}/edumod cannot be opened: .*refused") as raised:
            attempt(f"postgresql://bot:{SECRET}@127.0.0.1:{port}/edumod")
    assert SECRET not in str(raised.value)
    assert PLAIN not in str(raised.value)


def test_without_its_driver_postgresql_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SetupError, match=r"pip install 'edumod\[postgresql\]'"):
        Database("postgresql://host/db")


async def test_a_database_that_the_server_does_not_have_is_named(postgresql: PostgreSQLServer) -> None:
    with pytest.raises(SetupError, match='"no_such_database" does not exist'):
        await Store.open(postgresql.url("no_such_database"))


async def test_a_database_that_cannot_hold_every_character_is_refused(postgresql: PostgreSQLServer) -> None:
    url = postgresql.create("TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    for use in (Store.open(url), in_thread(inspect_database, url)):
        with pytest.raises(SetupError, match=r"LATIN1.*createdb --encoding=UTF8"):
            await use
    postgresql.drop(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://bot:s3cr@t@host:543x/db",
        "mysql://bot:s3cr@t@host/db",
        "s3cr@t",
        "",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_a_word_of_its_password(url: str) -> None:
    with pytest.raises(SetupError, match=r"postgresql://user:password@host:5432/name") as raised:
        Database(url)
    assert "s3" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"postgresql+psycopg://bot:{SECRET}@host:5432/db", "postgresql://bot:***@host:5432/db"),
        (f"postgres://bot@/db?host=/run/pg&password={SECRET}", "postgresql://bot@/db?host=/run/pg&password=***"),
        ("sqlite+aiosqlite:////var/lib/edumod.db", "/var/lib/edumod.db"),
    ],
)
def test_a_url_is_shown_without_driver_and_password(url: str, expected: str) -> None:
    assert display_url(parse_url(url)) == expected


def test_a_parameter_that_postgresql_does_not_know_is_named(postgresql: PostgreSQLServer) -> None:
    with pytest.raises(SetupError, match="no_such_parameter"):
        inspect_database(f"{postgresql.uri}&no_such_parameter=1")
    assert database_name(postgresql.uri) == "postgres"


@contextmanager
def asking_for_passwords(postgresql: PostgreSQLServer, role: str) -> Iterator[None]:
    """The server demands the password of that role meanwhile, whose others it trusts."""
    ((path,),) = postgresql.execute("SHOW hba_file")
    rules = Path(str(path))
    before = rules.read_text(encoding="utf-8")
    postgresql.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'right'")
    rules.write_text(f"local all {role} scram-sha-256\n{before}", encoding="utf-8")
    try:
        postgresql.execute("SELECT pg_reload_conf(), pg_sleep(0.5)")
        yield
    finally:
        rules.write_text(before, encoding="utf-8")
        postgresql.execute("SELECT pg_reload_conf()")
        postgresql.execute(f"DROP ROLE {role}")


async def test_a_wrong_password_is_told_and_not_shown(postgresql: PostgreSQLServer) -> None:
    url = make_url(postgresql.url("postgres")).set(username="locked", password="wr0ng")
    with asking_for_passwords(postgresql, "locked"), pytest.raises(SetupError, match="password authentication") as told:
        await Store.open(url.render_as_string(hide_password=False))
    assert "wr0ng" not in str(told.value)

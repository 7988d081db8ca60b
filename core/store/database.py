"""Opens the database and brings its schema up to date."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from core.errors import SetupError, StorageUnavailable
from core.private_files import make_private, private_folder, private_opener
from core.store.outages import BUSY, storage_errors

log = logging.getLogger("edumod")

BUSY_SECONDS = 15.0
"""Default time that a write waits for another process that has locked a SQLite database."""
HEAD = "0004"
"""The newest migration. A test compares it with the migrations folder."""


class Database:
    """Read and write transactions on one database, used from one event loop.

    SQLite allows one writer at a time and makes others poll; so the writers of this process queue here, and only those
    of other processes poll. Every method raises `StorageUnavailable` if the database as a whole cannot be used.
    """

    def __init__(self, url: str, busy_seconds: float = BUSY_SECONDS) -> None:
        self.engine = open_engine(url, busy_seconds)
        self._writing = self.engine.execution_options(write=True)
        self._blocking = _blocking_engine(self.engine.url, busy_seconds)
        # A separate thread, so that storing an answer need not queue behind long work in the default pool.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        is_sqlite = self.engine.dialect.name == "sqlite"
        self.revised = 0
        """Incremented when this process changes a course or its material."""
        self._lock: AbstractAsyncContextManager[object] = asyncio.Lock() if is_sqlite else nullcontext()
        self._times_busy = 0

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read from: `async with database.read() as connection`."""
        with storage_errors():
            async with self.engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is committed at the end, or rolled back on an error."""
        async with self._write_permit():
            with storage_errors():
                async with self._writing.begin() as connection:
                    yield connection

    @asynccontextmanager
    async def _write_permit(self) -> AsyncIterator[None]:
        """The permit to write, held by one task of this process at a time.

        If a writer waited in vain for the database, those queued behind it fail at once: their waits would add up.
        """
        times_busy = self._times_busy
        async with self._lock:
            if self._times_busy != times_busy:
                raise StorageUnavailable(BUSY)
            try:
                yield
            except StorageUnavailable as error:
                self._times_busy += error.reason == BUSY
                raise

    async def commit(self, statements: Callable[[Connection], None], committed: Callable[[], object]) -> None:
        """Run `statements` in a transaction, then call `committed`; `statements` must wait only for the database.

        With SQLite, all of it runs in one call on a thread. Through `write`, each statement would return to the event
        loop several times, and a busy loop would keep the database locked for others meanwhile.
        """
        if self._blocking is None:
            async with self.write() as connection:
                await connection.run_sync(statements)
            committed()
        else:
            async with self._write_permit():
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._thread, _commit, self._blocking, statements, committed)

    async def migrate(self) -> None:
        """Create or upgrade the schema. Fast if it is up to date.

        Raises `SetupError` if the file is not a database or was written by a newer version.
        """
        try:
            async with self.read() as connection:
                if await connection.run_sync(_revision) == HEAD:
                    return
            async with self.write() as connection:
                await connection.run_sync(_upgrade)
        except (DBAPIError, StorageUnavailable) as error:
            url = self.engine.url.render_as_string()
            cause = error.orig if isinstance(error, DBAPIError) else error.__cause__
            raise SetupError(
                f"The database {url} cannot be opened: {getattr(cause, 'orig', cause)}. "
                "Check EDUMOD_DATABASE_URL or EDUMOD_HOME, or restore the file from a backup."
            ) from error

    async def aclose(self) -> None:
        await self.engine.dispose()
        self._thread.shutdown()
        if self._blocking is not None:
            self._blocking.dispose()


def open_engine(url: str, busy_seconds: float = BUSY_SECONDS) -> AsyncEngine:
    """An engine for `url` (SQLAlchemy async form). SQLite runs in WAL mode and syncs every commit to disk."""
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "sqlite":
            return create_async_engine(url, pool_pre_ping=True)
        engine = create_async_engine(url, pool_size=8, max_overflow=0, connect_args={"factory": _SQLiteConnection})
    except (ArgumentError, InvalidRequestError, ImportError) as error:
        raise SetupError(
            f"EDUMOD_DATABASE_URL cannot be used: {error}. It looks like sqlite+aiosqlite:///path/to/edumod.db, or "
            "postgresql+asyncpg://user@host/name with that driver installed."
        ) from error
    if parsed.database and parsed.database != ":memory:" and not parsed.database.startswith("file:"):
        _prepare_file(Path(parsed.database))
    _listen(engine.sync_engine, busy_seconds)
    return engine


def _prepare_file(path: Path) -> None:
    """Create the file with private permissions, or make it private. SQLite gives its other files the same permissions.

    An existing file is not opened: closing it would release the locks that SQLite holds on it in this process.
    """
    try:
        private_folder(path.parent)
        with open(path, "xb", opener=private_opener):
            return
    except FileExistsError:
        pass
    except OSError as error:
        log.warning("The database file %s cannot be created: %s", path, error)
    if path.is_file():
        for suffix in ("", "-wal", "-shm"):
            make_private(path.with_name(path.name + suffix))


def _blocking_engine(url: URL, busy_seconds: float) -> Engine | None:
    """A second, synchronous engine for a SQLite file, for use in threads."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    engine = create_engine(url.set(drivername="sqlite"), connect_args={"factory": _SQLiteConnection})
    _listen(engine, busy_seconds)
    return engine.execution_options(write=True)


def _commit(engine: Engine, statements: Callable[[Connection], None], committed: Callable[[], object]) -> None:
    with storage_errors(), engine.begin() as connection:
        statements(connection)
    committed()


def _listen(engine: Engine, busy_seconds: float) -> None:
    event.listen(engine, "connect", partial(_configure_sqlite, busy_seconds))
    event.listen(engine, "begin", _begin_sqlite)


class _SQLiteConnection(sqlite3.Connection):
    """Rolls back before closing, which releases locks at once.

    Otherwise SQLite keeps the locks of a closed connection until its last statement is garbage-collected, which a
    cancelled request can delay for long.
    """

    def close(self) -> None:
        if self.in_transaction:
            self.rollback()
        super().close()


def _configure_sqlite(busy_seconds: float, connection: Any, _record: object) -> None:
    # The driver would start transactions too late; _begin_sqlite starts them instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={round(busy_seconds * 1000)}", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    _write_ahead(cursor, busy_seconds)
    cursor.close()


def _write_ahead(cursor: Any, busy_seconds: float) -> None:
    """Switch the file to WAL mode.

    If another process switches a new file at the same time, SQLite fails at once instead of waiting; only then this
    waits, possibly blocking the event loop.
    """
    until = time.monotonic() + busy_seconds
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    # A deferred transaction that upgrades from reading to writing fails at once while another process writes;
    # one that takes the write lock at the start waits for it.
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise SetupError(
            f"The database's schema is unknown to this version of EduMod ({error}). Install the newest version."
        ) from error

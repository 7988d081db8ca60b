"""What is SQLite's own: files for this user alone, WAL mode, locks that are taken early and given back at once."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from core.concurrency import in_thread
from core.private_files import make_private, private_folder, private_opener
from core.store.engine.urls import is_file

log = logging.getLogger("edumod")


@dataclass(frozen=True)
class SQLite:
    """Opens a SQLite database. It runs in WAL mode and never loses a committed answer.

    `busy_seconds` is how long a write waits for another process that is writing.
    """

    has_one_writer: ClassVar[bool] = True
    """Writers of other processes poll for their turn, so those of this process should queue."""

    url: URL
    busy_seconds: float

    def open(self) -> AsyncEngine:
        engine = create_async_engine(
            self.url, pool_size=8, max_overflow=0, hide_parameters=True, connect_args={"factory": _SQLiteConnection}
        )
        self._prepare()
        _listen(engine.sync_engine, self.busy_seconds)
        return engine

    def open_blocking(self) -> Engine | None:
        """An engine for threads; none for a database in memory, which only one connection sees."""
        if not self.url.database or self.url.database == ":memory:":
            return None
        self._prepare()
        engine = create_engine(
            self.url.set(drivername="sqlite"), hide_parameters=True, connect_args={"factory": _SQLiteConnection}
        )
        _listen(engine, self.busy_seconds)
        return engine

    def _prepare(self) -> None:
        if is_file(self.url):
            _prepare_file(Path(self.url.database or ""))

    async def follow(self, changed: Callable[[], None]) -> None:
        """SQLite sends no messages: what other processes change is seen when it is read."""

    async def purge(self) -> None:
        """Empty the write-ahead file, which still holds old pages. Waits `busy_seconds` for readers, then gives up."""
        if is_file(self.url):
            await in_thread(_checkpoint, Path(self.url.database or ""), self.busy_seconds)


def open_read_only(url: URL) -> Engine:
    """An engine that changes no byte of an existing file, and creates none."""
    path = Path(url.database or "").absolute()
    # Without a file of unfinished writes beside it nobody has the database open, and SQLite need not create one.
    unused = "" if path.with_name(path.name + "-wal").exists() else "&immutable=1"
    read_only = f"{path.as_uri()}?mode=ro{unused}"
    return create_engine("sqlite://", creator=lambda: sqlite3.connect(read_only, uri=True, check_same_thread=False))


def _prepare_file(path: Path) -> None:
    """Create the file with private permissions, or make it private.

    An existing file is not opened: closing it would release SQLite's locks on it.
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


def _checkpoint(path: Path, busy_seconds: float) -> None:
    with closing(sqlite3.connect(path, timeout=busy_seconds)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _listen(engine: Engine, busy_seconds: float) -> None:
    event.listen(engine, "connect", partial(_configure, busy_seconds))
    event.listen(engine, "begin", _begin)


class _SQLiteConnection(sqlite3.Connection):
    """Rolls back before closing. Else SQLite keeps its locks until the last statement is garbage-collected."""

    def close(self) -> None:
        if self.in_transaction:
            self.rollback()
        super().close()


def _configure(busy_seconds: float, connection: Any, _record: object) -> None:
    # The driver would start transactions too late; _begin starts them instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    # Deleted text would stay in the file until its page is used again.
    always = ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
    for pragma in (f"busy_timeout={round(busy_seconds * 1000)}", *always):
        cursor.execute(f"PRAGMA {pragma}")
    _write_ahead(cursor, busy_seconds)
    cursor.close()


def _write_ahead(cursor: Any, busy_seconds: float) -> None:
    """Switch the file to WAL mode; waits here if another process does so at the same time, since SQLite does not."""
    until = time.monotonic() + busy_seconds
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _begin(connection: Connection) -> None:
    # A deferred transaction that upgrades from reading to writing fails at once while another process writes;
    # one that takes the write lock at the start waits for it.
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

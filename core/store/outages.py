"""Turns a database driver's errors into `StorageUnavailable` if the database as a whole cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from core.errors import StorageUnavailable

BUSY = "another process has locked it"
FULL = "the disk is full"
READ_ONLY = "it is read-only"
UNREACHABLE = "it cannot be reached"

_SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_PROTOCOL: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_IOERR: "its disk reports errors",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_CORRUPT: "its file is damaged",
    sqlite3.SQLITE_NOTADB: "its file is not a database",
}
_SQLSTATES = {"53100": FULL, "25006": READ_ONLY, "55P03": BUSY, "08": UNREACHABLE, "53": "it is overloaded",
              "57": UNREACHABLE, "58": "its server reports errors"}  # fmt: skip
"""PostgreSQL's error codes, or their first two characters (the class)."""


@contextmanager
def storage_errors() -> Iterator[None]:
    """Raises `StorageUnavailable` for errors of the database as a whole; errors of one statement are not changed."""
    try:
        yield
    except (DBAPIError, sqlite3.Error, PoolTimeout, ConnectionError) as error:
        if (reason := _reason(error)) is None:
            raise
        raise StorageUnavailable(reason) from error


def _reason(error: Exception) -> str | None:
    """Why the database cannot be used; None if a single statement was wrong."""
    if isinstance(error, PoolTimeout):
        return "too many requests are waiting for it"
    if isinstance(error, ConnectionError):  # A driver that could not connect.
        return UNREACHABLE
    original: Any = error.orig if isinstance(error, DBAPIError) else error
    if (code := getattr(original, "sqlite_errorcode", None)) is not None:
        return _SQLITE.get(code & 0xFF)
    state = getattr(original, "sqlstate", None) or ""
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return _SQLSTATES.get(state) or _SQLSTATES.get(state[:2]) or (UNREACHABLE if lost else None)

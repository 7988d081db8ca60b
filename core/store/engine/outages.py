"""Turns a database driver's errors into `StorageUnavailable` if the database as a whole cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import DataError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from core.errors import InvalidInput, StorageUnavailable

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
_SQLSTATES = {"53100": FULL, "25006": READ_ONLY, "55P03": BUSY, "57014": "a statement took too long",
              "25P03": UNREACHABLE, "08": UNREACHABLE, "40": BUSY, "53": "it is overloaded", "57": UNREACHABLE,
              "58": "its server reports errors", "XX": "its server reports errors"}  # fmt: skip
"""PostgreSQL's error codes, or their first two characters (the class)."""
_NO_NUL = "cannot contain NUL"
"""How psycopg words its refusal, for which it has no code."""


@contextmanager
def storage_errors() -> Iterator[None]:
    """Raises `StorageUnavailable` for errors of the database as a whole; errors of one statement are not changed.

    Raises `InvalidInput` for a text with a character that PostgreSQL does not store.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error, PoolTimeout, ConnectionError) as error:
        if isinstance(error, DataError) and _NO_NUL in str(error.orig):
            raise InvalidInput("A text holds the character NUL (U+0000), which cannot be stored. Remove it.") from error
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
    if (state := getattr(original, "sqlstate", None)) is not None:
        return _SQLSTATES.get(state) or _SQLSTATES.get(state[:2])
    # An error that PostgreSQL itself did not report is about the connection.
    is_lost = isinstance(error, OperationalError) or getattr(error, "connection_invalidated", False)
    return UNREACHABLE if is_lost else None

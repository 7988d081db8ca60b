"""A SQLite database whose disk is full, or that another process holds: real ones, made to order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.pool import Pool

NO_LIMIT = 2**30


@contextmanager
def full_disk() -> Iterator[None]:
    """No SQLite database of this process can grow meanwhile."""
    limit = 1  # SQLite takes it for the present size.

    def restrict(connection: Any, *_: object) -> None:
        if "sqlite" not in type(connection).__module__ and not isinstance(connection, sqlite3.Connection):
            return
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA max_page_count={limit}")
        cursor.close()

    event.listen(Pool, "checkout", restrict)
    try:
        yield
    finally:
        limit = NO_LIMIT


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another connection keeps the database from being written."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.close()

"""Which database belongs to a home folder of a test: a SQLite file in it, or one of the tests' PostgreSQL server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Executable, create_engine, text

from core.store.engine.urls import parse_url

BLOCKING = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
_urls: dict[Path, str] = {}


def use_database(home: Path, url: str) -> None:
    """From now on the home's database is this one."""
    _urls[home] = url


def url_in(home: Path) -> str | None:
    """The URL that its settings name; none where they name none."""
    return _urls.get(home)


def database_of(home: Path) -> str:
    """The URL of the home's database."""
    return url_in(home) or f"sqlite:///{home / 'edumod.db'}"


def rows(home: Path, statement: str | Executable, **values: object) -> list[tuple[Any, ...]]:
    """The rows of a query to the home's database, or of a statement that gives none."""
    url = parse_url(database_of(home))
    engine = create_engine(url.set(drivername=BLOCKING[url.get_backend_name()]))
    with engine.begin() as connection:
        result = connection.execute(text(statement) if isinstance(statement, str) else statement, values)
        found = [tuple(row) for row in result] if result.returns_rows else []
    engine.dispose()
    return found

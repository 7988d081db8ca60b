"""What a database is and holds, looked up without changing it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.engine import URL

from core.store.engine.database import BUSY_SECONDS, STATEMENT_SECONDS, open_engine, transaction_on
from core.store.engine.postgresql import PostgreSQL
from core.store.engine.schema import HEAD, Schema, SchemaState, demand_unicode, schema_of
from core.store.engine.sqlite import open_read_only
from core.store.engine.urls import display_url, is_file, parse_url
from core.store.processes import count_living
from core.store.tables import CourseRow, DraftRow

KINDS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@dataclass(frozen=True, slots=True)
class Inspection:
    """A database as it was found. `url` is without its password, `kind` a product with its version."""

    url: str
    kind: str
    schema: Schema
    newest: str = HEAD
    courses: int = 0
    drafts: int = 0
    processes: int = 0


def inspect_database(url: str) -> Inspection:
    """Look at a database. Changes nothing, and blocks.

    Raises `SetupError` where it cannot be opened or cannot hold every character.
    """
    read = parse_url(url)
    if is_file(read) and not Path(read.database or "").exists():
        return Inspection(display_url(read), KINDS["sqlite"], Schema(SchemaState.EMPTY))
    with transaction_on(read, _engine(read)) as connection:
        demand_unicode(connection, display_url(read))
        schema = schema_of(connection)
        is_ours = schema.state in (SchemaState.CURRENT, SchemaState.OLDER)
        version = ".".join(map(str, connection.dialect.server_version_info or ()))
        return Inspection(
            url=display_url(read),
            kind=f"{KINDS[connection.dialect.name]} {version}",
            schema=schema,
            courses=_count(connection, CourseRow) if is_ours else 0,
            drafts=_count(connection, DraftRow) if is_ours else 0,
            processes=count_living(connection) if is_ours else 0,
        )


def _count(connection: Connection, row: type[CourseRow | DraftRow]) -> int:
    return int(connection.execute(select(func.count()).select_from(row)).scalar_one())


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return open_read_only(url)
    return open_engine(PostgreSQL(url, BUSY_SECONDS, STATEMENT_SECONDS).open_blocking).execution_options(
        postgresql_readonly=True
    )

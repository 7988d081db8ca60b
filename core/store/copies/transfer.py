"""Backups, and copies of one database in another. These functions block; no event loop is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, inspect, text
from sqlalchemy.engine import URL
from sqlmodel import SQLModel

from core.errors import InvalidInput, SetupError
from core.store.copies.files import read_file, write_file
from core.store.copies.rows import FORMAT, VERSION, Record, count_rows, read_rows, write_rows
from core.store.engine.database import backend_of, open_engine, transaction_on
from core.store.engine.postgresql import lock, take_time
from core.store.engine.schema import (
    HEAD,
    MIGRATION_LOCK,
    SchemaState,
    demand_unicode,
    migrate,
    refuse_others,
    schema_of,
)
from core.store.engine.urls import display_url, is_file, parse_url
from core.store.processes import count_living

Counts = dict[str, int]
"""Rows of each table."""


def back_up(url: str, path: Path) -> Counts:
    """Write everything in a database to a new file. Others may go on working with the database, of which one moment
    is written.

    Raises `SetupError` where there is no database of ours, and `InvalidInput` where the file cannot be written.
    """
    counts: Counts = {}
    with _source(parse_url(url)) as records:
        write_file(path, _note_counts(records, counts))
    return counts


def restore(url: str, path: Path, *, replace: bool = False) -> Counts:
    """Fill a database from a backup, and bring its schema up to date: all of it in one transaction.

    With `replace`, what the database holds is deleted. Raises `InvalidInput` where it holds something and may not be
    replaced, where processes use it, and where the file is no backup.
    """
    return _fill(parse_url(url), read_file(path), replace=replace)


def copy(source: str, target: str, *, replace: bool = False) -> Counts:
    """Fill a database from another one, of the same kind or not. Raises what `back_up` and `restore` do."""
    if (origin := parse_url(source)) == (goal := parse_url(target)):
        raise InvalidInput("Source and target are the same database. Name another one.")
    with _source(origin) as records:
        return _fill(goal, records, replace=replace)


@contextmanager
def _source(url: URL) -> Iterator[Iterator[Record]]:
    """The records of one moment of a database."""
    if is_file(url) and not Path(url.database or "").is_file():
        raise SetupError(f"There is no database {display_url(url)}. Check EDUMOD_DATABASE_URL or EDUMOD_HOME.")
    with transaction_on(url, _engine(url, is_read=True)) as connection:
        take_time(connection)
        schema = schema_of(connection)
        refuse_others(schema, display_url(url))
        if schema.revision is None:
            raise SetupError(f"The database {display_url(url)} is empty.")
        yield read_rows(connection, schema.revision)


def _fill(url: URL, records: Iterator[Record], *, replace: bool) -> Counts:
    head = next(records, None)
    schema = _schema_of_backup(head)
    with transaction_on(url, _engine(url, is_read=False)) as connection:
        take_time(connection)
        lock(connection, MIGRATION_LOCK)
        _make_room(connection, display_url(url), replace=replace)
        migrate(connection, schema)
        counts = write_rows(connection, records)
        migrate(connection, "head")
    return counts


def _schema_of_backup(head: Record | None) -> str:
    """The schema of the rows. Raises `InvalidInput` where this version cannot read them."""
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InvalidInput("The file is not a backup of EduMod. Name one that `edumod backup` wrote.")
    version, schema = head.get("version"), str(head.get("schema"))
    if version != VERSION or not schema.isdigit() or schema > HEAD:
        raise InvalidInput(
            f"The backup was written by a newer version of EduMod (format {version}, schema {schema}); this one reads "
            f"format {VERSION} and schemas up to {HEAD}. Install the newest version."
        )
    return schema


def _make_room(connection: Connection, where: str, *, replace: bool) -> None:
    """Delete our tables, which hold nothing or may be replaced."""
    schema = schema_of(connection)
    refuse_others(schema, where)
    demand_unicode(connection, where)
    if schema.state is SchemaState.EMPTY:
        return
    if number := count_living(connection):
        raise InvalidInput(
            f"{number} process(es) of EduMod use the database {where}, or did up to 20 seconds ago. Stop them first."
        )
    if not replace and (rows := sum(count_rows(connection).values())):
        raise InvalidInput(
            f"The database {where} holds {rows} rows. Name an empty one, or let them be deleted with --replace."
        )
    _drop_tables(connection)


def _drop_tables(connection: Connection) -> None:
    # Derived from other tables, and made again where it is needed.
    connection.execute(text("DROP TABLE IF EXISTS chunk_vector"))
    ours = MetaData()
    ours.reflect(connection, only=sorted({*SQLModel.metadata.tables} & {*inspect(connection).get_table_names()}))
    ours.drop_all(connection)
    connection.execute(text("DROP TABLE alembic_version"))


def _engine(url: URL, *, is_read: bool) -> Engine:
    """An engine whose transactions see one moment of the database if they only read."""
    engine = open_engine(backend_of(url).open_blocking)
    if engine is None:
        raise SetupError(f"{display_url(url)} names no file.")
    is_sqlite = url.get_backend_name() == "sqlite"
    one_moment = {} if is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    return engine.execution_options(**(one_moment if is_read else {"write": True}))


def _note_counts(records: Iterator[Record], counts: Counts) -> Iterator[Record]:
    """The records; the counts at their end are noted."""
    for record in records:
        if isinstance(record, dict) and "rows" in record:
            counts.update(record["rows"])
        yield record

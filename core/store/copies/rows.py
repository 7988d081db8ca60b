"""All rows of a database as a stream of JSON values that fits into either kind of database.

    {"format": "edumod-backup", "version": 1, "schema": "0004", "written_at": "2026-03-01T12:00:00+00:00"}
    {"table": "course", "columns": ["id", "config", "revision"]}
    ["ds101", "{\\"id\\": \\"ds101\\"}", 3]
    ...
    {"rows": {"course": 1, ...}}

Tables come before those that refer to them. A JSON column is the text that was stored, a moment is in UTC (ISO 8601),
bytes are Base64. No process of the copy is running, and nobody has signed in there, so the tables that say so are
left out, as is what signs cookies.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    DateTime,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    cast,
    func,
    inspect,
    select,
)
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.types import UserDefinedType
from sqlmodel import SQLModel

from core.errors import InvalidInput
from core.store.engine.order import by_code_point
from core.store.tables import now
from core.store.texts import storable

FORMAT, VERSION = "edumod-backup", 1
NOT_COPIED = (
    "process", "sign_in_link", "session", "secret", "quota_reservation", "presence", "cell_claim",
    "lti_nonce",
)  # fmt: skip
ROWS_READ = 50
"""Rows that are fetched at once: a node or a trace may have megabytes."""
BATCH_ROWS, BATCH_CHARS = 1_000, 4 * 2**20
"""When rows that were read are inserted: after so many, or so many characters of texts."""
ORDER = {"node": ("document_id", "ordinal")}
"""Order of tables whose rows refer to rows of their own: parents come first."""

Record = dict[str, Any] | list[Any]


class _StoredJSON(UserDefinedType[str]):
    """JSON as the text that it is stored as, so that no number or order changes on the way."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "JSON"


def tables_in(connection: Connection) -> list[Table]:
    """EduMod's tables in a database, those first that others refer to. Read from the database itself, whose schema may
    be an earlier one."""
    known = {*SQLModel.metadata.tables} - {*NOT_COPIED}
    metadata = MetaData()
    metadata.reflect(connection, only=sorted(known & {*inspect(connection).get_table_names()}))
    for table in metadata.tables.values():
        for column in table.columns:
            if isinstance(column.type, JSON):
                column.type = _StoredJSON()
    return metadata.sorted_tables


def count_rows(connection: Connection) -> dict[str, int]:
    """The number of rows of each table."""
    return {
        table.name: int(connection.execute(select(func.count()).select_from(table)).scalar_one())
        for table in tables_in(connection)
    }


def read_rows(connection: Connection, schema: str) -> Iterator[Record]:
    """Everything in the database, in a transaction that sees one state of it."""
    yield {"format": FORMAT, "version": VERSION, "schema": schema, "written_at": now().isoformat(timespec="seconds")}
    counts: dict[str, int] = {}
    for table in tables_in(connection):
        yield {"table": table.name, "columns": [column.name for column in table.columns]}
        counts[table.name] = 0
        for row in connection.execute(_query(table), execution_options={"yield_per": ROWS_READ}):
            counts[table.name] += 1
            yield [_encode(value) for value in row]
    yield {"rows": counts}


def _query(table: Table) -> Any:
    columns = [
        cast(column, Text).label(column.name) if isinstance(column.type, _StoredJSON) else column
        for column in table.columns
    ]
    keys = [table.c[name] for name in ORDER.get(table.name, ())] or list(table.primary_key)
    return select(*columns).order_by(*(by_code_point(key) if isinstance(key.type, String) else key for key in keys))


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return base64.b64encode(value).decode() if isinstance(value, bytes | memoryview) else value


def write_rows(connection: Connection, records: Iterable[Record]) -> dict[str, int]:
    """Insert the records after the first into a database without rows, whose schema is the one that the first names;
    the number of rows of each table.

    Raises `InvalidInput` where they are not what `read_rows` gives, or end too early.
    """
    writer = _Writer(connection)
    for record in records:
        if isinstance(record, list):
            writer.add(record)
        elif "rows" in record:
            writer.end(record["rows"])
            return writer.counts
        else:
            writer.begin(record)
    raise InvalidInput("The backup is cut off: its end is missing.")


class _Writer:
    """Inserts rows of one table after another, many at a time."""

    def __init__(self, connection: Connection) -> None:
        self.counts: dict[str, int] = {}
        self._connection = connection
        self._tables = {table.name: table for table in tables_in(connection)}
        self._table: Table | None = None
        self._columns: Sequence[Column[Any]] = ()
        self._batch: list[dict[str, Any]] = []
        self._chars = 0

    def begin(self, head: dict[str, Any]) -> None:
        self._flush()
        self._table = self._tables.get(str(head.get("table")))
        if self._table is None or self._table.name in self.counts:
            raise InvalidInput(
                f"The backup is damaged: {head.get('table')!r} is no table of its schema, or is there twice."
            )
        names = head.get("columns")
        if names != [column.name for column in self._table.columns]:
            raise InvalidInput(f"The backup is damaged: the columns of {self._table.name} are not those of its schema.")
        self._columns = list(self._table.columns)
        self.counts[self._table.name] = 0

    def add(self, row: list[Any]) -> None:
        if self._table is None or len(row) != len(self._columns):
            raise InvalidInput("The backup is damaged: a row does not fit its table.")
        self._batch.append(self._decode_row(row))
        self._chars += sum(len(value) for value in row if isinstance(value, str))
        if len(self._batch) >= BATCH_ROWS or self._chars >= BATCH_CHARS:
            self._flush()

    def end(self, counts: object) -> None:
        self._flush()
        if counts != self.counts:
            raise InvalidInput("The backup is damaged: it lacks rows.")

    def _decode_row(self, row: list[Any]) -> dict[str, Any]:
        try:
            values = {
                column.name: None if value is None else _decode(column, value)
                for column, value in zip(self._columns, row, strict=True)
            }
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"The backup is damaged: a row of {self._columns[0].table} cannot be read.") from error
        return storable(values)

    def _flush(self) -> None:
        if self._table is None or not self._batch:
            return
        try:
            self._connection.execute(self._table.insert(), self._batch)
        except (DataError, IntegrityError) as error:
            raise InvalidInput(f"A row of {self._table.name} cannot be stored: {error.orig}") from error
        self.counts[self._table.name] += len(self._batch)
        self._batch, self._chars = [], 0


def _decode(column: Column[Any], value: Any) -> Any:
    if isinstance(column.type, DateTime):
        return _moment(value, is_aware=column.type.timezone)
    return base64.b64decode(value, validate=True) if isinstance(column.type, LargeBinary) else value


def _moment(text: str, *, is_aware: bool) -> datetime:
    """SQLite's moments are without a time zone, in UTC."""
    moment = datetime.fromisoformat(text).astimezone(UTC)
    return moment if is_aware else moment.replace(tzinfo=None)

"""Columns that several tables have."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, ForeignKey, Table, Text, TypeDecorator
from sqlmodel import SQLModel


class UTCDateTime(TypeDecorator[datetime]):
    """A time in UTC. SQLite drops time zones and PostgreSQL uses the session's; this restores UTC and refuses values
    without a time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"A moment without a time zone cannot be stored: {value!r}")
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def now() -> datetime:
    """The current moment in UTC."""
    return datetime.now(UTC)


def owner(target: str, *, nullable: bool = False, is_key: bool = False, is_indexed: bool = True) -> Any:
    """A column that refers to the row which this one belongs to, and is deleted with; with `is_key` part of the primary
    key. Without an index of its own where it begins another."""
    reference = ForeignKey(target, ondelete="CASCADE")
    return (
        Column(Text, reference, primary_key=True)
        if is_key
        else Column(Text, reference, nullable=nullable, index=is_indexed)
    )


def json_or_null() -> Any:
    """A column of JSON whose None is NULL, not JSON's `null`."""
    return Column(JSON(none_as_null=True), nullable=True)


def table_of(row: type[SQLModel]) -> Table:
    """The table of a row's class, with typed columns in `c`."""
    return row.metadata.tables[str(row.__tablename__)]

"""Columns that several tables have."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, DateTime, Dialect, ForeignKey, Text, TypeDecorator


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


def owner(target: str, *, nullable: bool = False) -> Any:
    """A column that refers to the row which this one belongs to, and is deleted with."""
    return Column(Text, ForeignKey(target, ondelete="CASCADE"), nullable=nullable, index=True)

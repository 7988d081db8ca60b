"""`INSERT ... ON CONFLICT`, which SQLAlchemy has per database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect

Insert = sqlite.Insert | postgresql.Insert


def insert(dialect: Dialect, table: Table) -> Insert:
    """An insert with `on_conflict_do_nothing` and `on_conflict_do_update`."""
    return postgresql.insert(table) if dialect.name == "postgresql" else sqlite.insert(table)


def upsert(
    dialect: Dialect,
    table: Table,
    row: Mapping[str, Any],
    changed: Mapping[str, Any],
    where: ColumnElement[bool] | None = None,
) -> Insert:
    """Insert the row, or let `changed` hold for the one with the same primary key, if `where` does."""
    new = insert(dialect, table).values(row)
    return new.on_conflict_do_update(index_elements=table.primary_key, set_=changed, where=where)

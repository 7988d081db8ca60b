"""`INSERT ... ON CONFLICT`, which SQLAlchemy has per database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite


def insert(connection: Connection, table: Any) -> sqlite.Insert | postgresql.Insert:
    """An insert with `on_conflict_do_nothing` and `on_conflict_do_update`, in the connection's dialect."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)

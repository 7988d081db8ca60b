"""`INSERT ... ON CONFLICT`, which SQLAlchemy has per database."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite


def insert(dialect: str, table: Any) -> sqlite.Insert | postgresql.Insert:
    """An insert with `on_conflict_do_nothing` and `on_conflict_do_update`, in the dialect of that name."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)

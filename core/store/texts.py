"""Texts that every database can store."""

from __future__ import annotations

from typing import Any

NUL, STAND_IN = "\0", "\N{REPLACEMENT CHARACTER}"


def storable(row: dict[str, Any]) -> dict[str, Any]:
    """The row with a stand-in of the same length for each NUL of its texts, which PostgreSQL does not store."""
    return {
        name: value.replace(NUL, STAND_IN) if isinstance(value, str) and NUL in value else value
        for name, value in row.items()
    }

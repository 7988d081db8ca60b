"""Values as prompts show them. A value is text: nothing in it, or in a placeholder, is ever evaluated."""

from __future__ import annotations

from typing import Any


def as_text(value: Any) -> str:
    """A value as a prompt shows it: true, false and null as YAML writes them, null as nothing."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)

"""Who may read a file."""

from __future__ import annotations

from pathlib import Path


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777

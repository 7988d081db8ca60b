"""Fixtures of the tests of evaluation."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.store.store import Store


@pytest.fixture
async def store(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Store]:
    """A store in `tmp_path` without rows."""
    shutil.copyfile(sqlite_template, tmp_path / "edumod.db")
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    yield store
    await store.aclose()

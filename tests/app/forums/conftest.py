from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.store.store import Store
from tests.doubles.storm import open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await open_store(tmp_path)
    yield store
    await store.aclose()

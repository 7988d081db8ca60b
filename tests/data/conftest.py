"""The courses of this repository, each ingested once for all tests of its labels."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache

import pytest

from core.store.material import StoredBlock
from tests.data.material import DATA, ingested

BlocksOf = Callable[[str], list[StoredBlock]]


@pytest.fixture(scope="session")
def blocks_of(tmp_path_factory: pytest.TempPathFactory) -> BlocksOf:
    """Gives a course's blocks by the name of its folder."""

    @cache
    def blocks(course: str) -> list[StoredBlock]:
        return asyncio.run(ingested(DATA / course, tmp_path_factory.mktemp(course)))

    return blocks

"""A store, a shelf to put documents on, and the indexes over them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.store.store import Store
from retrievers.embedding.minilm import MiniLM
from retrievers.index.indexes import Indexes
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Shelf


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema in it; copying it is quicker than migrating."""
    path = tmp_path_factory.mktemp("database") / "empty.db"

    async def create() -> None:
        await (await Store.open(f"sqlite+aiosqlite:///{path}")).aclose()

    asyncio.run(create())
    return path


@pytest.fixture
async def store(empty_database: Path, tmp_path: Path) -> AsyncIterator[Store]:
    path = shutil.copy(empty_database, tmp_path / "edumod.db")
    store = await Store.open(f"sqlite+aiosqlite:///{path}")
    yield store
    await store.aclose()


@pytest.fixture
def shelf(store: Store) -> Shelf:
    return Shelf(store, FakeEmbedder())


@pytest.fixture
def indexes(store: Store, tmp_path: Path) -> Indexes:
    return Indexes(store, fake_embeddings(), tmp_path / "index")


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM()

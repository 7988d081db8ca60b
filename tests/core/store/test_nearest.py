"""Vectors that are compared in PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from app.wiring import nearest_of
from core.errors import SetupError
from core.settings import Settings
from core.store.store import Store
from core.types import Source
from retrievers import RETRIEVERS, retriever_class
from retrievers.index.course_index import SAMPLES
from retrievers.index.indexes import Indexes
from retrievers.index.semantic_database import DatabaseIndex
from retrievers.passages import to_passage
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Shelf
from tests.servers.postgresql import PostgreSQLServer

WORDS = ("mean", "median", "histogram", "table", "column", "row", "join", "merge", "missing", "value", "group", "plot")
TEXTS = [
    f"Text {n} explains the {WORDS[n % 12]} and the {WORDS[n * 5 % 12]} of a {WORDS[n * 7 % 12]}." for n in range(60)
]
QUERIES = ("how do I plot a histogram", "missing value in a column", "join and merge of a table", "median of a group")
MODEL = FakeEmbedder().embedding.id


@pytest.fixture
async def store(postgresql_url: str) -> AsyncIterator[Store]:
    opened = await Store.open(postgresql_url)
    assert await opened.nearest.prepare() is None
    yield opened
    await opened.aclose()


@pytest.fixture
async def course(store: Store) -> Shelf:
    shelf = Shelf(store, FakeEmbedder())
    await shelf.add("ds", "book", TEXTS[:40])
    await shelf.add("ds", "homework", TEXTS[40:], source=Source.ASSIGNMENT)
    return shelf


def in_database(store: Store, folder: Path) -> Indexes:
    return Indexes(store, fake_embeddings(), folder / "database", nearest=store.nearest)


async def ranking(indexes: Indexes, retriever: str, query: str, source: Source | None) -> list[tuple[str, float]]:
    index = await indexes.get("ds", source)
    nodes = await retriever_class(retriever)(index, top_k=10).aretrieve(query)
    return [(passage.block_id, round(passage.score, 2)) for passage in map(to_passage, nodes)]


@pytest.mark.parametrize("retriever", [spec.name for spec in RETRIEVERS if spec.name in ("bm25", "vector", "hybrid")])
@pytest.mark.parametrize("source", [None, Source.TEXTBOOK])
async def test_rankings_are_those_of_vectors_in_memory(
    course: Shelf, store: Store, tmp_path: Path, retriever: str, source: Source | None
) -> None:
    in_memory = Indexes(store, fake_embeddings(), tmp_path / "memory")
    for query in QUERIES:
        expected = await ranking(in_memory, retriever, query, source)
        assert await ranking(in_database(store, tmp_path), retriever, query, source) == expected


async def test_no_vector_is_kept_in_memory_but_those_of_samples(course: Shelf, store: Store, tmp_path: Path) -> None:
    index = await in_database(store, tmp_path).get("ds")
    assert isinstance(index._semantic, DatabaseIndex)
    assert len(index.samples(SAMPLES)) == SAMPLES
    np.testing.assert_allclose(
        index.samples(SAMPLES)[0][1], FakeEmbedder().embed([index.passages[0].text])[0], atol=1e-3
    )


async def test_an_index_of_earlier_material_gives_no_passage_that_is_gone(
    course: Shelf, store: Store, tmp_path: Path
) -> None:
    index = await in_database(store, tmp_path).get("ds")
    await course.add("ds", "book", ["A histogram is something else now."])
    vector = FakeEmbedder().embed([QUERIES[0]])[0]
    assert isinstance(index._semantic, DatabaseIndex)
    near = index._semantic.near(vector, 10)
    assert {index.passages[at].document for at in near.positions.tolist()} == {"homework"}


async def test_a_graph_finds_what_comparing_all_finds(course: Shelf, store: Store) -> None:
    nearest, dimension = store.nearest, FakeEmbedder().dimension
    vector = FakeEmbedder().embed([QUERIES[0]])[0]
    assert not await nearest.index_course("ds", MODEL, dimension)
    exact = await asyncio.to_thread(nearest.nearest, "ds", MODEL, None, vector, 5)
    assert await nearest.index_course("ds", MODEL, dimension, smallest=10)
    assert (await nearest.rows("ds", MODEL, None)).has_graph
    by_graph = await asyncio.to_thread(nearest.nearest, "ds", MODEL, None, vector, 5)
    assert [score for _, score in by_graph] == pytest.approx([score for _, score in exact], abs=1e-3)
    assert await nearest.index_course("ds", MODEL, dimension, smallest=10)
    assert await nearest.graph_recall("ds", MODEL) == pytest.approx(1.0, abs=0.05)
    assert await nearest.graph_recall("other", MODEL) is None


async def test_the_graph_is_used_by_the_index_of_its_course(course: Shelf, store: Store, tmp_path: Path) -> None:
    exact = await ranking(in_database(store, tmp_path), "vector", QUERIES[0], Source.TEXTBOOK)
    await store.nearest.index_course("ds", MODEL, FakeEmbedder().dimension, smallest=10)
    assert await ranking(in_database(store, tmp_path), "vector", QUERIES[0], Source.TEXTBOOK) == exact


async def test_vectors_of_an_older_process_are_added_when_the_course_is_searched(course: Shelf, store: Store) -> None:
    assert len((await store.nearest.rows("ds", MODEL, None)).block_ids) == 60
    await course.add("ds", "more", ["One more."])
    both = await asyncio.gather(*(store.nearest.rows("ds", MODEL, None) for _ in range(4)))
    assert [len(rows.block_ids) for rows in both] == [61] * 4


async def test_a_server_without_the_extension_is_used_as_before_or_refused(
    store: Store, postgresql: PostgreSQLServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Lacking(type(store.nearest)):  # type: ignore[misc]
        async def prepare(self) -> str | None:
            return "the server lacks the extension vector (pgvector)"

    object.__setattr__(store, "nearest", Lacking(store.database))
    assert await nearest_of(store, Settings(vectors="auto")) is None
    assert "lacks the extension" in caplog.text
    assert await nearest_of(store, Settings(vectors="memory")) is None
    with pytest.raises(SetupError, match="EDUMOD_VECTORS is pgvector, but the server lacks"):
        await nearest_of(store, Settings(vectors="pgvector"))


async def test_sqlite_compares_in_memory(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'edumod.db'}")
    assert await nearest_of(store, Settings(vectors="auto")) is None
    with pytest.raises(SetupError, match="SQLite has no vectors"):
        await nearest_of(store, Settings(vectors="pgvector"))
    await store.aclose()

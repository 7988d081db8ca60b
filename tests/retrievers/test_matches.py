"""The match of passages whose retriever told none."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ForeignVectors
from core.store.store import Store
from core.types import Source
from retrievers.bm25 import Bm25
from retrievers.hybrid import Hybrid
from retrievers.index.course_index import CourseIndex
from retrievers.index.indexes import Indexes
from retrievers.matches import Matches
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Block, Shelf

QUERY = "How does a lens bend light?"


@pytest.fixture
async def indexes(store: Store, tmp_path: Path) -> Indexes:
    shelf = Shelf(store, FakeEmbedder())
    await shelf.add("ds", "book.md", [Block("A lens bends light."), Block("A mirror bends nothing.")])
    return Indexes(store, fake_embeddings(), tmp_path)


async def test_what_bm25_found_matches_as_hybrid_says(indexes: Indexes) -> None:
    index = await indexes.get("ds", Source.TEXTBOOK)
    found = await Bm25(index, top_k=2).search(QUERY)
    assert found
    assert all(one.match is None for one in found)
    by_both = {one.block_id: one.match for one in await Hybrid(index, top_k=2).search(QUERY)}
    matched = await Matches(indexes).of("ds", QUERY, found)
    assert matched == {one.block_id: by_both[one.block_id] for one in found}


async def test_a_match_that_is_known_is_not_looked_for(indexes: Indexes) -> None:
    found = await Hybrid(await indexes.get("ds", Source.TEXTBOOK), top_k=2).search("A mirror")
    assert await Matches(indexes).of("ds", QUERY, found) == {}


async def test_a_course_that_cannot_be_searched_by_meaning_has_none(
    indexes: Indexes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_args: object, **_named: object) -> None:
        raise ForeignVectors("The vectors are another embedding's.")

    found = await Bm25(await indexes.get("ds", Source.TEXTBOOK), top_k=2).search(QUERY)
    monkeypatch.setattr(CourseIndex, "evidence", refuse)
    assert await Matches(indexes).of("ds", QUERY, found) == {}

"""How rare words are in a course."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UnknownName
from core.store.store import Store
from core.types import Source
from retrievers.index.indexes import Indexes
from retrievers.rarity import Rarities, rarity
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Block, Shelf


@given(st.integers(1, 10_000), st.data())
def test_rarity_is_a_share_that_falls_with_the_number_of_passages(passages: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, passages))
    assert 0 < rarity(count, passages) < rarity(count - 1, passages) <= 1
    assert rarity(0, passages) == 1


async def test_a_word_is_counted_in_all_kinds_of_material(store: Store, tmp_path: Path) -> None:
    shelf = Shelf(store, FakeEmbedder())
    await shelf.add("ds", "book.md", [Block("A lens bends light."), Block("A mirror bends nothing.")])
    await shelf.add("ds", "rules.md", [Block("No light in the lab.")], source=Source.LOGISTICS)
    found = await Rarities(Indexes(store, fake_embeddings(), tmp_path)).of("ds", ["light", "mirror", "prism"])
    assert found == {"light": rarity(2, 3), "mirror": rarity(1, 3), "prism": 1.0}


async def test_an_unknown_course_is_an_error(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        await Rarities(Indexes(store, fake_embeddings(), tmp_path)).of("none", ["light"])

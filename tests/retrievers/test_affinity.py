"""How near a question is to each kind of a course's material."""

from __future__ import annotations

import pytest

from core.errors import UnknownName
from core.types import Source
from retrievers.affinity import Affinity, affinities
from retrievers.index import Indexes
from tests.retrievers.shelf import Shelf


async def test_the_kind_that_has_the_words_is_the_nearest(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("ds", "book", ["The median is robust.", "A mean is not."])
    await shelf.add("ds", "syllabus", ["Homework is due on Friday."], source=Source.LOGISTICS)
    found = await affinities(indexes, "ds", "when is homework due", "when is homework due")
    by_words = {source: one.words for source, one in found.sources.items()}
    by_meaning = {source: one.meaning for source, one in found.sources.items()}
    assert max(by_words, key=by_words.__getitem__) is Source.LOGISTICS
    assert max(by_meaning, key=by_meaning.__getitem__) is Source.LOGISTICS
    assert found.sources[Source.LOGISTICS].words > found.sources[Source.LOGISTICS].words_mean > 0


async def test_a_kind_without_documents_is_far(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("ds", "book", ["The median is robust."])
    found = await affinities(indexes, "ds", "median", "median")
    assert found.sources[Source.QA] == Affinity()


async def test_a_course_that_does_not_exist_is_named(indexes: Indexes) -> None:
    with pytest.raises(UnknownName, match="nowhere"):
        await affinities(indexes, "nowhere", "x", "x")

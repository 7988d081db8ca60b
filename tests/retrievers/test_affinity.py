"""How near a question is to each kind of a course's material."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from core.errors import UnknownName
from core.types import Source
from retrievers.affinity import MEASURES, Affinities
from retrievers.index.course_index import CourseIndex
from retrievers.index.indexes import Indexes
from tests.retrievers.shelf import Block, Shelf

BOOK = ["The median is robust to outliers.", "A mean is not robust.", "A histogram shows a distribution."]
SYLLABUS = ["Homework is due on Friday.", "The exam is in room two.", "Office hours are on Monday."]


async def nearest(affinities: Affinities, text: str) -> list[Source]:
    """By each measure, the kind of material that is nearest."""
    held = await affinities.measure("ds", text, [text])
    return [list(Source)[position] for position in held.nearness.argmax(axis=1)]


@pytest.fixture
async def affinities(shelf: Shelf, indexes: Indexes) -> Affinities:
    await shelf.add("ds", "book", BOOK)
    await shelf.add("ds", "syllabus", SYLLABUS, source=Source.LOGISTICS)
    return Affinities(indexes)


async def test_the_kind_that_has_the_words_is_the_nearest(affinities: Affinities) -> None:
    assert await nearest(affinities, "when is homework due") == [Source.LOGISTICS] * len(MEASURES)
    assert await nearest(affinities, "is the median robust") == [Source.TEXTBOOK] * len(MEASURES)


async def test_the_vectors_of_the_texts_come_along(affinities: Affinities) -> None:
    held = await affinities.measure("ds", "due", ["when is it due", "thanks"])
    assert np.array_equal(held.vectors, await affinities.embed(["when is it due", "thanks"]))


async def test_a_long_book_is_not_near_just_because_it_is_long(shelf: Shelf, affinities: Affinities) -> None:
    short = (await affinities.measure("ds", "due robust", ["due robust"])).nearness
    await shelf.add("ds", "long", [f"Chapter {n} says that the mean is due to robust data." for n in range(60)])
    long = (await affinities.measure("ds", "due robust", ["due robust"])).nearness
    position = list(Source).index(Source.TEXTBOOK)
    assert long[:, position].max() < short[:, position].max() + 1


async def test_material_that_changed_is_measured_again(shelf: Shelf, affinities: Affinities) -> None:
    assert await nearest(affinities, "KeyError in cell four") != [Source.QA] * len(MEASURES)
    threads = ["KeyError in cell four, anyone?", "The hub is down today.", "Is there a typo?"]
    await shelf.add("ds", "threads", threads, source=Source.QA)
    assert await nearest(affinities, "KeyError in cell four") == [Source.QA] * len(MEASURES)


async def test_a_course_without_material_is_near_to_nothing(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("empty", "book", [])
    held = await Affinities(indexes).measure("empty", "anything", ["anything"])
    assert not held.nearness.any()


async def test_a_course_that_does_not_exist_is_named(indexes: Indexes) -> None:
    with pytest.raises(UnknownName, match="nowhere"):
        await Affinities(indexes).measure("nowhere", "x", ["x"])


async def test_a_place_that_the_question_names_is_told_of_its_kind(shelf: Shelf, affinities: Affinities) -> None:
    await shelf.add("ds", "hw3.md", [Block("Plot it.", label="2")], source=Source.ASSIGNMENT)
    held = await affinities.measure("ds", "hw3 question 2", ["hw3 question 2"])
    assert held.named == {**dict.fromkeys(Source, 0.0), Source.ASSIGNMENT: 1.0}


class CountedIndex:
    """An index that counts how often its passages are sampled for a background."""

    def __init__(self, index: CourseIndex) -> None:
        self._index = index
        self.sampled = 0

    def samples(self, count: int) -> Any:
        self.sampled += 1
        return self._index.samples(count)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


class CountedIndexes:
    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes
        self.counted: dict[Source, CountedIndex] = {}

    async def get(self, course_id: str, source: Source) -> CountedIndex:
        index = await self._indexes.get(course_id, source)
        return self.counted.setdefault(source, CountedIndex(index))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._indexes, name)


async def test_the_background_of_a_course_is_measured_once_for_questions_that_come_together(
    affinities: Affinities, indexes: Indexes
) -> None:
    counting: Any = CountedIndexes(indexes)
    together = Affinities(counting)
    found = await asyncio.gather(*(together.measure("ds", "when is homework due", ["due"]) for _ in range(8)))
    assert {source: index.sampled for source, index in counting.counted.items()} == dict.fromkeys(Source, 1)
    assert all(np.array_equal(one.nearness, found[0].nearness) for one in found)


async def test_the_text_of_the_task_that_is_named_comes_along(shelf: Shelf, indexes: Indexes) -> None:
    tasks = [Block("Find the mean.", label="2a"), Block("Find the variance.", label="2b")]
    await shelf.add("ds", "Homework 3", tasks, source=Source.ASSIGNMENT)
    affinities = Affinities(indexes)
    assert (await affinities.measure("ds", "hw3 2b", ["hw3 2b"])).task == "Find the variance."
    assert not (await affinities.measure("ds", "the variance", ["the variance"])).task

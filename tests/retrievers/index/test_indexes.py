from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.errors import ForeignVectors, UnknownName
from core.store.courses import Courses
from core.store.material import Material, StoredBlock, StoredVector
from core.store.store import Store
from core.types import Audience, Source, Visibility
from ingestion.reembedding import Reembedding
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.encoder import LocalEncoder
from retrievers.index.course_index import CourseIndex
from retrievers.index.indexes import Indexes
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Block, Shelf


class Watched(Material):
    """Counts what is read, and may be held up or interrupted while it reads."""

    blocks_read = 0
    vectors_read = 0
    gate: asyncio.Event | None = None

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self.reading = asyncio.Event()

    async def blocks(self, course_id: str, source: Source | None, at: datetime) -> list[StoredBlock]:
        self.blocks_read += 1
        self.reading.set()
        if self.gate is not None:
            await self.gate.wait()
        return await super().blocks(course_id, source, at)

    async def vectors(self, course_id: str, source: Source | None, at: datetime, model: str) -> list[StoredVector]:
        self.vectors_read += 1
        return await super().vectors(course_id, source, at, model)


@pytest.fixture
def material(store: Store) -> Watched:
    return Watched(store.database)


@pytest.fixture
def indexes(store: Store, material: Watched, tmp_path: Path) -> Indexes:
    return Indexes(replace(store, material=material), fake_embeddings(), tmp_path / "index")


@pytest.fixture
async def book(shelf: Shelf) -> Shelf:
    await shelf.add("ds", "book", [f"Text number {n} about topic{n}." for n in range(20)])
    return shelf


def again(indexes: Indexes) -> Indexes:
    """The same folder and store in a new process, so to speak."""
    return Indexes(indexes._store, fake_embeddings(), indexes._folder)


async def texts(index: CourseIndex, query: str) -> list[str]:
    return [index.passages[position].text for position, _ in await index.semantic(query, 3)]


async def test_an_unknown_course_is_named(indexes: Indexes) -> None:
    with pytest.raises(UnknownName, match="nowhere"):
        await indexes.get("nowhere")


async def test_concurrent_requests_for_an_index_are_coalesced(book: Shelf, indexes: Indexes, material: Watched) -> None:
    found = await asyncio.gather(*(indexes.get("ds") for _ in range(10)))
    assert len({id(index) for index in found}) == 1
    assert await indexes.get("ds") is found[0]
    assert material.blocks_read == 1


async def test_a_cancelled_caller_does_not_cancel_the_index_for_others(
    book: Shelf, indexes: Indexes, material: Watched
) -> None:
    material.gate = asyncio.Event()
    first, second = asyncio.create_task(indexes.get("ds")), asyncio.create_task(indexes.get("ds"))
    await material.reading.wait()
    first.cancel()
    material.gate.set()
    assert len((await second).passages) == 20
    assert first.cancelled() or first.cancelling()


async def test_changed_material_is_seen_by_the_next_search(book: Shelf, indexes: Indexes) -> None:
    before = await indexes.get("ds")
    await book.add("ds", "book", ["Entirely different."])
    after = await indexes.get("ds")
    assert [passage.text for passage in after.passages] == ["Entirely different."]
    assert len(before.passages) == 20


async def test_a_slow_load_of_an_old_revision_does_not_replace_a_newer_one(
    book: Shelf, indexes: Indexes, material: Watched
) -> None:
    gate = material.gate = asyncio.Event()
    slow = asyncio.create_task(indexes.get("ds"))
    await material.reading.wait()
    await book.add("ds", "more", ["More."])
    material.gate = None
    newer = await indexes.get("ds")
    gate.set()
    await slow
    assert await indexes.get("ds") is newer
    assert len(newer.passages) == 21


async def test_material_that_changes_between_two_reads_is_read_again(book: Shelf, store: Store, tmp_path: Path) -> None:
    class Ingesting(Watched):
        async def vectors(self, *query: object, **more: object) -> list[StoredVector]:
            if not self.vectors_read:
                await self.remove("ds", [block.passage.document_id for block in await self.blocks(*query[:3])])  # type: ignore[arg-type]
                await book.add("ds", "new", ["New."])
            return await super().vectors(*query, **more)  # type: ignore[arg-type]

    indexes = Indexes(replace(store, material=Ingesting(store.database)), fake_embeddings(), tmp_path / "index")
    assert [passage.text for passage in (await indexes.get("ds")).passages] == ["New."]
    assert [passage.text for passage in (await again(indexes).get("ds")).passages] == ["New."]


async def test_the_least_recently_used_index_leaves_first(
    shelf: Shelf, store: Store, material: Watched, tmp_path: Path
) -> None:
    indexes = Indexes(replace(store, material=material), fake_embeddings(), tmp_path / "index", capacity=2)
    for course_id in "abc":
        await shelf.add(course_id, "book", ["Text."])
    for course_id in ("a", "b", "a", "c", "a"):
        await indexes.get(course_id)
    assert material.blocks_read == 3
    await indexes.get("b")
    assert material.blocks_read == 4


async def test_an_index_ends_with_the_next_release(store: Store, shelf: Shelf, tmp_path: Path) -> None:
    clock = datetime(2026, 3, 1, tzinfo=UTC)
    indexes = Indexes(store, fake_embeddings(), tmp_path / "index", clock=lambda: clock)
    for hours in (1, 2):
        await shelf.add("ds", f"part {hours}", ["Text."], release_at=clock + timedelta(hours=hours))
    counts = []
    for _ in range(3):
        counts.append(len((await indexes.get("ds")).passages))
        clock += timedelta(hours=1)
    assert counts == [0, 1, 2]


async def test_blocks_without_vectors_are_found_by_words_and_the_rest_says_what_to_do(
    book: Shelf, store: Store, indexes: Indexes
) -> None:
    async with store.database.write() as connection:
        await connection.execute(text("DELETE FROM embedding"))
    index = await indexes.get("ds")
    assert await index.lexical("topic7", 3)
    with pytest.raises(ForeignVectors, match=r"20 of 20 blocks of the course 'ds' .*edumod course embed ds"):
        await index.semantic("topic7", 3)


async def test_vectors_of_another_size_than_was_noted_are_not_searched(
    book: Shelf, store: Store, indexes: Indexes
) -> None:
    async with store.database.write() as connection:
        await connection.execute(text("UPDATE embedding SET vector = zeroblob(28)"))
    with pytest.raises(ForeignVectors, match="20 of 20 blocks"):
        await (await indexes.get("ds")).semantic("topic7", 3)


async def test_a_course_is_searched_with_the_embedding_that_made_its_vectors(
    store: Store, shelf: Shelf, indexes: Indexes
) -> None:
    """Also where that one is neither built in nor configured, and not to be had: then by words alone."""
    other = FakeEmbedder("other", 7)
    await Shelf(store, other).add("foreign", "book", ["A text about topic7."])
    await shelf.add("ds", "book", ["A text about topic7."])
    assert await texts(await indexes.get("ds"), "topic7")
    foreign = await indexes.get("foreign")
    assert await foreign.lexical("topic7", 3)
    with pytest.raises(ForeignVectors, match=r"'other'.*edumod course embed.*bm25"):
        await foreign.semantic("topic7", 3)
    built_in = Indexes(store, Embeddings(other), indexes._folder)
    assert await texts(await built_in.get("foreign"), "topic7") == ["A text about topic7."]


async def test_a_change_to_another_embedding_by_another_process_is_searched_as_one(
    book: Shelf, store: Store, tmp_path: Path
) -> None:
    """It comes between the reading of blocks and of vectors, while this process still sees the course as it was."""
    other = FakeEmbedder("other", 7)
    target = LocalEncoder(other)

    class Changing(Watched):
        async def blocks(self, *query: Any, **more: Any) -> list[StoredBlock]:
            found = await super().blocks(*query, **more)
            if self.blocks_read == 1:
                await Reembedding(replace(store, courses=Courses(store.database)), target).run("ds")
                store.database.revised -= 1
            return found

    with_both = Embeddings(FakeEmbedder())
    with_both._encoders[other.embedding.id] = target
    indexes = Indexes(replace(store, material=Changing(store.database)), with_both, tmp_path / "index")
    index = await indexes.get("ds")
    assert index.encoder is target
    assert len(await texts(index, "topic7")) == 3


async def test_vectors_are_read_from_disk_the_second_time(book: Shelf, indexes: Indexes, material: Watched) -> None:
    expected = await texts(await indexes.get("ds"), "topic7")
    assert await texts(await again(indexes).get("ds"), "topic7") == expected
    assert material.vectors_read == 1


@pytest.mark.parametrize("damage", ["flipped", "truncated", "empty", "other"])
async def test_a_broken_index_file_is_built_again(
    book: Shelf, indexes: Indexes, material: Watched, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    expected = await texts(await indexes.get("ds"), "topic7")
    (file,) = indexes._folder.iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(
        {"flipped": bytes(content), "truncated": bytes(content[:-9]), "empty": b"", "other": b"x" * 99}[damage]
    )
    with caplog.at_level(logging.WARNING):
        assert await texts(await again(indexes).get("ds"), "topic7") == expected
    assert "is corrupt" in caplog.text
    assert material.vectors_read == 2
    await again(indexes).get("ds")
    assert material.vectors_read == 2


async def test_an_index_file_of_other_material_is_not_used(
    book: Shelf, indexes: Indexes, store: Store, shelf: Shelf
) -> None:
    await indexes.get("ds")
    (file,) = indexes._folder.iterdir()
    content = file.read_bytes()
    await shelf.add("ds", "book", ["Another text about topic7."])
    await indexes.get("ds")
    file.write_bytes(content)
    assert await texts(await again(indexes).get("ds"), "topic7") == ["Another text about topic7."]


async def test_a_folder_that_cannot_be_written_only_costs_time(
    book: Shelf, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "blocked").write_text("a file where the folder should be")
    index = await Indexes(store, fake_embeddings(), tmp_path / "blocked").get("ds")
    assert await texts(index, "topic7")
    assert "cannot be kept" in caplog.text


async def test_a_solution_is_part_of_its_statement_and_found_by_its_own_words(shelf: Shelf, indexes: Indexes) -> None:
    question = Block("Compute the mean of the prices.", "Problem 1", "1")
    solved = Block("Compute the mean of the prices. Use aggregate and divide.", "Problem 1", "1")
    await shelf.add("ds", "hw1", [question], source=Source.ASSIGNMENT, pair="hw1")
    await shelf.add("ds", "hw1-sol", [solved], source=Source.ASSIGNMENT, pair="hw1", is_solution=True)
    index = await indexes.get("ds", Source.ASSIGNMENT, Audience.STAFF)
    (passage,) = index.passages
    assert (passage.text, passage.solution) == (question.text, solved.text)
    assert passage.visibility is Visibility.STUDENT
    assert await index.lexical("aggregate", 5)
    assert await index.semantic("aggregate divide", 5)


async def test_an_index_for_students_is_that_of_a_course_without_texts_for_staff(
    shelf: Shelf, indexes: Indexes
) -> None:
    question, staff = Block("Compute the mean of the prices.", "Problem 1", "1"), {"visibility": Visibility.STAFF}
    for course in ("with", "without"):
        await shelf.add(course, "hw1", [question, Block("Plot the prices.")], source=Source.ASSIGNMENT, pair="hw1")
    solved = [Block("Compute the mean of the prices. Use aggregate.", "Problem 1", "1"), Block("Plot with aggregate.")]
    await shelf.add("with", "hw1-sol", solved, source=Source.ASSIGNMENT, pair="hw1", is_solution=True)
    await shelf.add("with", "exam", ["The mean of the exam is secret."], source=Source.ASSIGNMENT, **staff)

    async def seen(course: str) -> list[object]:
        index = await indexes.get(course, Source.ASSIGNMENT)
        evidence = await index.evidence("mean aggregate exam", 9, sections=True)
        texts = [(one.text, one.solution, one.visibility) for one in index.passages]
        scores = [evidence.lexical.tolist(), evidence.bound, evidence.semantic.tolist(), evidence.unknown]
        return [texts, scores, index.count("mean"), index.names.named("hw1-sol q1 exam"), (await index.outline()).size]

    assert await seen("with") == await seen("without")
    for_staff = await indexes.get("with", Source.ASSIGNMENT, Audience.STAFF)
    assert any("aggregate" in one.solution for one in for_staff.passages)
    assert len(for_staff.passages) == 3


async def test_a_course_without_texts_for_staff_has_one_index(book: Shelf, indexes: Indexes) -> None:
    assert await indexes.get("ds", audience=Audience.STAFF) is await indexes.get("ds")


async def test_the_name_and_label_of_a_question_find_it(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("ds", "hw02.ipynb", [Block("Plot it.", label=label) for label in ("1a", "1b", "2")])
    await shelf.add("ds", "hw03.ipynb", [Block("Plot it.", label=label) for label in ("1a", "1b", "2")])
    index = await indexes.get("ds")
    position, _ = (await index.lexical("hw 3 question 1(b)", 1))[0]
    assert (index.passages[position].document, index.nodes[position].text) == ("hw03.ipynb", "Plot it.")
    assert position == 4


HOMEWORK = [Block("Count the birthdays that coincide.", "Homework 5: Birthdays", "2")]


async def test_an_unreleased_homework_and_its_solution_are_found_by_nothing(store: Store, tmp_path: Path) -> None:
    clock = datetime(2026, 3, 1, tzinfo=UTC)
    indexes = Indexes(store, fake_embeddings(), tmp_path / "index", clock=lambda: clock)
    shelf = Shelf(store, FakeEmbedder())
    for course_id in ("with", "without"):
        await shelf.add(course_id, "hw4.md", [Block("Roll the dice.", "Homework 4", "2")], source=Source.ASSIGNMENT)
    pair: dict[str, Any] = {"source": Source.ASSIGNMENT, "pair": "hw5"}
    await shelf.add("with", "hw5.md", HOMEWORK, release_at=clock + timedelta(hours=1), **pair)
    await shelf.add("with", "hw5_sol.md", HOMEWORK, is_solution=True, visibility=Visibility.STAFF, **pair)
    query = "hw5 q2 birthdays"

    async def seen(course_id: str) -> list[object]:
        index = await indexes.get(course_id)
        texts = [passage.text for passage in index.passages]
        return [texts, index.names.named(query), await index.lexical(query, 9), await index.semantic(query, 9)]

    assert await seen("with") == await seen("without")
    clock += timedelta(hours=1)
    index = await indexes.get("with", audience=Audience.STAFF)
    assert [(one.document, bool(one.solution)) for one in index.passages] == [("hw4.md", False), ("hw5.md", True)]
    assert index.names.named(query)


async def test_indexes_are_dropped_by_their_size_but_never_those_of_the_course_that_is_searched(
    shelf: Shelf, store: Store, material: Watched, tmp_path: Path
) -> None:
    for course in ("a", "b"):
        for source in (Source.TEXTBOOK, Source.QA):
            await shelf.add(course, source.value, [f"Text {n}." for n in range(10)], source=source)
    indexes = Indexes(replace(store, material=material), fake_embeddings(), tmp_path / "index", max_bytes=1)
    kept = [await indexes.get("a", source) for source in (Source.TEXTBOOK, Source.QA, Source.TEXTBOOK)]
    assert kept[0] is kept[2]
    await indexes.get("b", Source.QA)
    assert await indexes.get("a", Source.TEXTBOOK) is not kept[0]
    assert indexes.is_full

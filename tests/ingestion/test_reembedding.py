"""Courses that change from one embedding to another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import text

from app.cli.embedding import reembedding_ahead
from core.errors import BadVectors, CourseReembedded
from core.store.store import Store
from ingestion.reembedding import BLOCKS, Reembedding
from retrievers.embedding.base import Vectors
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.encoder import LocalEncoder
from retrievers.index.indexes import Indexes
from tests.fakes import FakeEmbedder
from tests.retrievers.shelf import Shelf

BLOCK_COUNT = 3 * BLOCKS
OLD, NEW = FakeEmbedder("old", 64), FakeEmbedder("new", 96)


class Failing(FakeEmbedder):
    """Gives sound vectors for `sound` texts, then some that cannot be used."""

    def __init__(self, sound: int, fault: str) -> None:
        super().__init__("new", 96)
        self.sound = sound
        self.fault = fault

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.sound -= len(texts)
        vectors = super().embed(texts)
        if self.sound >= 0:
            return vectors
        return {"dimension": vectors[:, :-1], "count": vectors[1:], "nan": vectors * float("nan")}[self.fault]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await Shelf(store, OLD).add("ds", "book", [f"Text number {n} about topic{n}." for n in range(BLOCK_COUNT)])
    yield store
    await store.aclose()


async def models(store: Store) -> dict[str, int]:
    """Vectors by embedding."""
    async with store.database.read() as connection:
        rows = await connection.execute(text("SELECT model, count(*) FROM embedding GROUP BY model"))
        return {row[0]: row[1] for row in rows}


async def searched(store: Store, folder: Path, *embedders: FakeEmbedder) -> str:
    """The first text for a query, and the embedding that found it."""
    embeddings = Embeddings(embedders[0])
    embeddings._encoders |= {one.embedding.id: LocalEncoder(one) for one in embedders[1:]}
    index = await Indexes(store, embeddings, folder / "index").get("ds")
    found = [index.passages[position].text for position, _ in await index.semantic("topic7", 3)]
    assert found[0] == "Text number 7 about topic7."
    return (await index.encoder.embedding()).id


async def test_a_course_changes_over_as_a_whole_and_no_earlier_vector_is_left(store: Store, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    plan = await Reembedding(store, LocalEncoder(NEW)).run("ds", lambda *progress: seen.append(progress))
    assert plan is not None
    assert (plan.blocks, plan.done, plan.deleted) == (BLOCK_COUNT, 0, BLOCK_COUNT)
    assert (seen[0], seen[-1]) == ((0, BLOCK_COUNT), (BLOCK_COUNT, BLOCK_COUNT))
    assert await models(store) == {"new": BLOCK_COUNT}
    assert await searched(store, tmp_path, OLD, NEW) == "new"
    assert await Reembedding(store, LocalEncoder(NEW)).run("ds") is None


async def test_a_plan_says_in_what_embeddings_of_one_name_differ(store: Store) -> None:
    changed = FakeEmbedder("old", 64)
    changed.embedding = OLD.embedding.model_copy(update={"weights": "emb/old", "max_tokens": 8000})
    plan = await Reembedding(store, LocalEncoder(changed)).plan("ds")
    assert plan is not None
    assert plan.before == plan.after
    assert plan.differences == ("weights", "max_tokens 254 → 8000")
    said = reembedding_ahead(plan)
    assert "EDUMOD_EMBEDDING is old (64 dimensions) with other settings (weights, max_tokens 254 → 8000)" in said


@pytest.mark.parametrize("fault", ["dimension", "count", "nan"])
async def test_a_run_that_fails_is_continued_and_searches_use_the_earlier_vectors_until_then(
    store: Store, tmp_path: Path, fault: str
) -> None:
    with pytest.raises(BadVectors, match=r"new \(96 dimensions\)"):
        await Reembedding(store, LocalEncoder(Failing(BLOCKS + 5, fault))).run("ds")
    assert await models(store) == {"old": BLOCK_COUNT, "new": BLOCKS}
    assert await searched(store, tmp_path, OLD, NEW) == "old"
    plan = await Reembedding(store, LocalEncoder(NEW)).run("ds")
    assert plan is not None
    assert plan.done == BLOCKS
    assert await models(store) == {"new": BLOCK_COUNT}
    assert await searched(store, tmp_path, OLD, NEW) == "new"


async def test_a_run_that_was_given_up_for_a_third_embedding_leaves_nothing(store: Store) -> None:
    with pytest.raises(BadVectors):
        await Reembedding(store, LocalEncoder(Failing(BLOCKS + 5, "nan"))).run("ds")
    await Reembedding(store, LocalEncoder(FakeEmbedder("third", 32))).run("ds")
    assert await models(store) == {"third": BLOCK_COUNT}


async def test_returning_to_the_earlier_embedding_deletes_what_was_begun(store: Store) -> None:
    with pytest.raises(BadVectors):
        await Reembedding(store, LocalEncoder(Failing(BLOCKS + 5, "nan"))).run("ds")
    plan = await Reembedding(store, LocalEncoder(OLD)).run("ds")
    assert plan is not None
    assert (plan.done, plan.deleted) == (BLOCK_COUNT, BLOCKS)
    assert await models(store) == {"old": BLOCK_COUNT}


async def test_material_that_changes_meanwhile_is_embedded_as_it_is_at_the_end(store: Store, tmp_path: Path) -> None:
    changes = [True]

    class Meanwhile(LocalEncoder):
        """Another process, which still has the earlier embedding, stores another book before the second batch."""

        async def passages(self, texts: Sequence[str]) -> Vectors:
            if changes and any("topic" in one for one in texts):
                changes.clear()
                await Shelf(store, OLD).add("ds", "book", ["Changed.", *(f"Text number {n}." for n in range(9))])
            return await super().passages(texts)

    await Reembedding(store, Meanwhile(NEW)).run("ds")
    assert await models(store) == {"new": 10}
    index = await Indexes(store, Embeddings(NEW), tmp_path / "index").get("ds")
    found = await index.semantic("book Changed.", 1)
    assert [index.passages[position].text for position, _ in found] == ["Changed."]
    assert found[0][1] == pytest.approx(1, abs=1e-5)


async def test_a_document_built_with_the_earlier_embedding_is_refused_after_the_change(store: Store) -> None:
    await Reembedding(store, LocalEncoder(NEW)).run("ds")
    with pytest.raises(CourseReembedded, match=r"Run the command again"):
        await Shelf(store, OLD).add("ds", "more", ["Late."])
    assert await models(store) == {"new": BLOCK_COUNT}
    await Shelf(store, NEW).add("ds", "more", ["Late."])


async def test_a_course_without_vectors_takes_any_embedding(store: Store) -> None:
    documents = await store.material.documents("ds")
    await store.material.remove("ds", [row.id for row in documents])
    await Shelf(store, NEW).add("ds", "book", ["New."])
    assert await models(store) == {"new": 1}
    embedding = (await store.courses.get("ds")).embedding
    assert embedding is not None
    assert embedding.id == "new"

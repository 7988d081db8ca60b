from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
import pytest

from core.errors import SetupError
from retrievers.embedding.base import Vectors
from retrievers.embedding.queries import QueryEmbedder, one_answer
from tests.fakes import FakeEmbedder


class Gated(FakeEmbedder):
    """Waits for `gate` before each text and remembers the texts; fails on those that contain "bad"."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        self.entered.set()
        assert self.gate.wait(10)
        if any("bad" in text for text in texts):
            raise SetupError("bad text")
        return super().embed(texts)


async def under_way(embedder: Gated, queries: QueryEmbedder, *waiting: str) -> list[asyncio.Task[Vectors]]:
    """One query in the model, the others waiting behind it."""
    first = asyncio.create_task(queries.embed("first"))
    assert await asyncio.to_thread(embedder.entered.wait, 10)
    tasks = [first, *(asyncio.create_task(queries.embed(query)) for query in waiting)]
    await asyncio.sleep(0)
    return tasks


async def test_queries_take_turns_and_one_that_is_asked_twice_is_embedded_once() -> None:
    embedder = Gated()
    tasks = await under_way(embedder, QueryEmbedder(embedder), "b", "c", "b")
    embedder.gate.set()
    found = await asyncio.gather(*tasks)
    assert embedder.texts == ["first", "b", "c"]
    expected = FakeEmbedder().embed(["first", "b", "c", "b"])
    np.testing.assert_allclose(np.stack(found), expected, atol=1e-6)


async def test_a_query_that_comes_again_later_is_embedded_again() -> None:
    """Nothing is kept, so that what is measured does not depend on what was asked before."""
    embedder = Gated()
    embedder.gate.set()
    queries = QueryEmbedder(embedder)
    for _ in range(2):
        await queries.embed("a")
    assert embedder.texts == ["a", "a"]


async def test_within_one_answer_equal_queries_are_embedded_once_also_one_after_the_other() -> None:
    embedder = Gated()
    embedder.gate.set()
    queries = QueryEmbedder(embedder)
    for _ in range(2):
        with one_answer():
            await asyncio.gather(queries.embed("a"), queries.embed("b"))
            await queries.embed("a")
    assert sorted(embedder.texts) == ["a", "a", "b", "b"]


async def test_a_query_cancelled_while_it_waits_is_not_embedded() -> None:
    embedder = Gated()
    first, second, third = await under_way(embedder, QueryEmbedder(embedder), "b", "c")
    first.cancel()
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    await asyncio.sleep(0.01)  # The thread's side of a cancelled query hears of it a turn of the loop later.
    embedder.gate.set()
    assert (await third).shape == (embedder.dimension,)
    assert embedder.texts == ["first", "c"]


async def test_an_error_reaches_the_query_that_caused_it_and_no_other() -> None:
    embedder = Gated()
    tasks = await under_way(embedder, QueryEmbedder(embedder), "bad", "c")
    embedder.gate.set()
    first, bad, last = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(bad, SetupError)
    assert isinstance(first, np.ndarray)
    assert isinstance(last, np.ndarray)


async def test_hundreds_of_queries_all_get_their_own_vector() -> None:
    queries = QueryEmbedder(FakeEmbedder())
    texts = [f"query{n} word{n % 7}" for n in range(300)]
    found = await asyncio.gather(*(queries.embed(text) for text in texts))
    np.testing.assert_allclose(np.stack(found), FakeEmbedder().embed(texts), atol=1e-6)


def test_several_event_loops_share_one_embedder() -> None:
    queries, found = QueryEmbedder(FakeEmbedder()), []
    threads = [threading.Thread(target=lambda: found.append(asyncio.run(queries.embed("x")))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4


async def test_a_very_long_query_is_the_mean_of_its_parts() -> None:
    embedder = Gated()
    embedder.gate.set()
    vector = await QueryEmbedder(embedder).embed("start " + "middle " * 400 + "end")
    assert len(embedder.texts) > 1
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert vector @ embedder.embed(["end"])[0] > 0


async def test_what_follows_the_embedding_runs_with_it_and_fails_alone() -> None:
    queries = QueryEmbedder(FakeEmbedder())
    assert await queries.search("a", lambda vector: len(vector)) == FakeEmbedder().dimension

    def fail(_vector: Vectors) -> None:
        raise SetupError("broken index")

    failed, fine = await asyncio.gather(queries.search("b", fail), queries.embed("c"), return_exceptions=True)
    assert isinstance(failed, SetupError)
    assert isinstance(fine, np.ndarray)

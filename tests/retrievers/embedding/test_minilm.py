from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.errors import SetupError
from retrievers.embedding.minilm import MiniLM, QueryEmbedder, Vectors
from retrievers.embedding.minilm_files import ONNX_FILE
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


def test_minilm_gives_nearly_the_vectors_of_the_original(minilm: MiniLM) -> None:
    """Reference values: sentence-transformers 6.2 on the same weights, before they are rounded to 8 bits."""
    texts = ["How do I find missing values?", "isna() tells which values are missing.", "The midterm is on Friday."]
    vectors = minilm.embed(texts)
    assert vectors.shape == (3, minilm.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[1:] @ vectors[0], [0.63968, 0.06520], atol=0.03)
    np.testing.assert_allclose(vectors[0, :3], [0.05968, 0.05024, -0.03604], atol=0.02)


def test_a_text_has_the_same_vector_alone_and_in_company(minilm: MiniLM) -> None:
    texts = ["short", "a text of middling length " * 5, "long " * 1000, "", "\ud800 half a character", "数据"]
    together = minilm.embed(texts)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, MiniLM(minilm._cache_folder, threads=3).embed(texts))
    assert minilm.embed([]).shape == (0, minilm.dimension)


def test_threads_may_share_the_model(minilm: MiniLM) -> None:
    expected, found = minilm.embed(["one text"]), []
    fresh = MiniLM(minilm._cache_folder)
    threads = [threading.Thread(target=lambda: found.append(fresh.embed(["one text"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for vector in found:
        np.testing.assert_allclose(vector, expected, atol=1e-6)
    assert len(found) == 4


def test_tokens_are_counted_as_the_model_reads_them(minilm: MiniLM) -> None:
    assert minilm.count_tokens("embedding models") == 4
    assert minilm.count_tokens("") == 0


@pytest.mark.parametrize("kept", [None, b"", b"not what was written"])
def test_wrong_weights_are_refused_and_a_broken_export_is_not_used(tmp_path: Path, kept: bytes | None) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"something else")
    if kept is not None:
        (tmp_path / ONNX_FILE).write_bytes(kept)
    with pytest.raises(SetupError, match="not the official ones"):
        MiniLM(tmp_path, model_folder=tmp_path / "model").embed(["text"])


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"model\.safetensors"):
        MiniLM(tmp_path, model_folder=tmp_path).embed([])
    with pytest.raises(SetupError, match=r"tokenizer\.json"):
        MiniLM(tmp_path, model_folder=tmp_path).count_tokens("text")


async def test_what_follows_the_embedding_runs_with_it_and_fails_alone() -> None:
    queries = QueryEmbedder(FakeEmbedder())
    assert await queries.search("a", lambda vector: len(vector)) == FakeEmbedder().dimension

    def fail(_vector: Vectors) -> None:
        raise SetupError("broken index")

    failed, fine = await asyncio.gather(queries.search("b", fail), queries.embed("c"), return_exceptions=True)
    assert isinstance(failed, SetupError)
    assert isinstance(fine, np.ndarray)

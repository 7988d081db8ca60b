from __future__ import annotations

import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from core.errors import SetupError
from retrievers.embedding.minilm import MiniLM
from retrievers.embedding.minilm_files import DATA, GRAPH_FILE, TOKENIZER_FILE


def test_minilm_gives_nearly_the_vectors_of_the_original(minilm: MiniLM) -> None:
    """Reference values: sentence-transformers 6.2 on the same weights, before they are rounded to 8 bits."""
    texts = ["How do I find missing values?", "isna() tells which values are missing.", "The midterm is on Friday."]
    vectors = minilm.embed(texts)
    assert vectors.shape == (3, minilm.embedding.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[1:] @ vectors[0], [0.63968, 0.06520], atol=0.03)
    np.testing.assert_allclose(vectors[0, :3], [0.05968, 0.05024, -0.03604], atol=0.02)


def test_a_text_has_the_same_vector_alone_and_in_company(minilm: MiniLM) -> None:
    texts = ["short", "a text of middling length " * 5, "long " * 1000, "", "\ud800 half a character", "数据"]
    together = minilm.embed(texts)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, MiniLM(threads=3).embed(texts))
    assert minilm.embed([]).shape == (0, minilm.embedding.dimension)


def test_threads_may_share_the_model(minilm: MiniLM) -> None:
    expected, found = minilm.embed(["one text"]), []
    fresh = MiniLM()
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


@pytest.mark.parametrize("damage", ["changed", "cut", "empty", "missing"])
@pytest.mark.parametrize("name", [GRAPH_FILE, TOKENIZER_FILE])
def test_a_file_that_is_not_the_shipped_one_is_refused_by_name(tmp_path: Path, name: str, damage: str) -> None:
    for shipped in (GRAPH_FILE, TOKENIZER_FILE):
        shutil.copy(DATA / shipped, tmp_path / shipped)
    content = bytearray((tmp_path / name).read_bytes())
    content[len(content) // 2] ^= 1
    if damage == "missing":
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes({"changed": bytes(content), "cut": bytes(content[:-99]), "empty": b""}[damage])
    with pytest.raises(SetupError, match=name.replace(".", r"\.")):
        MiniLM(folder=tmp_path).embed(["text"])

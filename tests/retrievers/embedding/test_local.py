from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from core.errors import ForeignVectors, SetupError
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.local import SentenceTransformerEmbedder
from tests.fakes import FakeEmbedder
from tests.tiny_bert import MAX_TOKENS


@pytest.fixture(scope="module")
def embedder(tiny_bert: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(tiny_bert))


def test_dimension_length_and_prefixes_are_those_of_the_model(
    embedder: SentenceTransformerEmbedder, tiny_bert: Path
) -> None:
    found = embedder.embedding
    assert (found.dimension, found.max_tokens) == (32, MAX_TOKENS - 2)
    assert (found.query_prefix, found.passage_prefix) == ("query: ", "passage: ")
    assert (found.source, found.name) == (str(tiny_bert), "model")
    assert embedder.count_tokens("hello") == 5


def test_any_text_has_a_vector_of_length_one(embedder: SentenceTransformerEmbedder) -> None:
    vectors = embedder.embed(["hello", "数据 " * 500, "", "\ud800 half a character"])
    assert vectors.shape == (4, 32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_queries_and_passages_get_their_prefixes(embedder: SentenceTransformerEmbedder, tiny_bert: Path) -> None:
    encoder = Embeddings(FakeEmbedder(), str(tiny_bert)).configured
    np.testing.assert_allclose(await encoder.query("a"), embedder.embed(["query: a"])[0], atol=1e-6)
    np.testing.assert_allclose(await encoder.passages(["a"]), embedder.embed(["passage: a"]), atol=1e-6)


async def test_prefixes_that_are_set_replace_those_of_the_model(
    embedder: SentenceTransformerEmbedder, tiny_bert: Path
) -> None:
    encoder = Embeddings(FakeEmbedder(), str(tiny_bert), query_prefix="q ", passage_prefix="").configured
    np.testing.assert_allclose(await encoder.query("a"), embedder.embed(["q a"])[0], atol=1e-6)
    np.testing.assert_allclose(await encoder.passages(["a"]), embedder.embed(["a"]), atol=1e-6)
    assert (await encoder.embedding()).id != embedder.embedding.id


def test_a_folder_may_move_and_a_changed_model_is_another_one(
    embedder: SentenceTransformerEmbedder, tiny_bert: Path, tmp_path: Path
) -> None:
    moved = Path(shutil.copytree(tiny_bert, tmp_path / "elsewhere"))
    assert SentenceTransformerEmbedder(str(moved)).embedding.id == embedder.embedding.id
    (moved / "config_sentence_transformers.json").write_text("{}")
    assert SentenceTransformerEmbedder(str(moved)).embedding.id != embedder.embedding.id


async def test_vectors_of_a_model_that_is_gone_or_was_replaced_are_not_searched(
    embedder: SentenceTransformerEmbedder, tmp_path: Path
) -> None:
    gone = embedder.embedding.model_copy(update={"source": str(tmp_path / "gone")})
    with pytest.raises(ForeignVectors, match=r"gone.*edumod course embed.*bm25"):
        await Embeddings(FakeEmbedder()).of(gone).query("a")
    replaced = embedder.embedding.model_copy(update={"weights": "of before"})
    with pytest.raises(ForeignVectors, match=r"was replaced.*edumod course embed"):
        await Embeddings(FakeEmbedder()).of(replaced).query("a")
    assert (await Embeddings(FakeEmbedder()).of(embedder.embedding).query("a")).shape == (32,)


def test_an_installed_package_is_found_by_its_name(
    tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_model").mkdir()
    (tmp_path / "my_model" / "__init__.py").touch()
    shutil.copytree(tiny_bert, tmp_path / "my_model" / "model")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert SentenceTransformerEmbedder("my-model").embedding.dimension == 32


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nowhere", "'nowhere' is neither `minilm`"),
        ("publisher/nowhere", "nor an installed sentence-transformers model"),
        ("../../etc/nowhere", "Correct the name"),
        ("empty", "holds no sentence-transformers model"),
        ("file", "is neither `minilm`"),
    ],
)
def test_a_name_that_stands_for_no_model_is_refused_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, complaint: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SetupError, match=complaint):
        Embeddings(FakeEmbedder(), name)


@pytest.mark.parametrize("package", ["torch", "sentence_transformers"])
def test_a_model_whose_packages_are_not_installed_is_refused_with_the_command(
    tiny_bert: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SetupError, match=rf"{package}.*pip install"):
        SentenceTransformerEmbedder(str(tiny_bert)).embed(["text"])


def test_a_damaged_model_is_named_with_what_is_wrong(tiny_bert: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(tiny_bert, tmp_path / "broken"))
    (broken / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(SetupError, match=r"broken cannot be loaded"):
        _ = SentenceTransformerEmbedder(str(broken)).embedding

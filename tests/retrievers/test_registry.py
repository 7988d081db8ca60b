from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import UnknownName
from retrievers import RETRIEVERS, retriever_class, retriever_named
from retrievers.base import CourseRetriever

HEAVY = ("llama_index", "faiss", "bm25s", "onnxruntime", "torch", "sentence_transformers", "tokenizers")


@pytest.mark.parametrize("spec", RETRIEVERS, ids=lambda spec: spec.name)
def test_every_name_leads_to_a_class_and_has_a_summary(spec: object) -> None:
    assert isinstance(spec, type(RETRIEVERS[0]))
    assert issubclass(retriever_class(spec.name), CourseRetriever)
    assert spec.summary.endswith(".")


def test_names_are_unique() -> None:
    assert len({spec.name for spec in RETRIEVERS}) == len(RETRIEVERS)


@pytest.mark.parametrize("name", ["hybrd", "HYBRID"])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'hybrid'"):
        retriever_named(name)


def test_importing_what_the_server_imports_loads_nothing_heavy() -> None:
    code = (
        "import sys, retrievers, retrievers.functions, retrievers.index.indexes, retrievers.passages\n"
        "import retrievers.embedding.minilm\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


LOADING = """
import asyncio, sys
from pathlib import Path
from retrievers.index.indexes import Indexes
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Block, Shelf
from core.store.store import Store

async def load(folder):
    store = await Store.open(f"sqlite+aiosqlite:///{folder}/edumod.db")
    await Shelf(store, FakeEmbedder()).add("ds", "notes.md", [Block("Plot it.")])
    found = await Indexes(store, fake_embeddings(), folder).get("ds")
    await store.aclose()
    assert len(found.passages) == 1

asyncio.run(load(Path(sys.argv[1])))
print("llama_index" in sys.modules)
"""


def test_loading_an_index_leaves_llama_index_alone(tmp_path: Path) -> None:
    """Indexes load in threads; two threads that begin to import llama-index from different ends lock each other."""
    command = [sys.executable, "-c", LOADING, str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("False", "")

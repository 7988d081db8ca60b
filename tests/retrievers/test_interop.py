"""llama-index's retrievers within our course functions, and ours within its query engines."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from core.errors import SetupError
from core.types import Source
from retrievers import RetrieverSpec
from retrievers.functions import retrieve
from retrievers.hier_gen import HierGen
from retrievers.index.course_index import CourseIndex
from retrievers.index.indexes import Indexes
from tests.retrievers.shelf import Shelf
from tests.retrievers.trees import guide, plant


class Longest(BaseRetriever):
    """A retriever written for llama-index alone: the longest texts first, found without async."""

    def __init__(self, nodes: tuple[TextNode, ...], top_k: int) -> None:
        super().__init__()
        self._nodes = sorted(nodes, key=lambda node: -len(node.text))[:top_k]

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=node, score=float(len(node.text))) for node in self._nodes]


def longest(index: CourseIndex, *, top_k: int, **_: Any) -> BaseRetriever:
    return Longest(index.nodes, top_k)


def vector_store(index: CourseIndex, *, top_k: int, **_: Any) -> BaseRetriever:
    nodes = list(index.nodes)
    return VectorStoreIndex(nodes=nodes, embed_model=MockEmbedding(8)).as_retriever(similarity_top_k=top_k)


def foreign(_index: CourseIndex, **_: Any) -> BaseRetriever:
    return Longest((TextNode(text="from elsewhere"),), 1)


def spec(name: str) -> RetrieverSpec:
    return RetrieverSpec(name, "One of theirs.", f"{__name__}:{name}")


@pytest.fixture
async def course(shelf: Shelf) -> None:
    await plant(shelf, "ds", "book", {"Probability": {"Dice": "Two dice.", "Coins": "A coin is tossed twice."}})
    await plant(
        shelf, "ds", "policies", {"Late work": "Six slip days in all, two for each homework."}, Source.LOGISTICS
    )


@pytest.mark.usefixtures("course")
async def test_a_retriever_written_for_llama_index_fits_into_a_course_function(indexes: Indexes) -> None:
    found = await retrieve(indexes, "ds", Source.TEXTBOOK, "dice", retriever=spec("longest"), top_k=1, llm=None)
    assert [(one.text, one.heading_path, one.source) for one in found] == [
        ("A coin is tossed twice.", ("Probability", "Coins"), Source.TEXTBOOK)
    ]


@pytest.mark.usefixtures("course")
async def test_an_index_of_llama_index_fits_into_a_course_function(indexes: Indexes) -> None:
    found = await retrieve(indexes, "ds", Source.TEXTBOOK, "dice", retriever=spec("vector_store"), top_k=5, llm=None)
    passages = (await indexes.get("ds", Source.TEXTBOOK)).passages
    assert sorted(one.block_id for one in found) == sorted(one.block_id for one in passages)


@pytest.mark.usefixtures("course")
async def test_nodes_that_are_no_passages_of_the_course_are_refused(indexes: Indexes) -> None:
    with pytest.raises(SetupError, match="nodes of the course's index"):
        await retrieve(indexes, "ds", Source.TEXTBOOK, "dice", retriever=spec("foreign"), top_k=5, llm=None)


@pytest.mark.usefixtures("course")
async def test_hier_gen_works_within_a_query_engine_of_llama_index(indexes: Indexes) -> None:
    retriever = HierGen(await indexes.get("ds", Source.TEXTBOOK), top_k=1, llm=guide({"Dice": 0.9}))
    answer = await RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).aquery("two dice?")
    assert "Two dice." in str(answer)
    assert answer.source_nodes[0].metadata["path"] == ["book", "Probability", "Dice (0.90)"]

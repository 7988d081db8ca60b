"""What every retriever must do, run for each one there is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.retrievers import QueryFusionRetriever

from app.models.offline_backend import offline_rules
from core.llm.offline import OfflineLLM
from core.store.store import Store
from core.types import Audience, Passage, Source
from retrievers import RETRIEVERS, retriever_class
from retrievers.index.indexes import Indexes
from retrievers.passages import to_passage
from tests.fakes import Nearest, RareWords, fake_embeddings
from tests.retrievers.shelf import Block, Shelf

Search = Callable[..., Awaitable[list[Passage]]]
OFFLINE = OfflineLLM(offline_rules(Nearest(), RareWords()))

BOOK = [
    Block("A missing value is stored as NaN. Use isna to find missing values.", "Missing values"),
    Block("Call drop_duplicates to remove rows that occur more than once.", "Duplicates"),
    Block("A histogram shows how numbers are distributed.", "Histograms"),
    Block("df.groupby('city').agg({'price': 'mean'}) gives the mean price per city.", "Grouping"),
]


@pytest.fixture(params=[spec.name for spec in RETRIEVERS])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def search(name: str, indexes: Indexes) -> Search:
    async def search(
        query: str, course_id: str = "ds", source: Source | None = Source.TEXTBOOK, top_k: int = 5
    ) -> list[Passage]:
        index = await indexes.get(course_id, source)
        retriever = retriever_class(name)(index, top_k=top_k, llm=OFFLINE)
        return [to_passage(found) for found in await retriever.aretrieve(query)]

    return search


@pytest.fixture
async def book(shelf: Shelf) -> Shelf:
    await shelf.add("ds", "book", BOOK)
    return shelf


async def test_finds_the_passage_that_answers(book: Shelf, search: Search) -> None:
    found = await search("how do I find missing values?")
    assert found[0].heading_path == ("Missing values",)
    assert found[0].text == BOOK[0].text


async def test_scores_descend_and_top_k_is_the_most_that_is_returned(book: Shelf, search: Search) -> None:
    found = await search("rows values numbers mean of the price", top_k=3)
    assert 0 < len(found) <= 3
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)
    assert len(await search("rows values numbers mean of the price", top_k=1)) == 1


async def test_an_empty_course_gives_nothing(store: Store, search: Search) -> None:
    await store.courses.put("ds", {})
    assert await search("missing values") == []


async def test_a_course_whose_texts_have_no_words_gives_nothing_by_words(shelf: Shelf, search: Search) -> None:
    await shelf.add("ds", "---", ["***", ""])
    assert len(await search("missing values")) <= 2


async def test_asking_for_more_than_there_is_gives_what_there_is(book: Shelf, search: Search) -> None:
    found = await search("missing values rows numbers mean", top_k=1000)
    assert len({passage.block_id for passage in found}) == len(found) <= len(BOOK)


@pytest.mark.parametrize("query", ["", "   \n"])
async def test_an_empty_query_gives_nothing(book: Shelf, search: Search, query: str) -> None:
    assert await search(query) == []


@pytest.mark.parametrize("query", ["?!... ---", "what is this about", "\x00\ud800", "🙂"])
async def test_a_query_without_words_does_no_harm(book: Shelf, search: Search, query: str) -> None:
    assert len(await search(query)) <= len(BOOK)


async def test_a_very_long_query_is_answered(book: Shelf, search: Search) -> None:
    query = "how do I remove duplicate rows with drop_duplicates? " * 400
    assert len(query) > 20_000
    assert (await search(query))[0].heading_path == ("Duplicates",)


async def test_pasted_code_finds_code(book: Shelf, search: Search) -> None:
    assert (await search("df.groupby('city').agg({'price': 'max'})"))[0].heading_path == ("Grouping",)


async def test_no_passage_of_another_course_is_ever_found(book: Shelf, search: Search) -> None:
    await book.add("other", "book", [Block(f"{block.text} (other)", block.heading) for block in BOOK])
    for course_id in ("ds", "other"):
        found = await search("missing values rows numbers mean", course_id, source=None, top_k=100)
        assert {passage.text.endswith("(other)") for passage in found} == {course_id == "other"}


async def test_no_passage_of_another_source_is_found(book: Shelf, search: Search) -> None:
    await book.add("ds", "syllabus", ["Missing lectures: no missing values here."], source=Source.LOGISTICS)
    assert {passage.source for passage in await search("missing values", top_k=100)} == {Source.TEXTBOOK}
    assert len({passage.source for passage in await search("missing values", source=None, top_k=100)}) == 2


async def test_a_document_is_found_from_its_release_on(name: str, store: Store, shelf: Shelf, tmp_path: Path) -> None:
    clock = datetime(2026, 1, 1, tzinfo=UTC)
    indexes = Indexes(store, fake_embeddings(), tmp_path / "index", clock=lambda: clock)
    await shelf.add("ds", "book", BOOK)
    await shelf.add("ds", "later", ["Missing values, continued."], release_at=clock + timedelta(days=1))

    async def documents() -> set[str]:
        index = await indexes.get("ds")
        found = await retriever_class(name)(index, top_k=100, llm=OFFLINE).aretrieve("missing values")
        return {to_passage(node).document for node in found}

    assert await documents() == {"book"}
    clock += timedelta(days=1)
    assert await documents() == {"book", "later"}


async def test_the_same_query_gives_the_same_result_alone_and_among_others(book: Shelf, search: Search) -> None:
    await book.add("ds", "copy", BOOK)
    alone = await search("missing values of rows", top_k=100)
    among = await asyncio.gather(*(search(q, top_k=100) for q in ["missing values of rows", "mean price"] * 8))
    assert all(found == alone for found in among[::2])


async def test_synchronous_engines_get_the_same_with_and_without_a_running_loop(
    name: str, book: Shelf, indexes: Indexes
) -> None:
    retriever = retriever_class(name)(await indexes.get("ds"), top_k=3, llm=OFFLINE)
    expected = [(found.node_id, found.score) for found in await retriever.aretrieve("missing values")]
    within = retriever.retrieve("missing values")
    without = await asyncio.to_thread(retriever.retrieve, "missing values")
    assert [(found.node_id, found.score) for found in within] == expected
    assert [(found.node_id, found.score) for found in without] == expected


async def test_a_query_engine_of_llama_index_never_shows_a_solution_to_its_model(
    name: str, shelf: Shelf, indexes: Indexes
) -> None:
    await shelf.add("ds", "hw", [Block("Compute the mean.", "Problem 1", "1", solution="SECRET-42")])
    retriever = retriever_class(name)(await indexes.get("ds", audience=Audience.STAFF), top_k=3, llm=OFFLINE)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), response_mode=ResponseMode.COMPACT)
    answer = await engine.aquery("compute the mean")
    assert "Compute the mean." in str(answer)
    assert "SECRET-42" not in str(answer)
    assert to_passage(answer.source_nodes[0]).solution == "SECRET-42"


async def test_a_retriever_of_llama_index_over_ours_gives_passages(name: str, book: Shelf, indexes: Indexes) -> None:
    ours = retriever_class(name)(await indexes.get("ds"), top_k=3, llm=OFFLINE)
    theirs = QueryFusionRetriever([ours], llm=MockLLM(), num_queries=1, similarity_top_k=2, use_async=False)
    found = [to_passage(node) for node in await theirs.aretrieve("find missing values")]
    assert found[0].heading_path == ("Missing values",)

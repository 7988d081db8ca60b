from __future__ import annotations

import pytest

from core.errors import UnknownName
from core.store.store import Store
from core.types import Source
from retrievers.functions import COURSE_FUNCTIONS, course_function, retrieve
from retrievers.index.indexes import Indexes
from tests.retrievers.shelf import Shelf

NAMES = ["qa_retrieval", "textbook_retrieval", "assignment_retrieval", "logistics_retrieval"]


def test_there_is_one_function_per_source() -> None:
    assert [function.name for function in COURSE_FUNCTIONS] == NAMES
    assert {function.source for function in COURSE_FUNCTIONS} == set(Source)


def test_only_qa_retrieval_takes_top_k() -> None:
    taken = {function.name: list(function.spec.parameters["properties"]) for function in COURSE_FUNCTIONS}
    assert taken.pop("qa_retrieval") == ["query", "top_k"]
    assert set(map(tuple, taken.values())) == {("query",)}


@pytest.mark.parametrize("name", NAMES)
async def test_a_function_searches_its_own_source(name: str, shelf: Shelf, indexes: Indexes) -> None:
    for source in Source:
        await shelf.add("ds", str(source), ["About the midterm."], source=source)
    (passage,) = await retrieve(
        indexes, "ds", course_function(name).source, "midterm", retriever="hybrid", top_k=3, llm=None
    )
    assert f"{passage.source}_retrieval" == name


@pytest.mark.parametrize("name", NAMES)
async def test_a_course_without_such_documents_gives_nothing(name: str, store: Store, indexes: Indexes) -> None:
    await store.courses.put("ds", {})
    found = await retrieve(
        indexes, "ds", course_function(name).source, "midterm", retriever="hybrid", top_k=5, llm=None
    )
    assert found == []


async def test_unknown_names_are_refused_also_where_there_is_nothing_to_search(store: Store, indexes: Indexes) -> None:
    await store.courses.put("ds", {})
    with pytest.raises(UnknownName, match="hybrid"):
        await retrieve(indexes, "ds", Source.QA, "midterm", retriever="hybird", top_k=5, llm=None)
    with pytest.raises(UnknownName, match="course"):
        await retrieve(indexes, "no such course", Source.QA, "midterm", retriever="hybrid", top_k=5, llm=None)
    with pytest.raises(UnknownName, match="textbook_retrieval"):
        course_function("textbok_retrieval")

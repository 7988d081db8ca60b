"""Recall of retrievers, from rankings to figures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.errors import InvalidInput, UnknownName
from core.llm.offline import OfflineLLM
from core.store.store import Store
from core.store.tables import EvaluationRow, EvaluationState, ResultRow, ResultState
from core.types import Source
from eval.datasets import Query, course_place
from eval.retrieval import (
    demand_places,
    labelled_queries,
    retrieval_facts,
    retrieval_plan,
    retrieval_report,
    write_runs,
)
from eval.runner import Outcome, Runner
from retrievers.index import Indexes
from tests.fakes import FakeEmbedder
from tests.retrievers.shelf import Block, Shelf

BOOK = [Block("Rows are selected by a condition.", "Rows"), Block("A histogram shows a distribution.", "Charts")]
LABELS = {
    "q1": {"text": "select rows", "kind": "textbook", "relevant": ["book > Rows"]},
    "q2": {"text": "histogram", "kind": "textbook", "relevant": ["book > Charts"]},
}
QUERIES = [Query("a", "?", "x", frozenset("1")), Query("b", "?", "y", frozenset("23"))]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await Shelf(store, FakeEmbedder()).add("ds", "book", BOOK)
    yield store
    await store.aclose()


@pytest.fixture
def indexes(store: Store, tmp_path: Path) -> Indexes:
    return Indexes(store, FakeEmbedder(), tmp_path / "index")


def outcome(*rows: tuple[str, str, list[str] | None]) -> Outcome:
    found = [
        ResultRow(
            evaluation_id="e",
            actor=actor,
            item=item,
            seed=0,
            state=ResultState.FAILED if ranking is None else ResultState.SCORED,
            output=ranking,
            usage={"calls": 1, "cached_calls": 0, "prompt_tokens": 10, "completion_tokens": 5, "cost_usd": 0.5},
            ms=10.0,
        )
        for actor, item, ranking in rows
    ]
    actors = list(dict.fromkeys(row.actor for row in found))
    evaluation = EvaluationRow(
        id="e", course_id="ds", kind="retrieval", key="k", state=EvaluationState.RUNNING, config={"actors": actors}
    )
    return Outcome(evaluation, tuple(found), capped=False)


async def test_a_courses_own_queries_are_searched_and_scored(store: Store, indexes: Indexes) -> None:
    await store.evaluations.put_labels("ds", "retrieval", LABELS)
    queries = await labelled_queries(store, "ds")
    facts = await retrieval_facts(store, "fake", "offline", "ds")
    plan = retrieval_plan(indexes, "ds", queries, ["bm25", "tree"], course_place, facts)
    found = await Runner(store.evaluations, OfflineLLM({}), {}).run(plan)
    figures = retrieval_report("ds", queries, found, [1, 3]).summary
    assert figures["n"] == 2
    for name in ("bm25", "tree"):
        assert figures["retrievers"][name]["recall@1"]["mean"] == 1.0
        assert figures["retrievers"][name]["model_calls"] == 0
        assert figures["retrievers"][name]["latency_ms"]["p50"] > 0


async def test_a_query_is_searched_in_the_material_it_is_about(store: Store, indexes: Indexes) -> None:
    await Shelf(store, FakeEmbedder()).add("ds", "syllabus", ["select rows"], source=Source.LOGISTICS)
    await store.evaluations.put_labels("ds", "retrieval", LABELS)
    queries = await labelled_queries(store, "ds")
    plan = retrieval_plan(indexes, "ds", queries, ["bm25"], course_place, {})
    (row, _) = (await Runner(store.evaluations, OfflineLLM({}), {}).run(plan)).rows
    assert row.output == ["book > Rows"]


async def test_a_course_without_labels_says_how_to_add_them(store: Store, indexes: Indexes) -> None:
    with pytest.raises(InvalidInput, match="course load"):
        await labelled_queries(store, "ds")


async def test_labelled_places_that_the_course_lacks_are_named(indexes: Indexes) -> None:
    query = Query("q", "?", "", frozenset(["book > Rows", "book > Lost"]))
    with pytest.raises(InvalidInput, match=r"1 labelled places .* book > Lost"):
        await demand_places(indexes, "ds", [query])


async def test_unknown_retrievers_and_courses_are_named(store: Store, indexes: Indexes) -> None:
    with pytest.raises(UnknownName, match="tree"):
        retrieval_plan(indexes, "ds", QUERIES, ["treee"], lambda _query, passage: passage.document, {})
    with pytest.raises(UnknownName, match="course"):
        await labelled_queries(store, "nowhere")


def test_figures_follow_from_the_rankings() -> None:
    report = retrieval_report("d", QUERIES, outcome(("r", "a", ["9", "1"]), ("r", "b", ["2", "9", "3"])), [1, 3])
    figures = report.summary["retrievers"]["r"]
    assert report.scores["recall@1"]["r"] == {"a": 0.0, "b": 0.5}
    assert report.scores["recall@3"]["r"] == {"a": 1.0, "b": 1.0}
    assert report.scores["mrr@10"]["r"] == {"a": 0.5, "b": 1.0}
    assert figures["recall@1"]["mean"] == 0.25
    assert figures["kinds"]["y"] == {"n": 1, "recall@1": {"mean": 0.5, "low": 0.5, "high": 0.5}} | {
        "recall@3": figures["kinds"]["y"]["recall@3"]
    }
    assert (figures["model_calls"], figures["tokens"], figures["cost_usd"]) == (1, 15, 0.5)


def test_the_order_of_a_ranking_decides_and_not_the_names_in_it() -> None:
    ranking = ["z", "y", "1"]
    report = retrieval_report("d", QUERIES[:1], outcome(("r", "a", ranking)), [1, 2, 3])
    assert [report.scores[f"recall@{k}"]["r"]["a"] for k in (1, 2, 3)] == [0.0, 0.0, 1.0]


def test_a_failed_query_is_unscored_and_not_zero() -> None:
    figures = retrieval_report("d", QUERIES, outcome(("r", "a", ["1"]), ("r", "b", None)), [1]).summary
    assert figures["n"] == 2
    assert figures["retrievers"]["r"]["recall@1"]["mean"] == 1.0
    assert figures["retrievers"]["r"]["unscored"] == 1


def test_a_query_that_finds_nothing_is_zero_and_not_unscored() -> None:
    figures = retrieval_report("d", QUERIES[:1], outcome(("r", "a", [])), [1]).summary["retrievers"]["r"]
    assert (figures["recall@1"]["mean"], figures["unscored"]) == (0.0, 0)


def test_a_retriever_that_failed_everywhere_has_no_figure() -> None:
    figures = retrieval_report("d", QUERIES, outcome(("r", "a", None), ("r", "b", None)), [1]).summary["retrievers"][
        "r"
    ]
    assert figures["recall@1"] == {"mean": None, "low": None, "high": None}
    assert figures["latency_ms"] == {"p50": None, "p95": None}


def test_run_files_have_the_columns_of_trec(tmp_path: Path) -> None:
    (path,) = write_runs(tmp_path / "runs", outcome(("r", "a", ["a b", "1"])))
    assert path.name == "r.run"
    assert path.read_text() == "a Q0 a_b 1 2 r\na Q0 1 2 1 r\n"

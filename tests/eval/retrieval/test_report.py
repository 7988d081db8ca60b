"""Recall of retrievers, from rankings to figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.dataset import Dataset
from core.errors import InvalidInput, UnknownName
from core.llm.models import Models
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.store.store import Store
from core.types import Source
from eval.datasets.queries import KIND, Query, labelled_queries
from eval.datasets.runs import read_run
from eval.metrics import chosen_metrics
from eval.plan import Plan
from eval.retrieval.evaluation import RetrievalRequest, retrieval_plan, run_file_names, write_runs
from eval.retrieval.report import RetrievalReport, default_metrics, retrieval_report
from eval.runner import Runner
from eval.scoring import ScoredRun
from eval.setups.retrieval import RetrievalSetup, course_setup
from retrievers.index.indexes import Indexes
from retrievers.locations import demand_locations
from retrievers.tasks import IsRelevant
from tests.eval.actors.scripted import Scripted
from tests.eval.actors.scripted import outcome as outcome_of
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Block, Shelf

BOOK = [Block("Rows are selected by a condition.", "Rows"), Block("A histogram shows a distribution.", "Charts")]
LABELS = {
    "q1": {"text": "select rows", "kind": "textbook", "relevant": ["book > Rows"]},
    "q2": {"text": "histogram", "kind": "textbook", "relevant": ["book > Charts"]},
}
QUERIES = (Query("a", "?", "x", frozenset("1")), Query("b", "?", "y", frozenset("23")))


@pytest.fixture
async def store(store: Store) -> Store:
    await Shelf(store, FakeEmbedder()).add("ds", "book", BOOK)
    return store


@pytest.fixture
def indexes(store: Store, tmp_path: Path) -> Indexes:
    return Indexes(store, fake_embeddings(), tmp_path / "index")


def outcome(*rows: tuple[str, str, list[str] | None], ks: tuple[int, ...] = (1,), n: int = 2) -> ScoredRun[Query]:
    actors = tuple(Scripted(name) for name in dict.fromkeys(row[0] for row in rows))
    metrics = chosen_metrics(KIND, default_metrics(ks))
    return outcome_of(Plan(KIND, Dataset("d", QUERIES[:n]), actors, metrics), *rows)


async def setup_of(store: Store, indexes: Indexes) -> RetrievalSetup:
    await store.evaluations.put_labels("ds", "retrieval", LABELS)
    return await course_setup(store, indexes, "fake", Models.of(OfflineLLM({})).default, "ds")


async def test_a_courses_own_queries_are_searched_and_scored(store: Store, indexes: Indexes) -> None:
    plan = retrieval_plan(await setup_of(store, indexes), RetrievalRequest(("bm25", "tree"), cutoffs=(1, 3)))
    report = retrieval_report(await Runner(store.evaluations, OfflineLLM({}), {}).run(plan))
    assert (report.n, report.dataset, report.course) == (2, "ds", "ds")
    for name in ("bm25", "tree"):
        figures = report.actors[name]
        assert figures.means["recall@1"].mean == 1.0
        assert figures.model_calls == 0
        assert figures.latency_ms.p50
        assert figures.latency_ms.p50 > 0


async def test_a_query_is_searched_in_the_material_it_is_about(store: Store, indexes: Indexes) -> None:
    await Shelf(store, FakeEmbedder()).add("ds", "syllabus", ["select rows"], source=Source.LOGISTICS)
    plan = retrieval_plan(await setup_of(store, indexes), RetrievalRequest(("bm25",)))
    (row, _) = (await Runner(store.evaluations, OfflineLLM({}), {}).run(plan)).rows
    assert row.output == ["book > Rows"]


async def test_the_model_that_scores_passages_may_be_named(store: Store, indexes: Indexes) -> None:
    big = ScriptedLLM({IsRelevant: [0.5]}, model="big")
    models = Models.of(ScriptedLLM({IsRelevant: [0.5]}, model="small"), big)
    plan = retrieval_plan(await setup_of(store, indexes), RetrievalRequest(("vector_gen@big",)))
    report = retrieval_report(await Runner(store.evaluations, models, {}).run(plan))
    assert list(report.actors) == ["vector_gen@big"]
    assert report.actors["vector_gen@big"].model_calls == len(big.tasks) / 2 > 0


async def test_a_course_without_labels_says_how_to_add_them(store: Store, indexes: Indexes) -> None:
    with pytest.raises(InvalidInput, match="course load"):
        await labelled_queries(store, "ds")


async def test_labelled_locations_that_the_course_lacks_are_named(indexes: Indexes) -> None:
    with pytest.raises(InvalidInput, match=r"1 labelled locations .* book > Row \(the nearest is book > Rows\)"):
        await demand_locations(indexes, "ds", ["book > Rows", "book > Row"])


async def test_unknown_retrievers_actors_and_courses_are_named(store: Store, indexes: Indexes) -> None:
    setup = await setup_of(store, indexes)
    with pytest.raises(UnknownName, match="tree"):
        retrieval_plan(setup, RetrievalRequest(("treee",)))
    with pytest.raises(UnknownName, match="run:PATH"):
        retrieval_plan(setup, RetrievalRequest(actors=("calls:x",)))
    with pytest.raises(UnknownName, match="course"):
        await labelled_queries(store, "nowhere")


def test_figures_follow_from_the_rankings() -> None:
    found = outcome(("r", "a", ["9", "1"]), ("r", "b", ["2", "9", "3"]), ks=(1, 3))
    figures = retrieval_report(found).actors["r"]
    assert found.scores("recall@1", "r") == {"a": 0.0, "b": 0.5}
    assert found.scores("recall@3", "r") == {"a": 1.0, "b": 1.0}
    assert found.scores("mrr@10", "r") == {"a": 0.5, "b": 1.0}
    assert figures.means["recall@1"].mean == 0.25
    assert figures.kinds["y"].n == 1
    assert figures.kinds["y"].means["recall@1"].model_dump() == {"mean": 0.5, "low": 0.5, "high": 0.5}
    assert (figures.model_calls, figures.tokens, figures.cost_usd) == (1, 15, 0.5)


def test_a_report_has_one_shape_in_json_and_comes_back_from_it() -> None:
    report = retrieval_report(outcome(("r", "a", ["1"]), ("r", "b", None)))
    shown = report.model_dump(mode="json")
    assert shown["retrievers"]["r"]["recall@1"]["mean"] == 1.0
    assert [one["name"] for one in shown["metrics"]] == ["recall@1", "mrr@10", "ndcg@10", "latency_ms"]
    assert RetrievalReport.model_validate(shown) == report


def test_a_failed_query_is_unscored_and_not_zero() -> None:
    report = retrieval_report(outcome(("r", "a", ["1"]), ("r", "b", None)))
    assert (report.n, report.complete) == (2, False)
    assert report.actors["r"].means["recall@1"].mean == 1.0
    assert report.actors["r"].unscored == 1


def test_a_query_that_finds_nothing_is_zero_and_not_unscored() -> None:
    figures = retrieval_report(outcome(("r", "a", []), n=1)).actors["r"]
    assert (figures.means["recall@1"].mean, figures.unscored) == (0.0, 0)


def test_a_retriever_that_failed_everywhere_has_no_figure() -> None:
    figures = retrieval_report(outcome(("r", "a", None), ("r", "b", None))).actors["r"]
    assert figures.means["recall@1"].model_dump() == {"mean": None, "low": None, "high": None}
    assert figures.latency_ms.model_dump() == {"p50": None, "p95": None}


def test_latency_is_that_of_scored_rows_alone() -> None:
    found = outcome(("r", "a", ["1"]), ("r", "b", None))
    for row in found.rows:
        row.ms = 10.0 if row.item == "a" else 9000.0
    assert retrieval_report(found).actors["r"].latency_ms.model_dump() == {"p50": 10.0, "p95": 10.0}


def test_run_files_have_the_columns_of_trec_and_can_be_read_back(tmp_path: Path) -> None:
    (path,) = write_runs(tmp_path / "runs", outcome(("r", "a", ["a b", "1"])))
    assert path.name == "r.run"
    assert path.read_text() == "a Q0 a_b 1 2 r\na Q0 1 2 1 r\n"
    assert read_run(path) == {"a": ["a_b", "1"]}


def test_each_actor_has_a_run_file_of_its_own() -> None:
    actors = ("run:a b", "run:a_b.run", "run_a_b", "RUN_A_B", "bm25", "bm25-2", "BM25")
    names = run_file_names(actors)
    assert list(names) == list(actors)
    assert len({name.casefold() for name in names.values()}) == len(actors)
    assert (names["run:a b"], names["run:a_b.run"], names["bm25"]) == ("run_a_b.run", "run_a_b-2.run", "bm25.run")

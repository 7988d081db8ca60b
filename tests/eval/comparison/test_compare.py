"""Two stored evaluations held against each other."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from core.dataset import Dataset
from core.errors import BadReply, InvalidInput, NotFound, SetupError, UnknownName
from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.store.store import Store
from eval.comparison.compare import ComparisonReport, compared, selected
from eval.comparison.limits import MetricLimit
from eval.datasets.queries import KIND, Query
from eval.export import ExportFormat, exported
from eval.metrics import chosen_metrics
from eval.plan import Plan
from eval.retrieval.report import default_metrics, retrieval_report
from eval.runner import Runner
from eval.stored import listed_evaluations, stored_report
from tests.eval.actors.scripted import Scripted

QUERIES = tuple(Query(f"q{n:02}", f"Where is {n}?", "x", frozenset([f"place {n}"])) for n in range(20))


def finds(*lost: int, failed: int | None = None, tail: str = "elsewhere") -> Any:
    """An actor's function that finds what is wanted, but for the lost queries."""

    async def act(query: Query, _seed: int, _llm: LLM) -> list[str]:
        number = int(query.id.removeprefix("q"))
        if number == failed:
            raise BadReply("no")
        return [tail] if number in lost else [*query.relevant, tail]

    return act


async def measured(
    store: Store, dataset: Dataset[Query] | None = None, seeds: tuple[int, ...] = (0,), **actors: Any
) -> str:
    """An evaluation of these actors; its id."""
    named = tuple(Scripted(name, act) for name, act in actors.items())
    metrics = chosen_metrics(KIND, default_metrics([1, 5]))
    plan = Plan(KIND, dataset or Dataset("d", QUERIES), named, metrics, seeds)
    runner = Runner(store.evaluations, OfflineLLM({}), {})
    outcome = await runner.run(plan)
    await runner.finish(outcome, retrieval_report(outcome))
    return outcome.evaluation.id


async def compare(store: Store, base: str, candidate: str, *limits: str, force: bool = False) -> ComparisonReport:
    one, other = await selected(store.evaluations, base), await selected(store.evaluations, candidate)
    return compared(one, other, [MetricLimit.parsed(limit) for limit in limits], force=force)


async def test_differences_are_paired_and_items_are_named(store: Store) -> None:
    base = await measured(store, r=finds(1, 2))
    candidate = await measured(store, r=finds(2, *range(10, 18), failed=19, tail="other"))
    report = await compare(store, base, candidate)
    (actor,) = report.actors
    recall = actor.metrics[0]
    assert (recall.metric, recall.n) == ("recall@1", 19)
    assert recall.difference.mean == pytest.approx(-7 / 19, abs=1e-5)
    assert recall.difference.low is not None
    assert recall.difference.high is not None
    assert recall.difference.low < -7 / 19 < recall.difference.high < 0
    items = actor.items
    assert (items.better, items.worse, items.changed, items.missing) == (1, 8, 10, 1)
    assert [(one.item, one.text) for one in items.shown["better"]] == [("q01", "Where is 1?")]
    assert [(one.item, one.base, one.candidate) for one in items.shown["missing"]] == [("q19", 1.0, None)]


async def test_p_is_adjusted_for_every_metric_of_every_actor(store: Store) -> None:
    alone, base = await measured(store, a=finds(1)), await measured(store, a=finds(1), b=finds(1))
    fallen = finds(*range(8))
    one = await compare(store, alone, await measured(store, a=fallen))
    two = await compare(store, base, await measured(store, a=fallen, b=fallen))
    assert two.actors[0].metrics[0].p > one.actors[0].metrics[0].p


async def test_equal_evaluations_differ_in_nothing(store: Store) -> None:
    base = await measured(store, r=finds(1))
    report = await compare(store, base, await measured(store, r=finds(1)), "recall@1:0", "recall@5:-1%")
    recall, items = report.actors[0].metrics[0], report.actors[0].items
    assert recall.difference.model_dump() == {"mean": 0.0, "low": 0.0, "high": 0.0}
    assert (recall.p, items.better, items.worse, items.changed, items.missing) == (1.0, 0, 0, 0, 0)
    assert report.failures == ()


async def test_actors_of_two_names_are_compared_where_they_are_named(store: Store) -> None:
    both = await measured(store, a=finds(), b=finds(1))
    report = await compare(store, f"{both}:a", f"{both}:b")
    assert [(one.base, one.candidate, one.items.worse) for one in report.actors] == [("a", "b", 1)]
    alone = await measured(store, c=finds(1))
    assert (await compare(store, f"{both}:a", alone)).actors[0].candidate == "c"
    with pytest.raises(InvalidInput, match=r"No actor is in both .*ID:ACTOR"):
        await compare(store, both, alone)
    with pytest.raises(UnknownName, match="Allowed: a, b"):
        await compare(store, f"{both}:x", alone)


async def test_edited_labels_are_refused_without_force(store: Store) -> None:
    base = await measured(store, r=finds())
    edited = (replace(QUERIES[0], relevant=frozenset(["elsewhere"])), *QUERIES[1:])
    candidate = await measured(store, Dataset("d", edited), r=finds())
    with pytest.raises(InvalidInput, match=r"Labels or contents differ .*: 1 item \(q00\)\. .*--force"):
        await compare(store, base, candidate)
    assert "1 item (q00)" in (await compare(store, base, candidate, force=True)).warnings[0]


async def test_other_data_sets_and_other_corpora_are_refused(store: Store) -> None:
    base = await measured(store, r=finds())
    for other, complaint in ((Dataset("e", QUERIES), "data set 'd'"), (Dataset("d", QUERIES, "2"), "corpus of 'd'")):
        with pytest.raises(InvalidInput, match=complaint):
            await compare(store, base, await measured(store, other, r=finds()))


async def test_other_versions_of_a_metric_are_refused(store: Store) -> None:
    base, candidate = await measured(store, r=finds()), await measured(store, r=finds())
    row = await store.evaluations.find(candidate)
    summary = {**row.summary, "metrics": [{**one, "version": "2"} for one in row.summary["metrics"]]}
    await store.evaluations.finish(row.id, row.state, summary)
    with pytest.raises(InvalidInput, match=r"version 1 of recall@1, .* version 2"):
        await compare(store, base, candidate)


@pytest.mark.parametrize(
    ("limit", "fails"),
    [("recall@1:-0.1", True), ("recall@1:-0.2", False), ("recall@1:-30%", False), ("recall@1:-10%", True)],
)
async def test_a_limit_holds_up_to_its_value(store: Store, limit: str, fails: bool) -> None:
    base, candidate = await measured(store, r=finds()), await measured(store, r=finds(1, 2, 3, 4))
    report = await compare(store, base, candidate, limit)
    assert bool(report.failures) is fails


async def test_limits_of_latency_count_upwards(store: Store) -> None:
    base, candidate = await measured(store, r=finds()), await measured(store, r=finds())
    async with store.database.write() as connection:
        for evaluation, ms in ((base, 100.0), (candidate, 130.0)):
            await connection.exec_driver_sql(
                "UPDATE result SET scores = json_set(scores, '$.latency_ms.value', ?) WHERE evaluation_id = ?",
                (ms, evaluation),
            )
    assert (await compare(store, base, candidate, "latency_ms:+20%")).failures
    assert (await compare(store, base, candidate, "latency_ms:+29")).failures
    assert not (await compare(store, base, candidate, "latency_ms:+31", "latency_ms:+40%")).failures


async def test_a_limit_is_exceeded_where_nothing_was_scored(store: Store) -> None:
    async def fails(query: Query, _seed: int, _llm: LLM) -> list[str]:
        raise BadReply("no")

    base, candidate = await measured(store, r=finds()), await measured(store, r=fails)
    assert "no item that both scored" in (await compare(store, base, candidate, "recall@1:-0.5")).failures[0]


async def test_a_candidate_that_crashed_on_items_of_the_base_fails_every_limit(store: Store) -> None:
    async def crashes(query: Query, _seed: int, _llm: LLM) -> list[str]:
        if query.id != "q00":
            raise BadReply("no")
        return [*query.relevant]

    base, candidate = await measured(store, r=finds()), await measured(store, r=crashes)
    report = await compare(store, base, candidate, "recall@5:0", "recall@5:-10%", force=True)
    (failure,) = report.failures
    assert failure.startswith("r: 19 items that the base scored by recall@5 are missing")
    assert report.actors[0].metrics[0].missing == 19


async def test_one_missing_item_fails_a_limit_and_is_a_warning_without_one(store: Store) -> None:
    base, candidate = await measured(store, r=finds()), await measured(store, r=finds(failed=3))
    report = await compare(store, base, candidate)
    assert [warning.split(" are ")[0].split(" is ")[0] for warning in report.warnings] == [
        "r: 1 item that the base scored by recall@1"
    ]
    assert report.failures == ()
    assert (await compare(store, base, candidate, "mrr@10:-50%")).failures[0].startswith("r: 1 item ")


async def test_items_that_the_base_failed_on_are_not_missing(store: Store) -> None:
    base, candidate = await measured(store, r=finds(failed=3)), await measured(store, r=finds(failed=3))
    report = await compare(store, base, candidate, "recall@1:0")
    assert (report.warnings, report.failures) == ((), ())
    better = await compare(store, base, await measured(store, r=finds()), "recall@1:0")
    assert (better.warnings, better.failures) == ((), ())


async def test_an_item_that_failed_under_one_seed_is_missing(store: Store) -> None:
    async def fails_once(query: Query, seed: int, _llm: LLM) -> list[str]:
        if (query.id, seed) == ("q05", 2):
            raise BadReply("no")
        return [*query.relevant]

    base = await measured(store, seeds=(1, 2), r=finds())
    report = await compare(store, base, await measured(store, seeds=(1, 2), r=fails_once), "recall@1:0")
    assert report.actors[0].metrics[0].missing == 1
    fewer = await compare(store, base, await measured(store, seeds=(1,), r=finds()), "recall@1:0")
    assert fewer.failures == ()


@pytest.mark.parametrize(
    ("limit", "complaint"),
    [
        ("recall@1", "Write METRIC:LIMIT"),
        ("recall@1:much", "Write METRIC:LIMIT"),
        ("recall@1:nan", "Write METRIC:LIMIT"),
        ("recall@1:+0.1", "Write recall@1:-0.1"),
        ("latency_ms:-50", r"Write latency_ms:\+50"),
        ("recall@9:-0.1", "recall@1, recall@5, mrr@10"),
    ],
)
async def test_a_limit_that_cannot_be_used_is_named(store: Store, limit: str, complaint: str) -> None:
    base = await measured(store, r=finds())
    with pytest.raises(InvalidInput, match=complaint):
        await compare(store, base, base, limit)


async def test_evaluations_are_found_by_the_beginning_of_their_id(store: Store) -> None:
    first, second = await measured(store, r=finds()), await measured(store, r=finds())
    assert (await stored_report(store.evaluations, first[:12])).evaluation == first
    with pytest.raises(NotFound, match="eval list"):
        await stored_report(store.evaluations, "no such")
    with pytest.raises(InvalidInput, match="is empty"):
        await stored_report(store.evaluations, "")
    listed = await listed_evaluations(store, None, KIND)
    assert [one.id for one in listed] == [second, first]
    assert (listed[0].dataset, listed[0].actors, listed[0].n, listed[0].state) == ("d", ("r",), 20, "done")
    with pytest.raises(UnknownName, match="retrieval, functions, answers, judges, attacks, nightly, dialogues"):
        await listed_evaluations(store, None, "x")


async def test_an_evaluation_that_has_not_ended_has_no_report(store: Store) -> None:
    plan = Plan(KIND, Dataset("d", QUERIES), (Scripted("r", finds()),), chosen_metrics(KIND, default_metrics([1])))
    outcome = await Runner(store.evaluations, OfflineLLM({}), {}).run(plan)
    with pytest.raises(InvalidInput, match="has not ended: 20 of 20 done"):
        await stored_report(store.evaluations, outcome.evaluation.id)


async def test_a_failed_item_is_exported_with_its_error_and_without_scores(store: Store) -> None:
    selection = await selected(store.evaluations, await measured(store, r=finds(failed=3)))
    lines = exported(selection, ExportFormat.CSV).decode().splitlines()
    (failed,) = [line for line in lines if ",q03," in line]
    assert ",failed,,,,,," in failed
    assert "bad-reply,no" in failed
    assert "q03" not in exported(selection, ExportFormat.TREC).decode()


async def test_parquet_without_its_library_says_how_to_install_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    selection = await selected(store.evaluations, await measured(store, r=finds()))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SetupError, match=r"pip install 'edumod\[parquet\]'"):
        exported(selection, ExportFormat.PARQUET)

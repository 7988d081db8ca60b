"""The nightly report: what it holds against what, and when it rings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.dataset import Dataset
from core.errors import SetupError
from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.store.store import Store
from eval.datasets.queries import KIND as RETRIEVAL
from eval.datasets.queries import Query
from eval.metrics import chosen_metrics
from eval.nightly import CUTOFFS, KIND, NightlyReport, nightly_report
from eval.nightly_page import nightly_page
from eval.plan import Plan
from eval.retrieval.report import default_metrics
from eval.runner import Runner
from tests.eval.actors.scripted import Scripted

QUERIES = tuple(Query(str(n), f"Where is <{n}>?", "x", frozenset([f"place {n}"])) for n in range(20))


@pytest.fixture
async def store(store: Store) -> Store:
    await store.courses.put("c", {})
    return store


async def night(
    store: Store,
    lost: Sequence[str] = (),
    failed: Sequence[str] = (),
    threshold: float | None = None,
    queries: tuple[Query, ...] = QUERIES,
    **facts: object,
) -> NightlyReport:
    """One night on which the retriever `r` misses the lost queries and ends with an error on the failed ones."""

    async def act(query: Query, _seed: int, _llm: LLM) -> list[str]:
        if query.id in failed:
            raise SetupError("broken")
        return ["elsewhere", "nowhere"] if query.id in lost else ["elsewhere", *query.relevant]

    metrics = chosen_metrics(RETRIEVAL, default_metrics(CUTOFFS))
    plan = Plan(
        KIND, Dataset("c", queries), (Scripted("r", act),), metrics, facts={"revision": 1, **facts}, course_id="c"
    )
    runner = Runner(store.evaluations, OfflineLLM({}), {})
    outcome = await runner.run(plan)
    report = await nightly_report(store, outcome, at=datetime(2026, 1, 2, 3, tzinfo=UTC), threshold=threshold)
    await runner.finish(outcome, report.summary)
    return report


async def test_the_first_night_has_nothing_to_compare_with(store: Store) -> None:
    report = await night(store)
    assert (report.alarms, report.lost, report.changes) == ((), (), ())
    assert [one.recall for one in report.history] == [{"r": 1.0}]


async def test_a_night_like_the_others_is_quiet(store: Store) -> None:
    await night(store, lost=["1", "2"])
    report = await night(store, lost=["1", "2"])
    assert (report.alarms, report.lost) == ((), ())
    assert [one.recall["r"] for one in report.history] == [0.9, 0.9]


async def test_a_significant_drop_raises_an_alarm_and_names_the_queries(store: Store) -> None:
    await night(store)
    report = await night(store, lost=[str(n) for n in range(8)], revision=2)
    (alarm,) = report.alarms
    assert alarm.retriever == "r"
    assert "40.0 points below the mean of the night before (8 queries worse" in alarm.reason
    assert {one.query for one in report.lost} == {str(n) for n in range(8)}
    first = report.lost[0]
    assert (first.before, first.now, first.found_instead) == (2, None, "elsewhere")
    assert report.changes == ("revision of the material: 1 → 2",)


async def test_two_worse_queries_of_twenty_are_shown_without_an_alarm(store: Store) -> None:
    await night(store)
    report = await night(store, lost=["3", "4"])
    assert report.alarms == ()
    assert {one.query for one in report.lost} == {"3", "4"}


async def test_a_slow_decline_is_seen_against_the_nights_before(store: Store) -> None:
    for lost in range(0, 10, 2):
        report = await night(store, lost=[str(n) for n in range(lost)])
    assert any("last 4 nights" in alarm.reason for alarm in report.alarms)


async def test_recall_below_the_threshold_rings_on_the_first_night(store: Store) -> None:
    report = await night(store, lost=["1", "2", "3"], threshold=0.9)
    assert [alarm.reason for alarm in report.alarms] == ["recall@5 is 0.850, below the threshold of 0.9."]


async def test_queries_that_could_not_be_answered_ring_though_the_rest_is_fine(store: Store) -> None:
    await night(store)
    report = await night(store, failed=["7"])
    assert [alarm.reason for alarm in report.alarms] == ["1 of 20 queries could not be answered."]
    assert [(one.query, one.now) for one in report.lost] == [("7", None)]


async def test_nights_on_other_labels_are_not_compared(store: Store) -> None:
    await night(store, queries=(replace(QUERIES[0], text="Edited?"), *QUERIES[1:]))
    report = await night(store, lost=[str(n) for n in range(8)])
    assert (report.alarms, len(report.history)) == ((), 1)


async def test_what_was_ingested_since_is_named(store: Store) -> None:
    await night(store)
    await store.jobs.start("c", "ingest textbook")
    report = await night(store)
    assert any(change.startswith("ingest textbook, 20") for change in report.changes)


async def test_the_page_shows_all_of_it_and_needs_nothing_from_elsewhere(store: Store) -> None:
    await night(store)
    page = nightly_page(await night(store, lost=[str(n) for n in range(8)], revision=2))
    for text in (
        "Recall has dropped",
        "Where is &lt;3&gt;?",
        "revision of the material: 1 → 2",
        "place 1",
        "no longer in the material",
        "<svg",
    ):
        assert text in page
    assert "src=" not in page
    assert "<script" not in page


async def test_the_page_of_a_first_night_can_be_drawn(store: Store) -> None:
    page = nightly_page(await night(store))
    assert "This is the first night" in page
    assert "No recall has dropped" in page

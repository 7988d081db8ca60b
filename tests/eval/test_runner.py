"""The evaluation runner: durable, resumable, bounded, honest about failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.errors import BadReply, SetupError
from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.settings import ModelPrice
from core.store.store import Store
from core.store.tables import EvaluationState, ResultState
from eval.runner import Act, Plan, Runner
from ingestion.tasks import Summarize, Summary

PRICES = {"scripted": ModelPrice(input=1000.0, output=0.0)}
"""A call of the scripted model has 100 prompt tokens: 10 cents."""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await store.courses.put("c", {})
    yield store
    await store.aclose()


class Killed(BaseException):
    pass


class Counting:
    """An actor that doubles its item, keeps what it did, and may be told to fail or to be killed at an item."""

    def __init__(self, *, fails: object = None, killed: object = None) -> None:
        self.done: list[tuple[int, int]] = []
        self.fails = fails
        self.killed = killed
        self.at_once = self.most_at_once = 0

    async def __call__(self, item: int, seed: int, llm: LLM) -> int:
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if item == self.killed:
            raise Killed
        self.done.append((item, seed))
        if item == self.fails:
            raise BadReply("no")
        return 2 * item


async def asking(item: int, seed: int, llm: LLM) -> str:
    return (await llm.run(Summarize(document=str(item), heading_path="", texts=("x",)))).value.summary


def plan(*actors: Act[int], n: int = 5, seeds: tuple[int, ...] = (0,), **facts: object) -> Plan[int]:
    items = {str(item): item for item in range(n)}
    return Plan("c", "test", items, {f"actor{place}": actor for place, actor in enumerate(actors)}, seeds, facts)


def runner(store: Store, **options: object) -> Runner:
    return Runner(store.evaluations, OfflineLLM({}), {}, **options)  # type: ignore[arg-type]


async def test_every_actor_answers_every_item_under_every_seed(store: Store) -> None:
    outcome = await runner(store).run(plan(Counting(), Counting(), seeds=(1, 2)))
    assert len(outcome.rows) == 20
    assert {(row.item, row.seed): row.output for row in outcome.of("actor1")}["3", 2] == 6
    assert all(row.ms > 0 for row in outcome.rows)


async def test_a_killed_run_goes_on_where_it_stopped(store: Store) -> None:
    killed, again = Counting(killed=3), Counting()
    with pytest.raises(BaseExceptionGroup):
        await runner(store).run(plan(killed))
    outcome = await runner(store).run(plan(again))
    assert sorted(killed.done + again.done) == [(n, 0) for n in range(5)]
    assert sorted(row.output for row in outcome.rows) == [0, 2, 4, 6, 8]


async def test_a_finished_run_is_measured_anew(store: Store) -> None:
    first, second = Counting(), Counting()
    service = runner(store)
    await service.finish(await service.run(plan(first)), {"figure": 1})
    await service.finish(await service.run(plan(second)), {"figure": 2})
    assert len(second.done) == 5
    assert [row.summary for row in await store.evaluations.history("c", "test")] == [{"figure": 1}, {"figure": 2}]


async def test_a_run_is_not_continued_where_what_it_measures_has_changed(store: Store) -> None:
    with pytest.raises(BaseExceptionGroup):
        await runner(store).run(plan(Counting(killed=3), revision=1))
    changed = Counting()
    await runner(store).run(plan(changed, revision=2))
    assert len(changed.done) == 5


async def test_a_failure_is_kept_as_one_and_tried_again_by_the_next_run(store: Store) -> None:
    outcome = await runner(store).run(plan(Counting(fails=2)))
    (failed,) = [row for row in outcome.rows if row.state == ResultState.FAILED]
    assert (failed.item, failed.output, failed.error) == ("2", None, {"code": "bad-reply", "detail": "no"})
    mended = Counting()
    outcome = await runner(store).run(plan(mended))
    assert mended.done == [(2, 0)]
    assert all(row.state == ResultState.SCORED for row in outcome.rows)


async def test_a_fault_of_ours_costs_its_item_only(store: Store) -> None:
    async def broken(item: int, seed: int, llm: LLM) -> int:
        return 1 // item

    outcome = await runner(store).run(plan(broken))
    assert [row.error and row.error["code"] for row in outcome.rows].count("internal") == 1
    assert [row.output for row in outcome.rows].count(None) == 1


async def test_no_more_than_the_allowed_number_run_at_once(store: Store) -> None:
    actor = Counting()
    await runner(store, concurrency=3).run(plan(actor, n=20))
    assert actor.most_at_once == 3


async def test_the_cost_cap_stops_a_run_which_a_higher_cap_continues(store: Store) -> None:
    llm = ScriptedLLM({Summarize: [Summary(summary="s")]})
    capped = Runner(store.evaluations, llm, PRICES, max_cost_usd=0.25)
    outcome = await capped.run(plan(asking))
    assert (len(outcome.rows), outcome.capped) == (3, True)
    assert outcome.rows[0].usage["cost_usd"] == pytest.approx(0.1)
    await capped.finish(outcome, {})
    assert (await store.evaluations.open("c", "test", plan(asking).key, {})).state == EvaluationState.CAPPED

    outcome = await Runner(store.evaluations, llm, PRICES, max_cost_usd=1.0).run(plan(asking))
    assert (len(outcome.rows), outcome.capped) == (5, False)
    assert len(llm.tasks) == 5


async def test_a_capped_run_has_asked_every_actor_about_the_same_items(store: Store) -> None:
    llm = ScriptedLLM({Summarize: [Summary(summary="s")]})
    outcome = await Runner(store.evaluations, llm, PRICES, max_cost_usd=0.35).run(plan(asking, asking))
    assert {row.item for row in outcome.of("actor0")} == {row.item for row in outcome.of("actor1")} == {"0", "1"}


async def test_a_cap_needs_a_price(store: Store) -> None:
    llm = ScriptedLLM({Summarize: [Summary(summary="s")]})
    with pytest.raises(SetupError, match="EDUMOD_LLM_PRICES"):
        await Runner(store.evaluations, llm, {}, max_cost_usd=1.0).run(plan(asking))


async def test_progress_counts_what_was_there_already(store: Store) -> None:
    with pytest.raises(BaseExceptionGroup):
        await runner(store).run(plan(Counting(killed=3)))
    seen: list[tuple[int, int]] = []
    await runner(store).run(plan(Counting()), lambda done, total: seen.append((done, total)))
    assert seen[0] == (3, 5)
    assert seen[-1] == (5, 5)

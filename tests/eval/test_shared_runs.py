"""Several processes that measure one plan: every cell once, whichever of them dies."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.store import processes
from core.store.store import Store
from eval.runner import RunLimits, Runner
from tests.eval.actors.scripted import Number
from tests.eval.test_runner import plan

CELLS = 60


class Paid:
    """An actor whose every call is paid for, counted over all processes."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    async def __call__(self, item: Number, seed: int, llm: LLM) -> int:
        self.calls[item.id] += 1
        await asyncio.sleep(0.005)
        return item.value


def runner(store: Store) -> Runner:
    return Runner(store.evaluations, OfflineLLM({}), {})


async def test_two_processes_share_the_cells_and_both_see_all_results(database_url: str) -> None:
    stores, actor = [await Store.open(database_url) for _ in range(2)], Paid()
    await stores[0].courses.put("c", {})
    runs = (runner(store).run(plan(actor, n=CELLS), RunLimits(concurrency=4)) for store in stores)
    outcomes = await asyncio.gather(*runs)
    assert [len(outcome.rows) for outcome in outcomes] == [CELLS, CELLS]
    assert set(actor.calls.values()) == {1}
    assert len(actor.calls) == CELLS
    for store in stores:
        await store.aclose()


async def test_what_a_killed_process_had_claimed_is_measured_by_the_others(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "DEAD_AFTER", timedelta(seconds=0.5))
    victim, other, actor = await Store.open(database_url), await Store.open(database_url), Paid()
    await victim.courses.put("c", {})
    outcome = await runner(victim).run(plan(actor, n=1))
    claims = victim.evaluations.claims(outcome.evaluation.id)
    # It claims cells of the next plan, and is gone without giving them up.
    row = await victim.evaluations.find(outcome.evaluation.id)
    assert await claims.claim([("actor0", "0", 0), ("actor0", "1", 0)]) == [("actor0", "1", 0)]
    beats = asyncio.create_task(_beat(other))
    held = other.evaluations.claims(row.id)
    assert await held.claim([("actor0", "1", 0)]) == []
    await asyncio.sleep(1.6)
    assert await held.claim([("actor0", "1", 0)]) == [("actor0", "1", 0)]
    beats.cancel()
    for store in (victim, other):
        await store.aclose()


async def _beat(store: Store) -> None:
    while True:
        await store.processes.beat()
        await asyncio.sleep(0.1)


async def test_a_run_that_ended_leaves_its_cells_to_the_next_of_the_same_process(database_url: str) -> None:
    store = await Store.open(database_url)
    await store.courses.put("c", {})
    outcome = await runner(store).run(plan(Paid(), n=1))
    first = store.evaluations.claims(outcome.evaluation.id)
    assert await first.claim([("actor0", "9", 0)])
    second = store.evaluations.claims(outcome.evaluation.id)
    assert not await second.claim([("actor0", "9", 0)])
    await first.release()
    assert await second.claim([("actor0", "9", 0)])
    await store.aclose()

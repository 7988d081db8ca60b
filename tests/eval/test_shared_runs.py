"""Several processes that measure one plan: every cell once, whichever of them dies."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime

from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.store.processes import DEAD_AFTER
from core.store.store import Store
from core.store.tables import ProcessRow, table_of
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


async def test_what_a_killed_process_had_claimed_is_measured_by_the_others(database_url: str) -> None:
    victim, other = await Store.open(database_url), await Store.open(database_url)
    await victim.courses.put("c", {})
    outcome = await runner(victim).run(plan(Paid(), n=1))
    claims = victim.evaluations.claims(outcome.evaluation.id)
    # It claims cells of the next plan, and is gone without giving them up.
    assert await claims.claim([("actor0", "0", 0), ("actor0", "1", 0)]) == [("actor0", "1", 0)]
    held = other.evaluations.claims(outcome.evaluation.id)
    assert await held.claim([("actor0", "1", 0)]) == []
    await _was_not_seen_for_long(victim)
    assert await held.claim([("actor0", "1", 0)]) == [("actor0", "1", 0)]
    for store in (victim, other):
        await store.aclose()


async def _was_not_seen_for_long(store: Store) -> None:
    processes = table_of(ProcessRow)
    change = (
        processes.update()
        .where(processes.c.id == store.processes.id)
        .values(seen_at=datetime.now(UTC) - 2 * DEAD_AFTER)
    )
    async with store.database.write() as connection:
        await connection.execute(change)


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

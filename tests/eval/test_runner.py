"""The evaluation runner: durable, resumable, bounded, honest about failures."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadReply, SetupError, StorageUnavailable
from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.settings import ModelPrice
from core.store.evaluations import Evaluations
from core.store.store import Store
from core.store.tables import EvaluationState, ResultRow, ResultState
from core.types import Value
from eval.metrics.latency_ms import LatencyMs
from eval.plan import Plan
from eval.runner import RunLimits, Runner
from ingestion.tasks import Summarize, Summary
from tests.eval.actors.scripted import Number, Scripted, Untimed, numbers

PRICES = {"scripted": ModelPrice(input=1000.0, output=0.0)}
"""A call of the scripted model has 100 prompt tokens: 10 cents."""


@pytest.fixture
async def store(store: Store) -> Store:
    await store.courses.put("c", {})
    return store


class Killed(BaseException):
    pass


class Counting:
    """An actor that doubles its item, keeps what it did, and may be told to fail or to be killed at an item."""

    def __init__(self, *, fails: object = None, killed: object = None) -> None:
        self.done: list[tuple[int, int]] = []
        self.fails = fails
        self.killed = killed
        self.at_once = self.most_at_once = 0
        self.busy = asyncio.Event()
        """Set once it has done its twentieth item."""

    async def __call__(self, item: Number, seed: int, llm: LLM) -> int:
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if item.value == self.killed:
            raise Killed
        self.done.append((item.value, seed))
        if len(self.done) == 20:
            self.busy.set()
        if item.value == self.fails:
            raise BadReply("no")
        return 2 * item.value


class Figure(Value):
    """A report."""

    figure: int = 0


async def asking(item: Number, seed: int, llm: LLM) -> str:
    return (await llm.run(Summarize(document=item.id, heading_path="", texts=("x",)))).value.summary


Act = Callable[[Number, int, LLM], Awaitable[object]]


def plan(*actors: Act, n: int = 5, seeds: tuple[int, ...] = (0,), **facts: object) -> Plan[Number]:
    named = tuple(Scripted(f"actor{number}", actor) for number, actor in enumerate(actors))
    return Plan("test", numbers(n), named, (LatencyMs(),), seeds, facts, "c")


def runner(store: Store) -> Runner:
    return Runner(store.evaluations, OfflineLLM({}), {})


async def test_every_actor_answers_every_item_under_every_seed(store: Store) -> None:
    outcome = await runner(store).run(plan(Counting(), Counting(), seeds=(1, 2)))
    assert len(outcome.rows) == 20
    assert {(row.item, row.seed): row.output for row in outcome.of("actor1")}["3", 2] == 6
    assert all(row.ms and row.ms > 0 for row in outcome.rows)


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
    await service.finish(await service.run(plan(first)), Figure(figure=1))
    await service.finish(await service.run(plan(second)), Figure(figure=2))
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


async def test_a_bug_affects_only_its_item(store: Store) -> None:
    async def broken(item: Number, seed: int, llm: LLM) -> int:
        return 1 // item.value

    outcome = await runner(store).run(plan(broken))
    assert [row.error and row.error["code"] for row in outcome.rows].count("internal") == 1
    assert [row.output for row in outcome.rows].count(None) == 1


async def test_no_more_than_the_allowed_number_run_at_once(store: Store) -> None:
    actor = Counting()
    await runner(store).run(plan(actor, n=20), RunLimits(concurrency=3))
    assert actor.most_at_once == 3


async def test_the_cost_cap_stops_a_run_which_a_higher_cap_continues(store: Store) -> None:
    llm = ScriptedLLM({Summarize: [Summary(summary="s")]})
    service = Runner(store.evaluations, llm, PRICES)
    outcome = await service.run(plan(asking), RunLimits(max_cost_usd=0.25))
    assert (len(outcome.rows), outcome.capped) == (3, True)
    assert outcome.rows[0].usage["cost_usd"] == pytest.approx(0.1)
    await service.finish(outcome, Figure())
    assert (await store.evaluations.find(outcome.evaluation.id)).state == EvaluationState.CAPPED

    outcome = await service.run(plan(asking), RunLimits(max_cost_usd=1.0))
    assert (len(outcome.rows), outcome.capped) == (5, False)
    assert len(llm.tasks) == 5


async def test_a_capped_run_has_asked_every_actor_about_the_same_items(store: Store) -> None:
    llm = ScriptedLLM({Summarize: [Summary(summary="s")]})
    outcome = await Runner(store.evaluations, llm, PRICES).run(plan(asking, asking), RunLimits(max_cost_usd=0.35))
    assert {row.item for row in outcome.of("actor0")} == {row.item for row in outcome.of("actor1")} == {"0", "1"}


async def test_a_cap_needs_a_price(store: Store) -> None:
    llm = ScriptedLLM({Summarize: [Summary(summary="s")]})
    with pytest.raises(SetupError, match="EDUMOD_LLM_PRICES"):
        await Runner(store.evaluations, llm, {}).run(plan(asking), RunLimits(max_cost_usd=1.0))


async def test_progress_counts_what_was_there_already(store: Store) -> None:
    with pytest.raises(BaseExceptionGroup):
        await runner(store).run(plan(Counting(killed=3)))
    seen: list[tuple[int, int]] = []
    await runner(store).run(plan(Counting()), progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (3, 5)
    assert seen[-1] == (5, 5)


async def test_an_item_whose_label_was_edited_between_two_halves_is_measured_anew(store: Store) -> None:
    with pytest.raises(BaseExceptionGroup):
        await runner(store).run(plan(Counting(killed=3)))
    edited = plan(again := Counting())
    items = tuple(replace(one, label="edited") if one.value == 1 else one for one in edited.dataset.items)
    outcome = await runner(store).run(replace(edited, dataset=replace(edited.dataset, items=items)))
    assert (1, 0) in again.done
    assert len(outcome.rows) == 5


async def test_an_actor_whose_file_changed_is_measured_anew(store: Store) -> None:
    def versioned(actor: Counting, identity: str) -> Plan[Number]:
        return replace(plan(), actors=(Scripted("file", actor, identity),))

    with pytest.raises(BaseExceptionGroup):
        await runner(store).run(versioned(Counting(killed=3), "old"))
    changed = Counting()
    await runner(store).run(versioned(changed, "new"))
    assert len(changed.done) == 5


async def test_an_evaluation_need_not_belong_to_a_course(store: Store) -> None:
    lone = replace(plan(Counting(killed=3)), course_id=None)
    with pytest.raises(BaseExceptionGroup):
        await runner(store).run(lone)
    outcome = await runner(store).run(replace(plan(again := Counting()), course_id=None))
    assert (outcome.evaluation.course_id, len(again.done)) == (None, 2)
    assert [row.id for row in await store.evaluations.all()] == [outcome.evaluation.id]


async def test_an_actor_that_takes_no_time_has_no_latency(store: Store) -> None:
    outcome = await runner(store).run(replace(plan(), actors=(Untimed("file", Counting()),)))
    assert {row.ms for row in outcome.rows} == {None}
    assert outcome.scores("latency_ms", "file") == {}


async def test_items_and_scores_are_stored_with_the_evaluation(store: Store) -> None:
    service = runner(store)
    outcome = await service.run(plan(Counting(fails=2)))
    await service.finish(outcome, Figure())
    items = await store.evaluations.items(outcome.evaluation.id)
    assert [item.text for item in items.values()] == [f"Number {n}" for n in range(5)]
    rows = {row.item: row for row in await store.evaluations.results(outcome.evaluation.id)}
    assert rows["1"].scores["latency_ms"]["value"] == rows["1"].ms
    assert rows["2"].scores["latency_ms"] == {
        "value": None,
        "unscored": "no",
        "explanation": "",
        "parts": {},
        "quotes": [],
    }


class Announced(Evaluations):
    """Says when a write begins, and calls `refused` where the database did not take it."""

    def __init__(self, store: Store, refused: Callable[[], object] = lambda: None) -> None:
        super().__init__(store.database)
        self.writing = asyncio.Event()
        self._refused = refused

    async def save(self, results: Sequence[ResultRow]) -> None:
        self.writing.set()
        try:
            await super().save(results)
        except StorageUnavailable:
            self._refused()
            raise


@pytest.fixture
def other_process(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that is no part of the store."""
    connection = sqlite3.connect(tmp_path / "edumod.db", isolation_level=None)
    yield connection
    connection.close()


async def stored_items(store: Store) -> set[str]:
    (evaluation,) = await store.evaluations.all()
    return {row.item for row in await store.evaluations.results(evaluation.id)}


async def test_outputs_are_stored_where_a_run_is_interrupted_while_they_are_written(
    store: Store, other_process: sqlite3.Connection
) -> None:
    evaluations, done = Announced(store), set()

    async def act(item: Number, _seed: int, _llm: LLM) -> int:
        if item.value == 0:
            other_process.execute("BEGIN IMMEDIATE")
        done.add(item.id)
        return item.value

    running = asyncio.create_task(Runner(evaluations, OfflineLLM({}), {}).run(plan(act, n=40), RunLimits(8)))
    await evaluations.writing.wait()
    running.cancel()
    await asyncio.sleep(0)
    other_process.execute("COMMIT")
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await stored_items(store) == done


async def test_no_output_is_lost_whenever_a_run_is_interrupted(tmp_path: Path) -> None:
    for moment in range(0, 30, 2):
        store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / str(moment)}.db")
        await store.courses.put("c", {})
        actor = Counting()
        running = asyncio.create_task(runner(store).run(plan(actor, n=200), RunLimits(8)))
        await actor.busy.wait()
        for _ in range(moment):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await stored_items(store) == {str(value) for value, _ in actor.done}, moment
        await store.aclose()


async def test_outputs_outlive_a_write_that_the_database_refuses(
    tmp_path: Path, other_process: sqlite3.Connection
) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}", busy_seconds=0.05)
    await store.courses.put("c", {})
    actor = Counting()

    async def act(item: Number, seed: int, llm: LLM) -> int:
        if item.value == 0:
            other_process.execute("BEGIN IMMEDIATE")
        return await actor(item, seed, llm)

    evaluations = Announced(store, refused=lambda: other_process.in_transaction and other_process.execute("COMMIT"))
    with pytest.raises(StorageUnavailable):
        await Runner(evaluations, OfflineLLM({}), {}).run(plan(act, n=40), RunLimits(8))
    assert actor.done
    assert await stored_items(store) == {str(value) for value, _ in actor.done}
    await store.aclose()

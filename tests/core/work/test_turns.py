"""Turns are fair: nobody's work keeps another person waiting for more than one job."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from core.errors import Overloaded, Stopping
from core.work.callers import OWN, Caller, current_caller, set_caller, working_for
from core.work.turns import TurnQueue

GREEDY, HONEST = ("greedy",), ("honest",)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Jobs:
    """Jobs that end when the test says so; `started` names them in order."""

    def __init__(self, slots: int, max_waiting: int) -> None:
        self.clock = Clock()
        self.turns = TurnQueue(slots, max_waiting=max_waiting, clock=self.clock)
        self.started: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, caller: Caller, name: str) -> None:
        async def job() -> None:
            async with self.turns.turn(caller):
                self.started.append(name)
                await self._ends[name].wait()

        self._ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(job())
        await settled()

    async def end(self, name: str, seconds: float = 1.0) -> None:
        self.clock.now += seconds
        self._ends[name].set()
        await self.tasks[name]
        await settled()

    async def cancel(self, name: str) -> None:
        self.tasks[name].cancel()
        with suppress(asyncio.CancelledError):
            await self.tasks[name]
        await settled()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def jobs(slots: int = 1, max_waiting: int = 100) -> AsyncIterator[Jobs]:
    made = Jobs(slots, max_waiting)
    yield made
    for task in made.tasks.values():
        task.cancel()
    await asyncio.gather(*made.tasks.values(), return_exceptions=True)


async def test_who_comes_behind_ten_jobs_of_one_person_is_served_after_the_first() -> None:
    async with jobs() as work:
        for number in range(10):
            await work.ask(GREEDY, f"greedy {number}")
        await work.ask(HONEST, "honest")
        await work.end("greedy 0")
        assert work.started == ["greedy 0", "honest"]


async def test_whose_jobs_were_slow_of_late_yields_to_others() -> None:
    async with jobs() as work:
        await work.ask(GREEDY, "slow")
        await work.end("slow", 10)
        await work.ask(HONEST, "quick")
        await work.ask(GREEDY, "greedy")
        await work.ask(HONEST, "second")
        await work.end("quick", 1)
        assert work.started == ["slow", "quick", "second"]


async def test_what_somebody_used_is_forgotten_with_time() -> None:
    async with jobs() as work:
        await work.ask(GREEDY, "slow")
        await work.end("slow", 10)
        work.clock.now += 3_600
        await work.ask(HONEST, "quick")
        await work.ask(GREEDY, "greedy")
        await work.ask(HONEST, "second")
        await work.end("quick", 1)
        assert work.started == ["slow", "quick", "greedy"]


async def test_one_person_never_has_the_last_free_turn() -> None:
    async with jobs(slots=2) as work:
        await work.ask(GREEDY, "greedy 0")
        await work.ask(GREEDY, "greedy 1")
        assert work.started == ["greedy 0"]
        await work.ask(HONEST, "honest")
        assert work.started == ["greedy 0", "honest"]
        await work.end("greedy 0")
        assert work.started == ["greedy 0", "honest", "greedy 1"]


async def test_a_command_uses_all_turns_and_waits_in_any_number() -> None:
    async with jobs(slots=2, max_waiting=2) as work:
        for number in range(20):
            await work.ask(OWN, f"own {number}")
        assert work.started == ["own 0", "own 1"]
        for number in range(3):
            await work.ask(HONEST, f"honest {number}")
        assert not any(work.tasks[f"own {number}"].done() for number in range(20))
        assert isinstance(work.tasks["honest 2"].exception(), Overloaded)


async def test_a_key_that_invents_people_gains_nothing_over_another_key() -> None:
    async with jobs() as work:
        for number in range(10):
            await work.ask(("key", f"person {number}"), f"invented {number}")
        await work.ask(HONEST, "first")
        await work.ask(HONEST, "second")
        await work.end("invented 0")
        await work.end("first")
        await work.end("invented 1")
        assert work.started == ["invented 0", "first", "invented 1", "second"]


async def test_people_behind_one_key_take_turns() -> None:
    async with jobs() as work:
        for number in range(5):
            await work.ask(("forum", "greedy"), f"greedy {number}")
        await work.ask(("forum", "honest"), "honest")
        await work.end("greedy 0")
        assert work.started == ["greedy 0", "honest"]


async def test_what_does_not_fit_into_the_queue_is_refused_at_once() -> None:
    async with jobs(max_waiting=2) as work:
        for number in range(3):
            await work.ask(GREEDY, f"greedy {number}")
        await work.ask(GREEDY, "one too many")
        with pytest.raises(Overloaded) as refusal:
            await work.tasks["one too many"]
        assert refusal.value.retry_after


@pytest.mark.parametrize(
    "callers",
    [
        [GREEDY] * 5,
        [("key", "a"), ("key", "b"), ("key", "c"), ("key", "d"), ("key", "e")],
        [("other",), GREEDY, GREEDY, GREEDY, GREEDY],
    ],
)
async def test_in_a_full_queue_whoever_has_the_most_makes_room(callers: list[Caller]) -> None:
    async with jobs(max_waiting=4) as work:
        for number, caller in enumerate(callers):
            await work.ask(caller, str(number))
        await work.ask(HONEST, "honest")
        with pytest.raises(Overloaded):
            await work.tasks["4"]
        assert not work.tasks["honest"].done()


async def test_of_the_people_behind_a_key_whoever_has_the_most_makes_room() -> None:
    async with jobs(max_waiting=3) as work:
        for number in range(4):
            await work.ask(("forum", "greedy"), f"greedy {number}")
        await work.ask(("forum", "honest"), "honest")
        with pytest.raises(Overloaded):
            await work.tasks["greedy 3"]
        assert not work.tasks["honest"].done()


async def test_who_leaves_the_queue_takes_no_turn() -> None:
    async with jobs() as work:
        for name in ("first", "second", "third"):
            await work.ask(HONEST, name)
        await work.cancel("second")
        await work.end("first")
        assert work.started == ["first", "third"]


async def test_a_turn_given_to_somebody_who_left_in_that_moment_is_passed_on() -> None:
    async with jobs() as work:
        for name in ("first", "second", "third"):
            await work.ask(HONEST, name)
        work._ends["first"].set()
        await asyncio.sleep(0)
        work.tasks["second"].cancel()
        await settled()
        assert "third" in work.started


async def test_a_job_that_is_cancelled_gives_its_turn_back() -> None:
    async with jobs() as work:
        await work.ask(HONEST, "first")
        await work.ask(HONEST, "second")
        await work.cancel("first")
        assert work.started == ["first", "second"]


async def test_a_turn_is_not_given_to_somebody_who_is_just_leaving() -> None:
    async with jobs() as work:
        for name in ("first", "second", "third"):
            await work.ask(HONEST, name)
        work.tasks["first"].cancel()
        work.tasks["second"].cancel()
        await settled()
        assert work.tasks["first"].cancelled()
        assert work.started == ["first", "third"]


async def test_closing_refuses_who_waits_and_who_comes() -> None:
    async with jobs() as work:
        await work.ask(HONEST, "at work")
        await work.ask(HONEST, "waiting")
        work.turns.close()
        await work.ask(HONEST, "late")
        for name in ("waiting", "late"):
            with pytest.raises(Stopping):
                await work.tasks[name]


async def test_a_task_works_for_whom_it_was_started() -> None:
    assert current_caller() == OWN
    with working_for("key", None):
        assert await asyncio.create_task(caller_of_task()) == ("key",)
        with working_for("key", "person"):
            assert current_caller() == ("key", "person")
    assert current_caller() == OWN
    set_caller(None)
    assert current_caller() == OWN


async def caller_of_task() -> Caller:
    return current_caller()

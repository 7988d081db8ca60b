"""Equal work that is done once for several callers."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from core.concurrency import SingleFlight


class Work:
    """Counts how often it was begun, and ends when it is let."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = asyncio.Event()
        self.ended = asyncio.Event()
        self.problem: Exception | None = None

    async def __call__(self) -> int:
        self.begun += 1
        try:
            await self.may_end.wait()
        finally:
            self.ended.set()
        if self.problem:
            raise self.problem
        return self.begun


async def turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_concurrent_callers_get_the_result_of_the_first() -> None:
    flights, work = SingleFlight[int](), Work()
    asked = [asyncio.create_task(flights.do("a", work)) for _ in range(5)]
    await turns()
    work.may_end.set()
    assert await asyncio.gather(*asked) == [1] * 5
    assert await flights.do("a", work) == 2


async def test_other_keys_are_other_work() -> None:
    flights, work = SingleFlight[int](), Work()
    work.may_end.set()
    assert sorted(await asyncio.gather(flights.do("a", work), flights.do("b", work))) == [1, 2]


async def test_a_cancelled_caller_does_not_cancel_the_work_for_others() -> None:
    flights, work = SingleFlight[int](), Work()
    first, second = asyncio.create_task(flights.do("a", work)), asyncio.create_task(flights.do("a", work))
    await turns()
    first.cancel()
    work.may_end.set()
    assert await second == 1
    assert first.cancelled()


async def test_its_failure_is_everyones_and_the_next_one_tries_again() -> None:
    flights, work = SingleFlight[int](), Work()
    work.problem = ValueError("broken")
    asked = [asyncio.create_task(flights.do("a", work)) for _ in range(2)]
    await turns()
    work.may_end.set()
    assert [type(one) for one in await asyncio.gather(*asked, return_exceptions=True)] == [ValueError] * 2
    work.problem = None
    assert await flights.do("a", work) == 2


async def test_a_failure_without_waiting_callers_is_not_reported_as_unhandled() -> None:
    alarms: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, alarm: alarms.append(alarm))
    flights, work = SingleFlight[int](), Work()
    work.problem = ValueError("broken")
    asked = asyncio.create_task(flights.do("a", work))
    await turns()
    asked.cancel()
    work.may_end.set()
    await turns()
    del asked
    gc.collect()  # asyncio tells of errors that nobody looked at when their task is thrown away.
    await turns()
    assert work.begun == 1
    assert alarms == []


async def test_work_that_every_caller_left_is_cancelled_after_its_grace() -> None:
    flights, work = SingleFlight[int](grace=0.01), Work()
    asked = asyncio.create_task(flights.do("a", work))
    await turns()
    asked.cancel()
    await asyncio.wait_for(work.ended.wait(), 5)
    assert not work.may_end.is_set()


async def test_work_that_is_asked_for_again_within_its_grace_goes_on() -> None:
    flights, work = SingleFlight[int](grace=0.01), Work()
    first = asyncio.create_task(flights.do("a", work))
    await turns()
    first.cancel()
    await turns()
    second = asyncio.create_task(flights.do("a", work))
    await asyncio.sleep(0.02)  # Longer than the grace: an event for something that must not happen does not exist.
    work.may_end.set()
    assert await second == 1


async def test_closing_waits_for_work_under_way() -> None:
    flights, work = SingleFlight[int](grace=5), Work()
    asked = asyncio.create_task(flights.do("a", work))
    await turns()
    closing = asyncio.create_task(flights.aclose())
    await turns()
    assert not closing.done()
    work.may_end.set()
    await closing
    assert await asked == 1


def test_event_loops_do_not_share() -> None:
    flights, begun = SingleFlight[int](), []

    async def work() -> int:
        begun.append(1)
        return len(begun)

    assert [asyncio.run(flights.do("a", work)) for _ in range(2)] == [1, 2]

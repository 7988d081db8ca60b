"""Work that many want at the same time."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from core.concurrency import Shared


class Work:
    """Counts how often it was begun, and ends when it is let."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = asyncio.Event()
        self.problem: Exception | None = None

    async def __call__(self) -> int:
        self.begun += 1
        await self.may_end.wait()
        if self.problem:
            raise self.problem
        return self.begun


async def turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_who_asks_while_it_is_under_way_gets_what_the_first_one_gets() -> None:
    shared, work = Shared[int](), Work()
    asked = [asyncio.create_task(shared.do("a", work)) for _ in range(5)]
    await turns()
    work.may_end.set()
    assert await asyncio.gather(*asked) == [1] * 5
    assert await shared.do("a", work) == 2


async def test_other_keys_are_other_work() -> None:
    shared, work = Shared[int](), Work()
    work.may_end.set()
    assert sorted(await asyncio.gather(shared.do("a", work), shared.do("b", work))) == [1, 2]


async def test_one_who_leaves_does_not_take_it_from_the_others() -> None:
    shared, work = Shared[int](), Work()
    first, second = asyncio.create_task(shared.do("a", work)), asyncio.create_task(shared.do("a", work))
    await turns()
    first.cancel()
    work.may_end.set()
    assert await second == 1
    assert first.cancelled()


async def test_its_failure_is_everyones_and_the_next_one_tries_again() -> None:
    shared, work = Shared[int](), Work()
    work.problem = ValueError("broken")
    asked = [asyncio.create_task(shared.do("a", work)) for _ in range(2)]
    await turns()
    work.may_end.set()
    assert [type(one) for one in await asyncio.gather(*asked, return_exceptions=True)] == [ValueError] * 2
    work.problem = None
    assert await shared.do("a", work) == 2


async def test_a_failure_that_nobody_waited_for_is_no_alarm() -> None:
    alarms: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, alarm: alarms.append(alarm))
    shared, work = Shared[int](), Work()
    work.problem = ValueError("broken")
    asked = asyncio.create_task(shared.do("a", work))
    await turns()
    asked.cancel()
    work.may_end.set()
    await turns()
    del asked
    gc.collect()  # asyncio tells of errors that nobody looked at when their task is thrown away.
    await turns()
    assert work.begun == 1
    assert alarms == []


def test_event_loops_do_not_share() -> None:
    shared, begun = Shared[int](), []

    async def work() -> int:
        begun.append(1)
        return len(begun)

    assert [asyncio.run(shared.do("a", work)) for _ in range(2)] == [1, 2]

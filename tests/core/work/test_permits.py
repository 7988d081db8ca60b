"""Permits whose number changes while they are held and waited for."""

from __future__ import annotations

import asyncio

import pytest

from core.work.permits import Permits


async def waiting(permits: Permits, count: int) -> list[asyncio.Task[None]]:
    """Callers in their order, each of whom holds a permit once the task is done."""
    tasks = [asyncio.create_task(permits.acquire()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


async def held(tasks: list[asyncio.Task[None]]) -> int:
    for _ in range(3):
        await asyncio.sleep(0)
    return sum(task.done() for task in tasks)


async def test_no_more_are_given_than_the_limit_allows() -> None:
    permits = Permits(lambda: 2)
    tasks = await waiting(permits, 4)
    assert await held(tasks) == 2
    permits.release()
    assert await held(tasks) == 3
    permits.release()
    permits.release()
    assert await held(tasks) == 4


async def test_a_limit_that_sinks_is_reached_when_permits_come_back() -> None:
    limit = [3]
    permits = Permits(lambda: limit[0])
    tasks = await waiting(permits, 5)
    limit[0] = 1
    permits.release()
    permits.release()
    assert await held(tasks) == 3
    permits.release()
    assert await held(tasks) == 4


async def test_a_limit_that_rises_lets_several_in_at_the_next_release() -> None:
    limit = [1]
    permits = Permits(lambda: limit[0])
    tasks = await waiting(permits, 4)
    limit[0] = 3
    permits.release()
    assert await held(tasks) == 4


async def test_who_leaves_while_waiting_takes_nothing_with_them() -> None:
    permits = Permits(lambda: 1)
    tasks = await waiting(permits, 3)
    tasks[1].cancel()
    permits.release()
    assert await held([tasks[2]]) == 1
    assert tasks[1].cancelled()


async def test_who_leaves_in_the_moment_of_their_turn_gives_it_to_the_next() -> None:
    permits = Permits(lambda: 1)
    tasks = await waiting(permits, 3)
    permits.release()
    tasks[1].cancel()
    assert await held([tasks[2]]) == 1
    with pytest.raises(asyncio.CancelledError):
        await tasks[1]

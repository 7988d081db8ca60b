"""Rounds of work in the background."""

from __future__ import annotations

import asyncio

import pytest

from app.rounds import Rounds
from core.errors import StorageUnavailable


@pytest.mark.parametrize(
    ("error", "told"),
    [(StorageUnavailable("the disk is full"), "Work waits. "), (RuntimeError(), "Work failed; the next round")],
)
async def test_a_round_that_fails_is_told_and_others_follow(
    error: Exception, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    done = asyncio.Event()
    outcomes = iter([error, True, False])

    async def work() -> bool:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        if not outcome:
            done.set()
        return outcome

    rounds = Rounds("Work", work, 0.0)
    rounds.start()
    async with asyncio.timeout(30):
        await done.wait()
    await rounds.aclose()
    assert told in caplog.text


async def test_closing_ends_a_round_in_its_middle() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> bool:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return False

    rounds = Rounds("Work", work, 0.0)
    rounds.start()
    await begun.wait()
    await rounds.aclose()
    assert ended.is_set()
    await Rounds("Work", work, 0.0).aclose()


async def test_a_round_begins_at_once_when_it_is_woken() -> None:
    begun = asyncio.Queue[int]()

    async def work() -> bool:
        begun.put_nowait(1)
        return False

    rounds = Rounds("Waiting", work, 3600)
    rounds.start()
    await begun.get()
    rounds.wake()
    async with asyncio.timeout(10):
        await begun.get()
    await rounds.aclose()

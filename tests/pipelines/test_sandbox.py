"""Work on a stranger's text has limits of its own."""

from __future__ import annotations

import os
import time

import pytest

from pipelines.sandbox import LimitExceeded, Sandbox


def nothing() -> None:
    """A warm-up."""


async def test_the_processes_know_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    async with Sandbox(nothing) as sandbox:
        assert await sandbox.run(os.getenv, "OPENAI_API_KEY") is None


async def test_work_over_its_time_is_stopped_and_the_next_is_done() -> None:
    async with Sandbox(nothing, seconds=0.3) as sandbox:
        with pytest.raises(LimitExceeded, match="longer than"):
            await sandbox.run(time.sleep, 30)
        assert await sandbox.run(len, "four") == 4


async def test_work_over_its_memory_is_stopped_and_the_next_is_done() -> None:
    async with Sandbox(nothing, memory_mb=64) as sandbox:
        with pytest.raises(LimitExceeded, match="memory"):
            await sandbox.run(bytearray, 2**30)
        assert await sandbox.run(len, "four") == 4

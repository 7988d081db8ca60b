"""Shared by benchmarks under load: a slow model, parallel questions, and processor time."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

import psutil

from benchmarks.harness import free_port, wait_until

WORKERS = os.cpu_count() or 1
"""Processes of the service, one per core."""
MODEL_SECONDS = 0.2
"""Seconds of one call of the model server."""


@contextmanager
def model_server() -> Iterator[str]:
    """A model server in a process of its own. Gives its base URL."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.model_server", str(port), str(MODEL_SECONDS)]
    process = subprocess.Popen(command)
    try:
        wait_until(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


async def timed(
    ask: Callable[[str], Awaitable[None]], questions: Sequence[str], concurrency: int, spread: float = 0.0
) -> list[float]:
    """Milliseconds of each question, with `concurrency` under way at any moment, the first of them begun over
    `spread` seconds: where all begin at once, they come in step, and each waits for all.
    """
    waiting = iter(questions)
    times: list[float] = []

    async def worker(number: int) -> None:
        await asyncio.sleep(spread * number / concurrency)
        for question in waiting:
            started = time.perf_counter()
            await ask(question)
            times.append(1000 * (time.perf_counter() - started))

    await asyncio.gather(*(worker(number) for number in range(concurrency)))
    return times


def cpu_seconds(process: psutil.Process) -> float:
    """Processor time that a process and those it started have taken so far, user and system."""
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def cpu_seconds_of_others() -> float:
    """Processor time that the machine has spent on anything but this process and those it started."""
    machine = psutil.cpu_times()
    idle = machine.idle + getattr(machine, "iowait", 0.0) + getattr(machine, "guest", 0.0)
    return float(sum(machine) - idle - cpu_seconds(psutil.Process()))

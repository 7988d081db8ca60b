"""The service as one process after another on the same port and home, each watched: its memory, and `/healthz`."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

import aiohttp
import psutil

from benchmarks.harness import EDUMOD, environment, wait_until

INTERVAL_SECONDS = 0.25
HEALTH_SECONDS = 10.0
"""Timeout of `/healthz`."""
WARM_UP = 0.2
"""Share of a life in which memory growth is not checked."""
GROWTH, GROWTH_MB = 0.15, 50
"""Maximum growth, as a share plus MB, from the first to the last third of a life after the warm-up."""
MAX_RESTARTS = 20
"""Maximum restarts of a service that crashes."""
MAX_RSS_MB = 6_000
"""A service that takes more is killed, so that the machine survives it."""


@dataclass
class Life:
    """One process of the service; times are seconds of `time.monotonic`, sizes MB."""

    process: subprocess.Popen[bytes]
    is_up: bool = False
    was_killed: bool = False
    rss: list[float] = field(default_factory=list)
    health_ms: list[float] = field(default_factory=list)
    unanswered: int = 0

    @property
    def thirds(self) -> tuple[float, float] | None:
        """The median size in the first and the last third after the warm-up; None where it was too short."""
        sizes = self.rss[int(WARM_UP * len(self.rss)) :]
        third = len(sizes) // 3
        return (median(sizes[:third]), median(sizes[-third:])) if third >= 4 else None

    @property
    def is_flat(self) -> bool:
        return self.thirds is not None and self.thirds[1] <= (1 + GROWTH) * self.thirds[0] + GROWTH_MB


class Service:
    """`edumod serve` on a fixed port. Its log goes to a file in `home`."""

    def __init__(self, port: int, home: Path, **settings: str) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.lives: list[Life] = []
        self.ended_by_itself = 0
        self.too_large = False
        self._home = home
        self._command = [str(EDUMOD), "serve", "--port", str(port)]
        self._environment = environment(EDUMOD_HOME=str(home), **settings)

    @property
    def log(self) -> Path:
        return self._home / "serve.log"

    def start(self, **settings: str) -> None:
        """Start a process, with settings of its own."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(self._command, env={**self._environment, **settings}, stdout=log, stderr=log)
        self.lives.append(Life(process))

    def wait_until_ready(self) -> None:
        """Raises `TimeoutError`, and `RuntimeError` where the process ended."""
        wait_until(f"{self.address}/readyz", self.lives[-1].process)

    def kill(self) -> None:
        """`kill -9`."""
        life = self.lives[-1]
        life.was_killed = True
        life.process.kill()
        life.process.wait()

    def restart(self, **settings: str) -> None:
        """`kill -9`, and a process with settings of its own."""
        self.kill()
        self.start(**settings)

    def stop(self) -> None:
        if not self.lives:
            return
        life = self.lives[-1]
        life.was_killed = True
        life.process.terminate()
        try:
            life.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            life.process.kill()
            life.process.wait()

    async def watch(self) -> None:
        """Sample memory and health until cancelled; a process that crashed is started again, and counted."""
        timeout = aiohttp.ClientTimeout(total=HEALTH_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as client:
            while True:
                life = self.lives[-1]
                if life.process.poll() is None:
                    self._weigh(life)
                    await self._check_health(client, life)
                elif not life.was_killed and self.ended_by_itself < MAX_RESTARTS:
                    self.ended_by_itself += 1
                    self.start()
                await asyncio.sleep(INTERVAL_SECONDS)

    def _weigh(self, life: Life) -> None:
        try:
            size = psutil.Process(life.process.pid).memory_info().rss / 2**20
        except psutil.NoSuchProcess:
            return
        if life.is_up:
            life.rss.append(size)
        if size > MAX_RSS_MB:
            self.too_large = True
            life.process.kill()

    async def _check_health(self, client: aiohttp.ClientSession, life: Life) -> None:
        """A process counts as up from its first answer on; what it does not answer while it dies does not count."""
        started = time.perf_counter()
        try:
            async with client.get(f"{self.address}/healthz") as response:
                await response.read()
                is_ok = response.status == 200
        except (aiohttp.ClientError, TimeoutError, OSError):
            is_ok = False
        if is_ok:
            life.is_up = True
            life.health_ms.append(1000 * (time.perf_counter() - started))
        elif life.is_up and not life.was_killed and life.process.poll() is None:
            life.unanswered += 1


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies; 0 of nothing."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def moments_of_death(seconds: float, deaths: int) -> list[float]:
    """How long to wait before each death, so that the lives are equally long."""
    moments = [seconds * n / (deaths + 1) for n in range(deaths + 1)]
    return [later - sooner for sooner, later in pairwise(moments)]

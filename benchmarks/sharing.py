"""One key with many connections beside an honest one, and a burst of questions: who is answered, and what others wait.

    python -m benchmarks.sharing

Fair share is what the honest one would get if permits were split evenly: all of its questions, since it asks them one
after another. Exits with 1 below the targets of decision 0053.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import median

import aiohttp

from benchmarks.harness import EDUMOD, environment, load_sample_course, served, show
from benchmarks.load import model_server

COURSE = "ds101"
GREEDY, HONEST, BURST = 160, 30, 256
WARM_SECONDS = 3.0
PAUSE_SECONDS = 0.2
MIN_SHARE, MAX_REFUSAL_MS, MAX_HEALTH_MS = 0.4, 100.0, 50.0
CONNECTIONS = 1_100
"""Idle ones of a single client; over the limit of a process."""


def made_key(name: str) -> dict[str, str]:
    command = [str(EDUMOD), "keys", "create", name, "--scope", "answer", "--course", COURSE, "--json"]
    done = subprocess.run(command, check=True, env=environment(), capture_output=True, text=True)
    return {"Authorization": f"Bearer {json.loads(done.stdout)['key']}"}


class Client:
    """Asks questions with a key; statuses with milliseconds in `replies`."""

    def __init__(self, session: aiohttp.ClientSession, key: dict[str, str]) -> None:
        self.session, self.key = session, key
        self.replies: list[tuple[int, float]] = []

    async def ask(self, text: str) -> int:
        started = time.perf_counter()
        body = {"course": COURSE, "question": {"body": text}}
        async with self.session.post("/answer?pipeline=fc", json=body, headers=self.key) as response:
            await response.read()
        self.replies.append((response.status, 1000 * (time.perf_counter() - started)))
        return response.status

    async def ask_for_ever(self, number: int) -> None:
        count = 0
        while True:
            count += 1
            if await self.ask(f"What is a residual, {number} {count}?") != 200:
                await asyncio.sleep(0.02)

    def milliseconds(self, *, answered: bool) -> list[float]:
        return [ms for status, ms in self.replies if (status == 200) is answered]


@asynccontextmanager
async def watched(address: str) -> AsyncIterator[list[float]]:
    """Milliseconds of `/healthz`, asked all the time."""
    times: list[float] = []

    async def watch(session: aiohttp.ClientSession) -> None:
        while True:
            started = time.perf_counter()
            async with session.get("/healthz") as response:
                await response.read()
            times.append(1000 * (time.perf_counter() - started))
            await asyncio.sleep(0.01)

    async with aiohttp.ClientSession(address) as session:
        watching = asyncio.create_task(watch(session))
        try:
            yield times
        finally:
            watching.cancel()


def p99(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.99 * len(times)))]


async def greedy_beside_honest(address: str) -> tuple[Client, Client, list[float]]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(address, connector=connector) as many, aiohttp.ClientSession(address) as few:
        greedy, honest = Client(many, made_key("greedy")), Client(few, made_key("honest"))
        async with watched(address) as health:
            asking = [asyncio.create_task(greedy.ask_for_ever(number)) for number in range(GREEDY)]
            await asyncio.sleep(WARM_SECONDS)
            for number in range(HONEST):
                await honest.ask(f"What is a median, {number}?")
                await asyncio.sleep(PAUSE_SECONDS)
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
    return greedy, honest, health


async def burst(address: str) -> tuple[Client, list[float]]:
    async with aiohttp.ClientSession(address, connector=aiohttp.TCPConnector(limit=0)) as session:
        client = Client(session, made_key("burst"))
        async with watched(address) as health:
            await asyncio.gather(*(client.ask(f"What is a mean, {number}?") for number in range(BURST)))
    return client, health


async def crowd(address: str) -> tuple[list[float], int]:
    """Milliseconds of new connections while one client holds idle ones, and how many were refused."""
    host, _, port = address.removeprefix("http://").partition(":")
    held = [await asyncio.open_connection(host, int(port)) for _ in range(CONNECTIONS)]
    times, refused = [], 0
    for _ in range(HONEST):
        started = time.perf_counter()
        async with aiohttp.ClientSession(address) as session, session.get("/healthz") as response:
            refused += response.status != 200
        times.append(1000 * (time.perf_counter() - started))
    for _, writer in held:
        writer.close()
    return times, refused


async def main() -> int:
    with model_server() as model:
        settings = {"EDUMOD_LLM_BASE_URL": model, "EDUMOD_LLM_API_KEY": "k", "EDUMOD_LLM_CACHE": "false"}
        with served(**settings) as (address, _):
            greedy, honest, beside = await greedy_beside_honest(address)
            await asyncio.sleep(WARM_SECONDS)
            flood, health = await burst(address)
            await asyncio.sleep(WARM_SECONDS)
            crowded, shut_out = await crowd(address)
    answered, refused = honest.milliseconds(answered=True), flood.milliseconds(answered=False)
    share = len(answered) / HONEST
    rows = [
        ("honest: share answered", share, f"at least {MIN_SHARE}"),
        ("honest: ms of an answer, median", median(answered or [0.0]), ""),
        ("greedy: answered", len(greedy.milliseconds(answered=True)), ""),
        ("greedy: refused", len(greedy.milliseconds(answered=False)), ""),
        ("/healthz beside them, p99 ms", p99(beside), ""),
        (f"{BURST} at once: answered", len(flood.milliseconds(answered=True)), ""),
        (f"{BURST} at once: ms of a refusal, median", median(refused or [0.0]), f"at most {MAX_REFUSAL_MS:g}"),
        (f"{BURST} at once: /healthz, p99 ms", p99(health), f"at most {MAX_HEALTH_MS:g}"),
        (f"beside {CONNECTIONS} idle connections: ms, worst", max(crowded), ""),
        (f"beside {CONNECTIONS} idle connections: refused, of {HONEST}", shut_out, "0"),
    ]
    show("Sharing, one process", ("", "measured", "target"), rows)
    is_fair = (
        not shut_out
        and share >= MIN_SHARE
        and median(refused or [0.0]) <= MAX_REFUSAL_MS
        and p99(health) <= MAX_HEALTH_MS
    )
    return int(not is_fair)


if __name__ == "__main__":
    load_sample_course()
    sys.exit(asyncio.run(main()))

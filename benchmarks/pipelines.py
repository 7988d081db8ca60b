"""Every pipeline under load: its model calls in sequence, its time against theirs, and its processor time per answer.

A model server takes 200 ms a call and answers so that each pipeline takes a known number of rounds. Calls in sequence
are measured: the longest chain of steps, in the trace of each answer, that began after one another's end. Every
question is different, so that no cache helps, and comes on a connection of its own; the first ones begin spread over
the time of one answer, as students do not ask in step. The floor is the same calls, with the requests that the
pipeline was seen to send, made by AsyncOpenAI in the same run: of processor time, in a process that does nothing else;
of time, behind a bare POST /answer, in as many processes as the service has.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import cycle
from statistics import fmean, median, quantiles
from typing import Any

import aiohttp
import psutil
import uvloop

from benchmarks.harness import free_port, load_sample_course, served, show, wait_until
from benchmarks.load import MODEL_SECONDS, WORKERS, cpu_seconds, cpu_seconds_of_others, model_server, timed
from benchmarks.model_server import SEARCHES
from benchmarks.questions import sample_questions

CONCURRENCY = 64
ANSWERS = 512
WARM_UP = 64
LEVELS = ((1, 12), (4, 48), (16, 192), (64, 640), (256, 1280))
"""Concurrency, and questions asked at it."""
RETRIEVERS = ("bm25", "tree")
"""The service alone, and with the embedding model in the same process."""
CALL_MS = 1000 * MODEL_SECONDS
SLACK_MS = 1.0
"""Times in a trace are rounded."""


@dataclass(frozen=True)
class Case:
    """A pipeline with its calls in sequence: in words, and with the rounds that the model server lets it take."""

    pipeline: str
    definition: str
    calls: int

    @property
    def seconds(self) -> float:
        """What the model takes for an answer, at least."""
        return self.calls * MODEL_SECONDS


CASES = (
    Case("edison", "1", 1),
    Case("fc", "2", 2),
    Case("fc_categorize", "2", 2),
    Case("fc_forced", "2", 2),
    Case("fc_iterative", "2 + rounds", 2 + SEARCHES),
    Case("fc_feedback", "3 + 3 x rounds", 3 + 3),
    Case("fc_multihop", "3", 3),
)
FORCED = CASES[3]


@dataclass(frozen=True)
class Load:
    """What came of asking many questions: each one's milliseconds, the whole's seconds, processor milliseconds of an
    answer, calls in sequence and in all, and the cores that other people's processes took meanwhile.
    """

    times: list[float]
    seconds: float
    cpu_ms: float
    sequences: frozenset[int]
    calls: float
    others: float

    @property
    def per_second(self) -> float:
        return len(self.times) / self.seconds


class Service:
    """`edumod serve`, asked questions of which no two are alike."""

    def __init__(self, session: aiohttp.ClientSession, address: str, pid: int) -> None:
        self._session = session
        self._address = address
        self._process = psutil.Process(pid)
        self._asked = 0

    async def warm_up(self) -> None:
        """Until every process has loaded what it needs."""
        for retriever in RETRIEVERS:
            await self.load(FORCED, retriever, 2 * CONCURRENCY, CONCURRENCY)

    async def load(self, case: Case, retriever: str, answers: int, concurrency: int) -> Load:
        questions = sample_questions(answers, first=self._asked)
        self._asked += answers
        replies: list[bytes] = []

        async def ask(question: str) -> None:
            body = {"course": "ds101", "question": {"body": question, "category": "General"}}
            query = f"pipeline={case.pipeline}&retriever={retriever}"
            async with self._session.post(f"{self._address}/answer?{query}", json=body) as response:
                assert response.status == 200, await response.text()
                replies.append(await response.read())

        cpu, others, started = cpu_seconds(self._process), cpu_seconds_of_others(), time.perf_counter()
        times = await timed(ask, questions, concurrency, case.seconds)
        seconds, cpu = time.perf_counter() - started, cpu_seconds(self._process) - cpu
        others = cpu_seconds_of_others() - others
        read = [json.loads(reply) for reply in replies]
        return Load(
            times,
            seconds,
            1000 * cpu / answers,
            frozenset(in_sequence(reply["trace"]) for reply in read),
            fmean(reply["usage"]["calls"] for reply in read),
            others / seconds,
        )


class Floor:
    """The same calls by AsyncOpenAI: alone, and behind a bare `POST /answer`. Servers take turns."""

    def __init__(self, session: aiohttp.ClientSession, servers: Sequence[tuple[str, int]]) -> None:
        self._session = session
        self._addresses = [address for address, _ in servers]
        self._process = psutil.Process(servers[0][1])

    async def use(self, bodies: Sequence[dict[str, Any]]) -> None:
        """Make these requests from now on."""
        for address in self._addresses:
            async with self._session.put(f"{address}/bodies", json=bodies) as response:
                assert response.status == 200, await response.text()

    async def cpu_ms(self, calls: int) -> tuple[float, float]:
        """Processor milliseconds of an answer of so many calls, alone and behind `POST /answer`."""
        await self._alone(calls, WARM_UP)
        before = cpu_seconds(self._process)
        await self._alone(calls, ANSWERS)
        between = cpu_seconds(self._process)
        await self.times(calls, ANSWERS, CONCURRENCY)
        after = cpu_seconds(self._process)
        return 1000 * (between - before) / ANSWERS, 1000 * (after - between) / ANSWERS

    async def times(self, calls: int, answers: int, concurrency: int) -> list[float]:
        """Milliseconds of each answer behind `POST /answer`."""
        addresses = cycle(self._addresses)

        async def ask(question: str) -> None:
            url = f"{next(addresses)}/answer?calls={calls}"
            async with self._session.post(url, json={"body": question}) as response:
                assert response.status == 200, await response.text()
                await response.read()

        return await timed(ask, sample_questions(answers), concurrency, calls * MODEL_SECONDS)

    async def _alone(self, calls: int, answers: int) -> None:
        query = f"calls={calls}&answers={answers}&concurrency={CONCURRENCY}&spread={calls * MODEL_SECONDS}"
        async with self._session.post(f"{self._addresses[0]}/run?{query}") as response:
            assert response.status == 200, await response.text()


def in_sequence(steps: Sequence[dict[str, Any]]) -> int:
    """Model calls on the longest chain of steps of which each began after the one before it had ended."""
    chains: list[tuple[float, int]] = []
    for step in sorted(steps, key=lambda step: float(step["started_ms"])):
        calls = (step["usage"] or {}).get("calls", 0)
        before = max((chain for ended, chain in chains if ended <= step["started_ms"] + SLACK_MS), default=0)
        chains.append((step["started_ms"] + step["ms"], before + calls))
    return max((chain for _, chain in chains), default=0)


@contextmanager
def bare(model: str) -> Iterator[tuple[str, int]]:
    """The floor's server. Gives its address and process id."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.bare", str(port), model])
    try:
        wait_until(f"http://127.0.0.1:{port}/readyz", process)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


class Model:
    """The model server, asked what it was asked."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self._session = session
        self._address = address

    async def recorded(self) -> list[dict[str, Any]]:
        """The requests that it got since the last time."""
        async with self._session.get(f"{self._address.removesuffix('/v1')}/recorded") as response:
            bodies: list[dict[str, Any]] = await response.json()
        return bodies


class Tables:
    """Rows of the three tables, and what did not come out as defined."""

    def __init__(self) -> None:
        self.path: list[tuple[object, ...]] = []
        self.cpu: list[tuple[object, ...]] = []
        self.growth: list[tuple[object, ...]] = []
        self.wrong: list[str] = []

    async def measure_times(self, service: Service, floor: Floor, model: Model) -> None:
        """Where the service and the floor have a process for each core."""
        await service.warm_up()
        for case in CASES:
            await model.recorded()
            loads = [await service.load(case, retriever, ANSWERS, CONCURRENCY) for retriever in RETRIEVERS]
            await floor.use(await model.recorded())
            bare = median(await floor.times(case.calls, ANSWERS, CONCURRENCY))
            for retriever, load in zip(RETRIEVERS, loads, strict=True):
                self._on_path(case, retriever, load, bare)
        await service.load(FORCED, RETRIEVERS[0], WARM_UP, WARM_UP)
        await floor.use(await model.recorded())
        for concurrency, answers in LEVELS:
            loads = [await service.load(FORCED, retriever, answers, concurrency) for retriever in RETRIEVERS]
            bare = median(await floor.times(FORCED.calls, answers, concurrency))
            for retriever, load in zip(RETRIEVERS, loads, strict=True):
                self._at_level(concurrency, retriever, load, bare)
        self.growth.sort(key=lambda row: RETRIEVERS.index(str(row[0])))

    def _on_path(self, case: Case, retriever: str, load: Load, bare: float) -> None:
        if load.sequences != {case.calls}:
            self.wrong.append(
                f"{case.pipeline} should take {case.calls} calls in sequence; its traces show {sorted(load.sequences)}."
            )
        p50, shown = median(load.times), "-".join(map(str, sorted(load.sequences)))
        row = (case.pipeline, retriever, case.definition, shown, f"{load.calls:g}", f"{p50:,.0f}")
        ratios = (p50 / (1000 * case.seconds), bare / (1000 * case.seconds))
        self.path.append((*row, *ratios, load.per_second, f"{100 * load.others:.0f} %"))

    def _at_level(self, concurrency: int, retriever: str, load: Load, bare: float) -> None:
        cores = load.per_second * load.cpu_ms / 1000
        p50, p95 = median(load.times), quantiles(load.times, n=20)[18]
        ratios = (p50 / (1000 * FORCED.seconds), bare / (1000 * FORCED.seconds))
        row = (retriever, concurrency, load.per_second, f"{p50:,.0f}", f"{p95:,.0f}", *ratios)
        self.growth.append((*row, load.cpu_ms, cores, 1000 * WORKERS / load.cpu_ms))

    async def measure_cpu(self, service: Service, floor: Floor, model: Model) -> None:
        """Where the service is one process, as the floor is."""
        await service.warm_up()
        for case in CASES:
            await model.recorded()
            await service.load(case, RETRIEVERS[0], WARM_UP, WARM_UP)
            bodies = await model.recorded()
            calls = len(bodies) // WARM_UP
            await floor.use(bodies)
            alone, asked = await floor.cpu_ms(calls)
            sent = fmean(len(json.dumps(body)) for body in bodies) / 1024
            for retriever in RETRIEVERS:
                load = await service.load(case, retriever, ANSWERS, CONCURRENCY)
                if load.calls != calls:
                    self.wrong.append(
                        f"{case.pipeline} with {retriever} made {load.calls:g} calls an answer; the model server got "
                        f"{calls} with {RETRIEVERS[0]}."
                    )
                ratios = (load.cpu_ms / alone, asked, load.cpu_ms / asked)
                self.cpu.append((case.pipeline, retriever, calls, sent, load.cpu_ms, alone, *ratios))

    def show(self) -> None:
        show(
            f"Critical path: POST /answer at concurrency {CONCURRENCY}, {WORKERS} workers, {CALL_MS:.0f} ms a call",
            (
                "pipeline",
                "retriever",
                "defined",
                "in sequence",
                "calls",
                "p50 ms",
                "p50 / model",
                "bare",
                "answers/s",
                "others",
            ),
            self.path,
            f"in sequence: measured, the longest chain of model calls in the trace of each of {ANSWERS} answers. "
            f"A judge's call counts as one; a round of fc_iterative is a further choice ({SEARCHES} here), one of "
            "fc_feedback is a choice, a draft and a review (1 here): 2 + 2 x rounds of the model that answers, and the "
            "judge once for each draft. calls: in all; fc_multihop writes the arguments "
            "of two functions at once. p50 / model: against calls in sequence x 200 ms. bare: the same of as many "
            f"calls by {WORKERS} processes of FastAPI with AsyncOpenAI and nothing else. others: of a core, taken by "
            "processes that are not the benchmark's; where they take much, times say little.",
        )
        show(
            f"Processor time per answer at concurrency {CONCURRENCY}, one worker, user and system",
            ("pipeline", "retriever", "calls", "KiB a call", "CPU ms", "AsyncOpenAI", "ratio", "+ FastAPI", "ratio"),
            self.cpu,
            "AsyncOpenAI: as many calls with the requests that the pipeline sent, in a process that does nothing else. "
            "+ FastAPI: the same behind a POST /answer that does nothing else. tree embeds each query.",
        )
        show(
            "Throughput: fc_forced",
            (
                "retriever",
                "at once",
                "answers/s",
                "p50 ms",
                "p95 ms",
                "p50 / model",
                "bare",
                "CPU ms",
                "cores",
                "most/s",
            ),
            self.growth,
            f"p50 / model: against two calls of the model, {2 * CALL_MS:.0f} ms. cores: used by the {WORKERS} workers, "
            "beside which model and load run. most/s: answers if they had every core to themselves.",
        )


@asynccontextmanager
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    # A connection for each question goes to a worker that is free. Those kept open stay where they began, and one
    # worker may have most of the work.
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with aiohttp.ClientSession(connector=connector) as opened:
        yield opened


Measure = Callable[[Service, Floor, Model], Awaitable[None]]


async def against_floor(measure: Measure, address: str, pid: int, model: str, workers: int) -> None:
    with ExitStack() as servers:
        floors = [servers.enter_context(bare(model)) for _ in range(workers)]
        async with session() as opened:
            await measure(Service(opened, address, pid), Floor(opened, floors), Model(opened, model))


def main() -> int:
    """1 where a pipeline's calls are not those of its definition."""
    load_sample_course()
    tables = Tables()
    with model_server() as model:
        settings = {
            "EDUMOD_LLM_BASE_URL": model,
            "EDUMOD_LLM_CACHE": "false",
            "EDUMOD_LLM_CONCURRENCY": "256",
            # One process may get more than its share; nothing is to be measured of refusals here.
            "EDUMOD_MAX_ANSWERS": str(max(concurrency for concurrency, _ in LEVELS)),
        }
        with served(WORKERS, **settings) as (address, process):
            uvloop.run(against_floor(tables.measure_times, address, process.pid, model, WORKERS))
        with served(**settings) as (address, process):
            uvloop.run(against_floor(tables.measure_cpu, address, process.pid, model, 1))
    tables.show()
    for problem in tables.wrong:
        sys.stderr.write(f"{problem}\n")
    return 1 if tables.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""What many machines would bear: a SimPy model of EduMod, fed with service times that were measured.

Usage: python -m benchmarks.simulation [--rate 50] [--processes 8] [--seconds 600] ...

A question arrives by a Poisson process at the API process with the fewest under way. It alternates between processor
time of that process (one core, first come first served), calls of the model, of whose time a share varies
exponentially and which wait where the endpoint is full, and statements of the database, which share its cores. The
defaults are figures of docs/operations.md.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass, field
from statistics import median

import simpy

from benchmarks.harness import show
from benchmarks.soak.service import percentile

WARM_UP = 0.1
"""Share of the time that is not counted."""


@dataclass(frozen=True)
class Load:
    """Arrivals, and what one answer needs. Times are seconds."""

    rate: float
    processes: int
    seconds: float
    cpu: float
    """Processor time of the API process."""
    calls: float
    """Calls of the model, on average: a whole number, and one more with the probability of the rest."""
    call: float
    spread: float
    """Share of a call's time that varies (exponentially)."""
    at_once: int
    """Calls that the endpoint does at once, over all processes."""
    statements: int
    statement: float
    database_cores: int
    max_answers: int = 64
    """Answers under way at once in one process."""


@dataclass
class Outcome:
    spent: list[float] = field(default_factory=list)
    refused: int = 0
    under_way: list[int] = field(default_factory=list)
    cpu_busy: float = 0.0
    calls_busy: float = 0.0
    database_busy: float = 0.0


class Machines:
    """The parts, and the questions that pass through them."""

    def __init__(self, load: Load, seed: int) -> None:
        self._load, self._draw = load, random.Random(seed)
        self._clock = simpy.Environment()
        self._cores = [simpy.Resource(self._clock, 1) for _ in range(load.processes)]
        self._model = simpy.Resource(self._clock, load.at_once)
        self._database = simpy.Resource(self._clock, load.database_cores)
        self._under_way = [0] * load.processes
        self.outcome = Outcome()

    def run(self) -> Outcome:
        self._clock.process(self._arrivals())
        self._clock.run(until=self._load.seconds)
        return self.outcome

    def _arrivals(self) -> simpy.events.ProcessGenerator:
        while True:
            yield self._clock.timeout(self._draw.expovariate(self._load.rate))
            process = min(range(self._load.processes), key=self._under_way.__getitem__)
            if self._under_way[process] >= 2 * self._load.max_answers:
                self.outcome.refused += 1
            else:
                self._clock.process(self._answer(process))

    def _answer(self, process: int) -> simpy.events.ProcessGenerator:
        load, started = self._load, self._clock.now
        self._under_way[process] += 1
        calls = int(load.calls) + (self._draw.random() < load.calls % 1)
        for step in range(calls + 1):
            yield from self._use(self._cores[process], load.cpu / (calls + 1), "cpu_busy")
            for _ in range(load.statements // (calls + 1)):
                yield from self._use(self._database, load.statement, "database_busy")
            if step < calls:
                varied = load.call * load.spread
                spent = load.call - varied + (self._draw.expovariate(1 / varied) if varied else 0.0)
                yield from self._use(self._model, spent, "calls_busy")
        self._under_way[process] -= 1
        if started > WARM_UP * load.seconds:
            self.outcome.spent.append(self._clock.now - started)
        self.outcome.under_way.append(sum(self._under_way))

    def _use(self, part: simpy.Resource, seconds: float, busy: str) -> simpy.events.ProcessGenerator:
        with part.request() as turn:
            yield turn
            yield self._clock.timeout(seconds)
        setattr(self.outcome, busy, getattr(self.outcome, busy) + seconds)


def row(name: str, load: Load, seed: int = 0) -> tuple[object, ...]:
    """The figures of one simulation."""
    outcome = Machines(load, seed).run()
    answered = len(outcome.spent)
    return (
        name,
        load.processes,
        f"{answered / (1 - WARM_UP) / load.seconds:.1f}",
        outcome.refused,
        f"{median(outcome.spent):.2f}" if answered else "-",
        f"{percentile(outcome.spent, 0.99):.2f}",
        max(outcome.under_way, default=0),
        f"{outcome.cpu_busy / load.seconds / load.processes:.0%}",
        f"{outcome.database_busy / load.seconds / load.database_cores:.0%}",
        f"{outcome.calls_busy / load.seconds:.0f}",
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulation", description=__doc__)
    parser.add_argument("--rate", type=float, default=50.0, help="questions a second")
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 3, 4, 6, 8], help="API processes, a core each")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--cpu-ms", type=float, default=45.0, help="processor time of one answer")
    parser.add_argument("--calls", type=float, default=3.0, help="calls of the model for one answer")
    parser.add_argument("--call-ms", type=float, default=1500.0)
    parser.add_argument("--spread", type=float, default=0.5, help="share of a call's time that varies")
    parser.add_argument("--at-once", type=int, default=512, help="calls that the endpoint does at once")
    parser.add_argument("--statements", type=int, default=16, help="statements of one answer")
    parser.add_argument("--statement-ms", type=float, default=1.0)
    parser.add_argument("--database-cores", type=int, default=4)
    given = parser.parse_args()
    rows = [
        row(
            f"{given.rate:g} a second",
            Load(
                given.rate, processes, given.seconds, given.cpu_ms / 1000, given.calls, given.call_ms / 1000,
                given.spread, given.at_once, given.statements, given.statement_ms / 1000, given.database_cores,
            ),
        )
        for processes in given.processes
    ]  # fmt: skip
    columns = (
        "load",
        "processes",
        "answered/s",
        "refused",
        "p50 s",
        "p99 s",
        "most at once",
        "CPU",
        "database",
        "calls",
    )
    show("Simulated", columns, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

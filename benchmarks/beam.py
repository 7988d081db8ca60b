"""Is a beam worth its cost? Recall, rounds and calls of `hier_gen` with oracles that make errors.

Usage: python -m benchmarks.beam DATASET [PLOT.png]

The sections of a book and their passages form trees of several arities. An oracle knows which parts contain the wanted
section and scores them high, but with probability p per call it scores a wrong part instead. The descent is the
product's own; only the model is simulated.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any, cast

import numpy as np

from benchmarks.harness import show
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.store.tables import NodeKind
from core.types import Usage
from eval.datasets.corpus import Corpus, read_dataset
from retrievers.base import RetrieverOptions
from retrievers.hier_gen import HierGen
from retrievers.index.course_index import MatchScores
from retrievers.index.outline import OutlineNode
from retrievers.tasks import ScoredItem, ScoredItems

BEAMS = (1, 2, 3, 5)
ARITIES = (5, 10, 20)
ERRORS = (0.0, 0.05, 0.1, 0.2, 0.3)
QUERIES = 1000
SEED = 3
LATENCY_QUERIES = 20
MODEL_SECONDS = 0.2


@dataclass
class Oracle:
    """Scores parts: high if they contain the wanted section, except for its errors."""

    wanted: str
    inside: dict[str, frozenset[str]]
    error: float
    random: random.Random
    model: str = "oracle"
    seconds: float = 0.0
    calls: int = 0
    rounds: int = 0
    under_way: int = 0

    async def run(self, task: Any, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[ScoredItems]:
        self.rounds += not self.under_way
        self.calls += 1
        self.under_way += 1
        await asyncio.sleep(self.seconds)
        self.under_way -= 1
        right = [self.wanted in self.inside[_name(text)] for text in task.texts]
        scores = [self.random.uniform(0.6, 1.0) if one else self.random.uniform(0.02, 0.5) for one in right]
        if self.random.random() < self.error and any(right) and len(scores) > 1:
            position = right.index(True)
            other = self.random.choice([n for n in range(len(scores)) if n != position])
            scores[position], scores[other] = scores[other], scores[position]
        items = tuple(ScoredItem(n=n, score=score) for n, score in enumerate(scores, 1))
        return Reply(ScoredItems(items=items), self.model, Usage(calls=1))


def _name(text: str) -> str:
    return text.split("\n")[0].split(" › ")[-1]


class Book:
    """The part of an index that a descent needs."""

    def __init__(self, dataset: Corpus, arity: int) -> None:
        self.inside: dict[str, frozenset[str]] = {}
        self.modules: list[str] = []
        self._names = 0
        sections: dict[str, list[OutlineNode]] = {}
        for row in dataset.rows:
            leaf = OutlineNode(NodeKind.BLOCK, self._named({row.module}), "", position=len(self.modules))
            self.modules.append(row.module)
            sections.setdefault(row.module, []).append(leaf)
        self.root = self._tree([self._tree(leaves, arity) for leaves in sections.values()], arity)
        self.passages = tuple(self.modules)

    def _tree(self, entries: Sequence[OutlineNode], arity: int) -> OutlineNode:
        while len(entries) > 1:
            entries = [self._above(entries[n : n + arity]) for n in range(0, len(entries), arity)]
        return entries[0] if entries[0].children else self._above(entries)

    def _above(self, children: Sequence[OutlineNode]) -> OutlineNode:
        if len(children) == 1 and children[0].children:
            return children[0]
        inside = {module for child in children for module in self.inside[child.title]}
        return OutlineNode(
            NodeKind.GROUP,
            self._named(inside),
            "",
            tuple(children),
            size=sum(child.size for child in children),
        )

    def _named(self, inside: set[str]) -> str:
        self._names += 1
        self.inside[str(self._names)] = frozenset(inside)
        return str(self._names)

    async def outline(self) -> OutlineNode:
        return self.root

    async def evidence(self, query: str, depth: int, *, sections: bool) -> MatchScores:
        return MatchScores(np.zeros(0, np.float32), 0.0, np.zeros(0, np.float32), None)


async def trial(book: Book, modules: Sequence[str], beam: int, error: float) -> list[float]:
    """Share of queries whose section comes first, and among the first five; rounds and calls per query."""
    rng = random.Random(SEED)
    found = []
    for module in modules:
        oracle = Oracle(module, book.inside, error, rng)
        retriever = HierGen(cast(Any, book), top_k=50, llm=cast(Any, oracle), options=RetrieverOptions(beam=beam))
        ranked = list(dict.fromkeys(book.modules[position] for position, _ in await retriever.rank(module)))
        found.append((ranked[:1] == [module], module in ranked[:5], oracle.rounds, oracle.calls))
    return [fmean(values) for values in zip(*found, strict=True)]


async def main() -> None:
    dataset = read_dataset(Path(sys.argv[1]))
    rng = random.Random(SEED)
    modules = rng.choices(sorted({row.module for row in dataset.rows}), k=QUERIES)
    rows, first, five = [], {}, {}
    for arity in ARITIES:
        book = Book(dataset, arity)
        for beam in BEAMS:
            trials = [await trial(book, modules, beam, error) for error in ERRORS]
            first[arity, beam], five[arity, beam] = ([one[n] for one in trials] for n in (0, 1))
            shown = (f"{a:.2f} {b:.2f}" for a, b, _, _ in trials)
            rows.append((f"arity {arity}, beam {beam}", trials[0][2], trials[0][3], *shown))
    columns = ("R@1 and R@5", "rounds", "calls", *(f"p={error:g}" for error in ERRORS))
    show(f"hier_gen under oracles that err with probability p per call, {QUERIES} queries", columns, rows)
    await latency(Book(dataset, ARITIES[1]), modules[:LATENCY_QUERIES])
    if len(sys.argv) > 2:
        plot(Path(sys.argv[2]), {"section found first": first, "among the first five": five})


async def latency(book: Book, modules: Sequence[str]) -> None:
    """Milliseconds of a search against its rounds of model calls, each of which takes the same time."""
    took, floor = [], []
    for module in modules:
        oracle = Oracle(module, book.inside, 0.1, random.Random(SEED), seconds=MODEL_SECONDS)
        retriever = HierGen(cast(Any, book), top_k=5, llm=cast(Any, oracle), options=RetrieverOptions(beam=3))
        started = time.perf_counter()
        await retriever.rank(module)
        took.append(1000 * (time.perf_counter() - started))
        floor.append(1000 * MODEL_SECONDS * oracle.rounds)
    rows = [("hier_gen, beam 3", median(took), median(a / b for a, b in zip(took, floor, strict=True)))]
    rows.append((f"rounds of {1000 * MODEL_SECONDS:.0f} ms", median(floor), 1.0))
    show(f"Latency of one search, {len(modules)} queries", ("", "p50 ms", "ratio"), rows)


def plot(path: Path, figures: dict[str, dict[tuple[int, int], list[float]]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    panels = figure.subplots(len(figures), len(ARITIES), sharey=True, sharex=True)
    for row, (label, lines) in zip(panels, figures.items(), strict=True):
        for panel, arity in zip(row, ARITIES, strict=True):
            for beam in BEAMS:
                panel.plot(ERRORS, lines[arity, beam], marker="o", markersize=4, label=f"beam {beam}")
            panel.set_title(f"arity {arity}")
            panel.grid(alpha=0.3)
        row[0].set_ylabel(label)
    for panel in panels[-1]:
        panel.set_xlabel("errors per call")
    panels[0][-1].legend(frameon=False)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    asyncio.run(main())

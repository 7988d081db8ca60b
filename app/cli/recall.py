"""`edumod eval retrieval`."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Column, Table

from app.cli.ingest import run_with_progress
from app.cli.output import AsJson, cost, output, print_json, progress_bar, with_services
from app.wiring import Services
from core.course import Course
from core.errors import InvalidInput, SetupError
from core.types import Source
from eval.datasets import (
    CORPUS,
    QRELS,
    QUERIES,
    Dataset,
    PlaceOf,
    Query,
    corpus_places,
    course_place,
    read_dataset,
    write_markdown,
)
from eval.retrieval import (
    KEPT,
    RetrievalReport,
    demand_places,
    labelled_queries,
    retrieval_facts,
    retrieval_plan,
    retrieval_report,
    write_runs,
)
from eval.runner import Runner
from eval.statistics import Comparison
from ingestion.files import discover

MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="Stop asking models once this many USD are spent.")
]
DATASET_COURSE = "dataset"


@dataclass(frozen=True)
class Task:
    """Queries over a course that is ingested, in the services that hold it."""

    services: Services
    name: str
    course_id: str
    queries: Sequence[Query]
    place_of: PlaceOf


def retrieval(
    dataset: Annotated[Path | None, typer.Option(help="Folder with corpus.jsonl, queries.jsonl, qrels.tsv.")] = None,
    course: Annotated[str | None, typer.Option("--course", "-c", help="Course, for its own labelled queries.")] = None,
    retriever: Annotated[
        str, typer.Option("--retriever", "-r", help="Retrievers, by commas.")
    ] = "bm25,vector,hybrid,tree",
    k: Annotated[str, typer.Option("--k", "-k", help="Cut-offs of recall, by commas.")] = "1,3,5",
    concurrency: Annotated[int, typer.Option(min=1, help="Queries at once; latency is measured at that load.")] = 1,
    max_cost: MaxCost = None,
    runs: Annotated[Path | None, typer.Option(help="Write a TREC run file per retriever into this folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how often retrievers find what answers a query: Recall@k, MRR and nDCG with 95 % intervals.

    A run that was interrupted goes on where it stopped.
    """
    cutoffs = _cutoffs(k)

    async def work(services: Services) -> tuple[RetrievalReport, bool]:
        async with measured_task(services, dataset, course) as task:
            inner, names = task.services, [name.strip() for name in retriever.split(",")]
            facts = await retrieval_facts(inner.store, inner.embedder.model, inner.llm.model, task.course_id)
            plan = retrieval_plan(inner.indexes, task.course_id, task.queries, names, task.place_of, facts)
            runner = Runner(inner.store.evaluations, inner.llm, inner.settings.llm_prices, concurrency, max_cost)
            with progress_bar("queries") as progress:
                outcome = await runner.run(plan, progress)
            report = retrieval_report(task.name, task.queries, outcome, cutoffs)
            await runner.finish(outcome, report.summary)
            if runs:
                write_runs(runs, outcome)
            return report, outcome.capped

    report, capped = with_services(work)
    if as_json:
        print_json(report.summary)
    else:
        show(report, cutoffs)
    if capped or any(figures["unscored"] for figures in report.summary["retrievers"].values()):
        raise typer.Exit(1)


@asynccontextmanager
async def measured_task(services: Services, dataset: Path | None, course: str | None) -> AsyncIterator[Task]:
    """The course's own queries, or the data set as a course of its own, ingested where that was not done."""
    if (dataset is None) == (course is None):
        raise InvalidInput("Name either a data set (--dataset DIR) or a course (--course ID).")
    if course is not None:
        queries = await labelled_queries(services.store, course)
        await demand_places(services.indexes, course, queries)
        yield Task(services, course, course, queries, course_place)
    elif dataset is not None:
        read = read_dataset(dataset)
        async with services.aside(f"{read.name}-{_digest(dataset)}") as aside:
            await _ingest(aside, read)
            yield Task(aside, read.name, DATASET_COURSE, read.queries, corpus_places(read))


async def _ingest(services: Services, dataset: Dataset) -> None:
    """The corpus as a course of its own, through the loaders that every book goes through. Quick the second time."""
    book = services.settings.home / "book"
    write_markdown(dataset, book)
    course = Course(id=DATASET_COURSE, title=dataset.name)
    if await services.store.courses.find(course.id) is None:
        await services.store.courses.put(course.id, course.model_dump(mode="json"))
    async with services.ingestion() as ingestion:
        report = await run_with_progress(ingestion, course, Source.TEXTBOOK, discover([book]), prune=True)
    if not report.ok:
        failed = "; ".join(f"{file.name}: {file.reason}" for file in report.files if file.reason)
        raise SetupError(f"Parts of the data set could not be ingested, so nothing was measured. {failed}")


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in (CORPUS, QUERIES, QRELS):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:12]


def _cutoffs(text: str) -> list[int]:
    try:
        cutoffs = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise InvalidInput(f"--k {text!r}: whole numbers by commas, as in 1,3,5.") from error
    if not 1 <= cutoffs[0] <= cutoffs[-1] <= KEPT:
        raise InvalidInput(f"--k {text!r}: numbers from 1 to {KEPT}.")
    return cutoffs


def show(report: RetrievalReport, cutoffs: Sequence[int]) -> None:
    """On stdout: a line per retriever, recall per kind of query, and what tells the retrievers apart."""
    show_figures(report, cutoffs)
    _show_kinds(report.summary["retrievers"], f"recall@{cutoffs[0]}")
    _show_comparisons(report.comparisons, f"recall@{cutoffs[0]}")


def show_figures(report: RetrievalReport, cutoffs: Sequence[int]) -> None:
    """A line per retriever."""
    summary, metrics = report.summary, [*(f"recall@{k}" for k in cutoffs), "mrr@10"]
    table = plain_table(f"{escape(summary['dataset'])}: {summary['n']} queries", "retriever")
    for name in (
        *(metric.replace("recall", "R").replace("mrr", "RR") for metric in metrics),
        "ms p50/p95",
        "calls",
        "cost",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    for name, figures in summary["retrievers"].items():
        latency = "/".join("–" if ms is None else f"{ms:.0f}" for ms in figures["latency_ms"].values())
        means = [interval(figures[metric]) for metric in metrics]
        failed = f"\n[red]{figures['unscored']} unscored[/]" if figures["unscored"] else ""
        table.add_row(name + failed, *means, latency, f"{figures['model_calls']:.3g}", cost(figures["cost_usd"]))
    output.print(table)


def _show_kinds(retrievers: dict[str, Any], metric: str) -> None:
    kinds = next(iter(retrievers.values()))["kinds"]
    if not kinds:
        return
    table = plain_table(f"{metric} by kind of query", "retriever")
    for kind, figures in kinds.items():
        table.add_column(f"{escape(kind)} ({figures['n']})", justify="right", no_wrap=True)
    for name, figures in retrievers.items():
        table.add_row(name, *(interval(figures["kinds"][kind][metric]) for kind in kinds))
    output.print(table)


def _show_comparisons(comparisons: Sequence[Comparison], metric: str) -> None:
    if not comparisons:
        return
    table = plain_table(f"{metric}, query by query (permutation test, Holm's correction)", "better", "than")
    for name in ("points", "won", "lost", "p"):
        table.add_column(name, justify="right")
    for found in comparisons:
        points = f"{100 * found.difference:.1f}"
        table.add_row(found.better, found.than, points, str(found.wins), str(found.losses), f"{found.p:.3g}")
    output.print(table)


def plain_table(title: str, *columns: str) -> Table:
    """A table with one line under its head, whose first columns are never cut."""
    named = (Column(name, no_wrap=True) for name in columns)
    return Table(*named, title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)


def interval(figures: dict[str, Any]) -> str:
    """A mean over its interval, without leading zeros: .912 over .89–.93."""
    if figures["mean"] is None:
        return "–"
    low, high = (f"{figures[name]:.2f}".removeprefix("0") for name in ("low", "high"))
    return f"{figures['mean']:.3f}".removeprefix("0") + f"\n[dim]{low}–{high}[/]"

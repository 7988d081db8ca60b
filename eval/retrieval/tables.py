"""The report on retrieval as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape

from core.costs import cost
from eval.retrieval.report import RetrievalReport
from eval.tables import Part, interval, name_of, percentiles, plain_table


def tabulate_retrieval(report: RetrievalReport) -> Iterator[Part]:
    """A line per retriever, recall per kind of query, and differences between retrievers."""
    yield from tabulate_retrievers(report)
    yield from _kinds(report)
    yield from _comparisons(report)


def tabulate_retrievers(report: RetrievalReport) -> Iterator[Part]:
    """A line per retriever."""
    table = plain_table(f"{escape(report.dataset)}: {report.n} queries", "retriever")
    table.padding = 0
    for name in (*report.means, "latency_ms\np50, p95", "calls", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, figures in report.actors.items():
        table.add_row(
            name_of(name, figures, "unscored"),
            *(interval(figures.means[metric]) for metric in report.means),
            percentiles(figures.latency_ms),
            "–" if figures.model_calls is None else f"{figures.model_calls:.3g}",
            cost(figures.cost_usd),
        )
    yield table


def _kinds(report: RetrievalReport) -> Iterator[Part]:
    metric = report.metrics[0].name
    kinds = next(iter(report.actors.values())).kinds
    if not kinds:
        return
    table = plain_table(f"{metric} by kind of query", "retriever")
    for kind, figures in kinds.items():
        table.add_column(f"{escape(kind)} ({figures.n})", justify="right", no_wrap=True)
    for name, actor in report.actors.items():
        table.add_row(escape(name), *(interval(actor.kinds[kind].means[metric]) for kind in kinds))
    yield table


def _comparisons(report: RetrievalReport) -> Iterator[Part]:
    if not report.comparisons:
        return
    title = f"{report.metrics[0].name}, query by query (permutation test, Holm's correction)"
    table = plain_table(title, "better", "than")
    for name in ("points", "won", "lost", "p"):
        table.add_column(name, justify="right")
    for found in report.comparisons:
        points = f"{100 * found.difference:.1f}"
        better, than = escape(found.better), escape(found.than)
        table.add_row(better, than, points, str(found.wins), str(found.losses), f"{found.p:.3g}")
    yield table

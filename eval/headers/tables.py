"""The report on question headers as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Column, Table

from eval.headers.report import HeadersReport
from eval.tables import Part


def tabulate_headers(report: HeadersReport) -> Iterator[Part]:
    """Precision, recall and F1, and the pairs of twins."""
    yield f"{escape(report.dataset)}: {report.n} {'documents' if report.f1 else 'pairs of twins'}"
    figures = {"precision": report.precision, "recall": report.recall, "f1": report.f1}
    table = Table("figure", Column("mean", justify="right"), Column("95 % interval", justify="right"), box=SIMPLE_HEAD)
    for name, mean in figures.items():
        if mean and mean.mean is not None:
            table.add_row(name, f"{mean.mean:.3f}", f"{mean.low:.3f} to {mean.high:.3f}")
    if table.row_count:
        yield table
    if report.twins:
        yield _twins(report)


def _twins(report: HeadersReport) -> Table:
    table = Table(
        "assignment", "solutions", Column("questions", justify="right"), "same", Column("joined", justify="right"),
        box=SIMPLE_HEAD,
    )  # fmt: skip
    for twin in report.twins:
        counts = f"{len(twin.questions_blank)} / {len(twin.questions_solution)}"
        joined = "–" if twin.solution_blocks_joined is None else f"{twin.solution_blocks_joined:.0%}"
        table.add_row(escape(twin.blank), escape(twin.solution), counts, "yes" if twin.agree else "no", joined)
    return table

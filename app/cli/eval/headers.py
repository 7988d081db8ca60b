"""`edumod eval headers`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Column, Table

from app.cli.output import AsJson, errors, output, print_json
from eval.headers.documents import read_header_dataset
from eval.headers.report import HeadersReport, headers_report


def headers(
    dataset: Annotated[Path, typer.Option(help="Folder of documents, with gold.jsonl or with solution documents.")],
    as_json: AsJson = False,
) -> None:
    """Measure how well question headers are found: precision, recall and F1 with 95 % intervals.

    Documents with a solution twin (hw1.pdf, hw1_sol.pdf) are compared too: same questions, and solutions joined.
    """
    report = headers_report(read_header_dataset(dataset))
    if as_json:
        print_json(report)
    else:
        _show(report)
    for failure in report.failures:
        errors.print(f"[bold red]{escape(failure.document)}[/]: {escape(failure.reason)}", soft_wrap=True)
    if report.failures:
        raise typer.Exit(1)


def _show(report: HeadersReport) -> None:
    output.print(f"{escape(report.dataset)}: {report.n} {'documents' if report.f1 else 'pairs of twins'}")
    figures = {"precision": report.precision, "recall": report.recall, "f1": report.f1}
    table = Table("figure", Column("mean", justify="right"), Column("95 % interval", justify="right"), box=SIMPLE_HEAD)
    for name, found in figures.items():
        if found and found.mean is not None:
            table.add_row(name, f"{found.mean:.3f}", f"{found.low:.3f} to {found.high:.3f}")
    if table.row_count:
        output.print(table)
    if report.twins:
        output.print(_twins(report))


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

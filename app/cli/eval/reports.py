"""Prints a report of any kind on the terminal, and writes its page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape

from app.cli.output import errors, output, print_json
from core.files import write_atomically
from core.store.tables import ResultRow, now
from eval.report import Report
from eval.stored import kinds
from eval.tables import Part


def conclude(report: Report[Any], as_json: bool, page: Path | None = None) -> None:
    """Show the report, and write the page that was asked for. Exits with 1 if the report is incomplete."""
    if page is not None:
        write_report_page(page, report)
    present(report, as_json)
    if not report.complete:
        raise typer.Exit(1)


def present(report: Report[Any], as_json: bool) -> None:
    """The report on stdout, its remarks on stderr."""
    for remark in report.remarks:
        errors.print(f"[yellow]{escape(remark)}[/]", soft_wrap=True, highlight=False)
    if as_json:
        print_json(report)
    else:
        print_parts(kinds()[report.kind].tabulate(report))


def print_parts(parts: Iterable[Part]) -> None:
    """Tables and lines on stdout."""
    for part in parts:
        output.print(part, highlight=False)


def write_report_page(path: Path, report: Report[Any], rows: Sequence[ResultRow] = ()) -> None:
    """Write the report's page; `rows` are those of its evaluation, for pages that show single outputs."""
    write_page(path, kinds()[report.kind].html(report, rows, now()))


def write_page(path: Path, page: str) -> None:
    """Write a page, and name its file on stderr."""
    write_atomically(path, page.encode(), private=False)
    errors.print(f"Page: {path}", soft_wrap=True, markup=False)

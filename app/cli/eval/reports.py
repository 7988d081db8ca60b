"""Prints a report of any kind on the terminal."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from app.cli.eval import functions_table, retrieval_table
from app.cli.output import errors, print_json
from eval.functions.report import FunctionsReport
from eval.nightly import NightlySummary
from eval.report import Report
from eval.retrieval.report import RetrievalReport


def present(report: Report[Any], as_json: bool) -> None:
    """The report on stdout, its remarks on stderr."""
    for remark in report.remarks:
        errors.print(f"[yellow]{escape(remark)}[/]", soft_wrap=True, highlight=False)
    if as_json:
        print_json(report)
    elif isinstance(report, FunctionsReport):
        functions_table.show(report)
    elif isinstance(report, NightlySummary):
        retrieval_table.show_figures(report)
    elif isinstance(report, RetrievalReport):
        retrieval_table.show(report)

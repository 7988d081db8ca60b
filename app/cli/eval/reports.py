"""Prints a report of any kind on the terminal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.markup import escape

from app.cli.eval.tables import answers, functions, judges, retrieval, scenarios
from app.cli.output import errors, print_json
from core.files import write_atomically
from core.store.tables import now
from eval.answers.report import AnswersReport
from eval.attacks.report import AttackReport
from eval.calibration.report import CalibrationReport
from eval.functions.report import FunctionsReport
from eval.nightly import NightlySummary
from eval.report import Report
from eval.retrieval.report import RetrievalReport
from eval.scenarios.evaluation import DialoguesReport, JudgedReport
from eval.scenarios.runs.report import ScenarioReport

ReportT = TypeVar("ReportT", bound=Report[Any])
Page = Callable[[ReportT, datetime], str]
"""A report as HTML, with the time at which it was written."""


def conclude(report: ReportT, as_json: bool, page: Path | None = None, html: Page[ReportT] | None = None) -> None:
    """Show the report, and write the page that was asked for. Exits with 1 if the report is incomplete."""
    if page is not None and html is not None:
        write_page(page, html(report, now()))
    present(report, as_json)
    if not report.complete:
        raise typer.Exit(1)


def present(report: Report[Any], as_json: bool) -> None:
    """The report on stdout, its remarks on stderr."""
    for remark in report.remarks:
        errors.print(f"[yellow]{escape(remark)}[/]", soft_wrap=True, highlight=False)
    if as_json:
        print_json(report)
    elif isinstance(report, AnswersReport):
        answers.show(report)
    elif isinstance(report, CalibrationReport):
        judges.show(report)
    elif isinstance(report, AttackReport):
        judges.show_attacks(report)
    elif isinstance(report, FunctionsReport):
        functions.show(report)
    elif isinstance(report, NightlySummary):
        retrieval.show_figures(report)
    elif isinstance(report, RetrievalReport):
        retrieval.show(report)
    elif isinstance(report, DialoguesReport):
        scenarios.show_dialogues(report)
    elif isinstance(report, JudgedReport):
        scenarios.show_judged(report)
    elif isinstance(report, ScenarioReport):
        scenarios.show_scenario(report)


def write_page(path: Path, page: str) -> None:
    """Write the report's page, and name its file on stderr."""
    write_atomically(path, page.encode(), private=False)
    errors.print(f"Page: {path}", soft_wrap=True, markup=False)

"""`edumod report`: scheduled reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.eval.options import MaxCost, names_in
from app.cli.eval.reports import present
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, CourseOption, errors, output, print_json
from app.setups import labelled_course
from app.wiring import Services
from eval.nightly import NightlyReport, measure_night, write_nightly
from eval.nightly_page import nightly_page
from eval.runner import RunLimits

commands = typer.Typer(help="Reports for scheduled runs.", no_args_is_help=True)
MAX_NAMED = 3
"""Maximum number of missing locations that the message names."""
ALARM = 3
"""Exit code if recall has dropped."""


@commands.command(name="nightly")
def nightly_command(
    course: CourseOption,
    retriever: Annotated[
        str | None, typer.Option("--retriever", "-r", help="Retrievers, comma-separated; all if none.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="Recall@5 below which the report raises an alarm.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for nightly.json and nightly.html.")] = None,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Measure every retriever's recall on the course's labelled queries, add it to the history, and write a page.

    Exits with 3 if recall is below the threshold or significantly below the mean of the last seven nights, or if
    queries could not be answered.
    """
    names, limits = names_in(retriever or ""), RunLimits(max_cost_usd=max_cost)

    async def work(services: Services, progress: Progress) -> tuple[NightlyReport, Path]:
        setup = await labelled_course(services, course)
        report = await measure_night(services.runner(), services.store, setup, names, threshold, limits, progress)
        return report, out or services.settings.home / "reports" / course

    report, folder = measure("queries", work)
    write_nightly(folder, report, nightly_page(report), private=out is None)
    if as_json:
        print_json(report)
    else:
        present(report.summary, as_json)
        output.print(f"Page: {escape(str(folder / 'nightly.html'))}", soft_wrap=True)
    if report.missing:
        shown = "; ".join(report.missing[:MAX_NAMED])
        errors.print(
            f"{len(report.missing)} labelled locations are not in the material: {escape(shown)}", soft_wrap=True
        )
    for alarm in report.alarms:
        errors.print(f"[bold red]{escape(alarm.retriever)}[/]: {escape(alarm.reason)}", soft_wrap=True)
    if report.alarms:
        raise typer.Exit(ALARM)

"""`edumod eval functions`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.eval.options import MaxCost, MetricNames, names_in
from app.cli.eval.reports import present
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, errors
from app.setups import labelled_questions_of
from app.wiring import Services
from core.errors import InvalidInput
from core.store.tables import now
from eval.functions.evaluation import evaluate_functions, functions_request
from eval.functions.report import FunctionsReport
from eval.pages import functions_page
from eval.runner import RunLimits

TEST = "test"


def functions(
    course: Annotated[str | None, typer.Option("--course", "-c", help="Course id.")] = None,
    pipeline: Annotated[
        str, typer.Option("--pipeline", "-p", help="Pipelines, comma-separated; `all`, or no actor named: all.")
    ] = "",
    actor: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:SPEC", help="What else to measure, as in calls:people.jsonl; may be repeated."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Seeds under which each question is asked.")] = 1,
    split: Annotated[str, typer.Option(help="Split of the labelled questions, or `all`.")] = TEST,
    experiment: Annotated[
        Path | None, typer.Option(help="YAML file that says course, split, seeds and what to vary, in their stead.")
    ] = None,
    metric: MetricNames = "",
    concurrency: Annotated[int, typer.Option(min=1, help="Questions at once; latency is measured at that load.")] = 1,
    max_cost: MaxCost = None,
    page: Annotated[Path | None, typer.Option(help="Write the report as one HTML page into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure whether pipelines call the functions that a teaching assistant would: set F1 with 95 % intervals.

    A run that was interrupted continues where it stopped. Calls by people or other programs are measured too, as
    calls:FILE.
    """
    _check_experiment(experiment, course is not None or (pipeline, seeds, split) != ("", 1, TEST))
    _check_page(page)
    request = functions_request(
        course, names_in(pipeline), seeds, split, experiment, tuple(actor or ()), names_in(metric)
    )

    async def work(services: Services, progress: Progress) -> FunctionsReport:
        setup = await labelled_questions_of(services, request.course, request.split)
        return await evaluate_functions(services.runner(), setup, request, RunLimits(concurrency, max_cost), progress)

    _show(measure("answers", work), page, as_json)


def _check_experiment(experiment: Path | None, has_options: bool) -> None:
    """Raises `InvalidInput` where options say what the experiment's file says."""
    if experiment is not None and has_options:
        raise InvalidInput("An experiment's file says its course, pipelines, seeds and split. Leave those options out.")


def _check_page(page: Path | None) -> None:
    """Before anything is measured. Raises `InvalidInput` where the page could not be written."""
    if page is not None and not page.absolute().parent.is_dir():
        raise InvalidInput(f"--page {page}: there is no folder {page.parent}. Create it, or choose another.")


def _show(report: FunctionsReport, page: Path | None, as_json: bool) -> None:
    """Also as a page, if one is named; an incomplete report ends with exit code 1."""
    if page is not None:
        _write(page, report)
    present(report, as_json)
    if not report.complete:
        raise typer.Exit(1)


def _write(page: Path, report: FunctionsReport) -> None:
    page.write_text(functions_page(report, now()), encoding="utf-8")
    errors.print(f"Page: {page}", soft_wrap=True, markup=False)

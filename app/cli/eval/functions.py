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
        str,
        typer.Option("--pipeline", "-p", help="Pipelines, comma-separated; `all`, or none and no actor, means all."),
    ] = "",
    actor: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:SPEC", help="Another actor to measure, as in calls:people.jsonl; may be repeated."),
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, max=100, help="Number of seeds; each question is asked once per seed.")
    ] = 1,
    split: Annotated[str, typer.Option(help="Split of the labelled questions, or `all`.")] = TEST,
    experiment: Annotated[
        Path | None,
        typer.Option(help="YAML file with course, split, seeds and parameters to vary, instead of options."),
    ] = None,
    metric: MetricNames = "",
    concurrency: Annotated[
        int, typer.Option(min=1, help="Concurrent questions; latency is measured at that load.")
    ] = 1,
    max_cost: MaxCost = None,
    page: Annotated[Path | None, typer.Option(help="Write the report as an HTML page to this file.")] = None,
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
    """Raises `InvalidInput` if options repeat what is set in the experiment's file."""
    if experiment is not None and has_options:
        raise InvalidInput("The experiment's file sets course, pipelines, seeds and split. Leave those options out.")


def _check_page(page: Path | None) -> None:
    """Checked before anything is measured. Raises `InvalidInput` if the page could not be written."""
    if page is not None and not page.absolute().parent.is_dir():
        raise InvalidInput(f"--page {page}: there is no folder {page.parent}. Create it, or choose another.")


def _show(report: FunctionsReport, page: Path | None, as_json: bool) -> None:
    """Show the report, and write the page if requested. Exits with 1 if the report is incomplete."""
    if page is not None:
        _write(page, report)
    present(report, as_json)
    if not report.complete:
        raise typer.Exit(1)


def _write(page: Path, report: FunctionsReport) -> None:
    page.write_text(functions_page(report, now()), encoding="utf-8")
    errors.print(f"Page: {page}", soft_wrap=True, markup=False)

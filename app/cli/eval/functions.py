"""`edumod eval functions`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.eval.options import (
    TEST,
    Concurrency,
    ExperimentPath,
    MaxCost,
    MetricNames,
    OptionalCourse,
    PagePath,
    Seeds,
    Split,
    check_experiment,
    check_page,
    names_in,
)
from app.cli.eval.reports import conclude
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, Replay
from app.setups import labelled_questions_of
from app.wiring import Services
from eval.functions.evaluation import FunctionsRequest
from eval.functions.report import FunctionsReport, functions_report
from eval.request import evaluate
from eval.runner import RunLimits


def functions(
    course: OptionalCourse = None,
    pipeline: Annotated[
        str,
        typer.Option("--pipeline", "-p", help="Pipelines, comma-separated; `all`, or none and no actor, means all."),
    ] = "",
    actor: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:SPEC", help="Another actor to measure, as in calls:people.jsonl; may be repeated."),
    ] = None,
    seeds: Seeds = 1,
    split: Split = TEST,
    experiment: ExperimentPath = None,
    metric: MetricNames = "",
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    page: PagePath = None,
    replay: Replay = None,
    as_json: AsJson = False,
) -> None:
    """Measure whether pipelines call the functions that a teaching assistant would: set F1 with 95 % intervals.

    A run that was interrupted continues where it stopped. Calls by people or other programs are measured too, as
    calls:FILE.
    """
    check_experiment(experiment, course is not None or (pipeline, seeds, split) != ("", 1, TEST))
    check_page(page)
    chosen = {"pipelines": names_in(pipeline), "actors": tuple(actor or ()), "metrics": names_in(metric)}
    request = FunctionsRequest.read(course, split, seeds, experiment, **chosen)

    async def work(services: Services, progress: Progress) -> FunctionsReport:
        setup = await labelled_questions_of(services, request.course, request.split)
        limits = RunLimits(concurrency, max_cost)
        return await evaluate(services.runner(), request.plan(setup), functions_report, limits, progress)

    conclude(measure("answers", work, replay), as_json, page)

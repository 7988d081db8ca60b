"""`edumod eval answers`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.eval.answers_plan import announce, show_plan
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
from app.cli.output import AsJson, Replay, print_json, with_services
from app.setups import labelled_answers_of
from app.wiring import Services
from core.concurrency import in_thread
from eval.answers.evaluation import AnswersRequest, evaluate_answers
from eval.answers.judging.chosen import ChosenJudge
from eval.answers.planned import AnswersPlan, planned
from eval.answers.report import AnswersReport
from eval.runner import RunLimits


def answers(
    course: OptionalCourse = None,
    pipeline: Annotated[
        str,
        typer.Option("--pipeline", "-p", help="Pipelines, comma-separated, or `all`; the course's own if none."),
    ] = "",
    retriever: Annotated[
        str,
        typer.Option("--retriever", "-r", help="Retrievers, comma-separated, each with each pipeline; as above."),
    ] = "",
    actor: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:SPEC", help="Another actor to measure, as in pipeline:fc/bm25; may be repeated."),
    ] = None,
    seeds: Seeds = 1,
    split: Split = TEST,
    experiment: ExperimentPath = None,
    metric: MetricNames = "",
    judge: Annotated[
        str,
        typer.Option(
            "--judge", "-j", help="Judges, comma-separated, as in docs/judges.md; NAME@MODEL asks a model of its own."
        ),
    ] = "",
    without: Annotated[
        str,
        typer.Option(
            help="Measure each configuration also without each of these, comma-separated: fields of the question, or "
            "passages."
        ),
    ] = "",
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    page: PagePath = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan with calls and cost, and measure nothing.")
    ] = False,
    replay: Replay = None,
    as_json: AsJson = False,
) -> None:
    """Measure the answers that students get: passages found and cited, abstentions, confidence, with 95 % intervals.

    A run that was interrupted continues where it stopped.
    """
    options = (pipeline, retriever, seeds, split)
    check_experiment(experiment, course is not None or options != ("", "", 1, TEST))
    check_page(page)
    chosen = {"pipelines": names_in(pipeline), "retrievers": names_in(retriever)}
    request = AnswersRequest.read(
        course, split, seeds, experiment, **chosen, actors=tuple(actor or ()), metrics=names_in(metric)
    ).adding((ChosenJudge.model_validate(name) for name in names_in(judge)), names_in(without))

    async def plan_of(services: Services) -> AnswersPlan:
        setup = await labelled_answers_of(services, request.course, request.split)
        return await in_thread(planned, request.plan(setup), request.judges, services.models)

    async def work(services: Services, progress: Progress) -> AnswersReport:
        announce(await plan_of(services))
        setup = await labelled_answers_of(services, request.course, request.split)
        limits = RunLimits(concurrency, max_cost)
        return await evaluate_answers(services.runner(), request, setup, limits, progress)

    if dry_run:
        plan = with_services(plan_of, replay)
        print_json(plan) if as_json else show_plan(plan)
        return
    conclude(measure("answers", work, replay), as_json, page)

"""`edumod eval functions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.functions_table import show
from app.cli.output import AsJson, errors, print_json, progress_bar, with_services
from app.cli.recall import MaxCost
from app.schemas import AnswerParameters
from app.wiring import Services
from core.course import Course
from core.errors import InvalidInput
from core.store.tables import now
from eval.experiment import ExperimentFile, read_experiment
from eval.functions import FunctionsReport, functions_plan, functions_report, labelled_questions
from eval.pages import functions_page
from eval.retrieval import retrieval_facts
from eval.runner import Runner
from pipelines import PIPELINES, pipeline_named
from pipelines.configuration import Configuration

ALL, TEST = "all", "test"


@dataclass(frozen=True)
class Measurement:
    """What to ask of which course: pipelines as they are, or an experiment's combinations."""

    course: str
    split: str
    seeds: int
    what: tuple[str, ...] | ExperimentFile

    def configurations(self, services: Services, course: Course) -> dict[str, Configuration]:
        """By the name to report it under. Raises `InvalidInput` naming what is wrong."""

        def resolve(choices: Mapping[str, Any]) -> Configuration:
            return services.answering.configuration(course, AnswerParameters.model_validate(choices))

        if isinstance(self.what, ExperimentFile):
            return self.what.configurations(resolve)
        return {name: resolve({"pipeline": name}) for name in self.what}


def functions(
    course: Annotated[str | None, typer.Option("--course", "-c", help="Course id.")] = None,
    pipeline: Annotated[str, typer.Option("--pipeline", "-p", help="Pipelines by commas, or `all`.")] = ALL,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Seeds under which each question is asked.")] = 1,
    split: Annotated[str, typer.Option(help="Split of the labelled questions, or `all`.")] = TEST,
    experiment: Annotated[
        Path | None, typer.Option(help="YAML file that says course, split, seeds and what to vary, in their stead.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Questions at once; latency is measured at that load.")] = 1,
    max_cost: MaxCost = None,
    page: Annotated[Path | None, typer.Option(help="Write the report as one HTML page into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure whether pipelines call the functions that a teaching assistant would: set F1 with 95 % intervals.

    A run that was interrupted goes on where it stopped.
    """
    if experiment is not None and (course is not None or (pipeline, seeds, split) != (ALL, 1, TEST)):
        raise InvalidInput("An experiment's file says its course, pipelines, seeds and split. Leave those options out.")
    asked = _experiment(experiment) if experiment else _pipelines(course, pipeline, seeds, split)
    if page is not None and not page.absolute().parent.is_dir():
        raise InvalidInput(f"--page {page}: there is no folder {page.parent}. Make it, or name another.")

    async def work(services: Services) -> tuple[FunctionsReport, bool]:
        return await measured(services, asked, concurrency, max_cost)

    report, capped = with_services(work)
    if page is not None:
        page.write_text(functions_page(report.summary, now()), encoding="utf-8")
        errors.print(f"Page: {page}", soft_wrap=True, markup=False)
    if as_json:
        print_json(report.summary)
    else:
        show(report.summary)
    if capped or any(figures["unscored"] for figures in report.summary["pipelines"].values()):
        raise typer.Exit(1)


def _pipelines(course: str | None, pipeline: str, seeds: int, split: str) -> Measurement:
    if course is None:
        raise InvalidInput("Name a course (--course ID) or an experiment (--experiment FILE.yaml).")
    names = [spec.name for spec in PIPELINES] if pipeline == ALL else [name.strip() for name in pipeline.split(",")]
    return Measurement(course, split, seeds, tuple(pipeline_named(name).name for name in names))


def _experiment(path: Path) -> Measurement:
    file = read_experiment(path)
    return Measurement(file.experiment.course, file.experiment.split, file.experiment.seeds, file)


async def measured(
    services: Services, asked: Measurement, concurrency: int, max_cost: float | None
) -> tuple[FunctionsReport, bool]:
    """Run the measurement and store it; True where the cost cap ended it."""
    course = await services.answering.course(asked.course)
    configurations = asked.configurations(services, course)
    questions = await labelled_questions(services.store, course.id, None if asked.split == ALL else asked.split)
    facts = await retrieval_facts(services.store, services.embedder.model, services.llm.model, course.id)
    plan = functions_plan(
        services.assistant, course, questions, configurations, asked.seeds, {"split": asked.split, **facts}
    )
    runner = Runner(services.store.evaluations, services.llm, services.settings.llm_prices, concurrency, max_cost)
    with progress_bar("answers") as progress:
        outcome = await runner.run(plan, progress)
    report = functions_report(course.id, questions, outcome, asked.seeds)
    await runner.finish(outcome, report.summary)
    return report, outcome.capped

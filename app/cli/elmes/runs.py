"""Runs a scenario's dialogues and its judge, on the models of its file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from app.cli.measuring import Progress
from app.operation.variables import environment
from app.schemas import AnswerParameters
from app.wiring import Services
from core.errors import InvalidInput, NotFound
from core.store.tables import ResultRow
from eval.judged import JudgedReport, judged_report
from eval.runner import RunLimits, Runner
from eval.scenarios.cast import Cast
from eval.scenarios.course_assistant import CourseAssistant
from eval.scenarios.dialects import rules_of
from eval.scenarios.evaluation import (
    KIND,
    DialoguesReport,
    dialogues_plan,
    dialogues_report,
    judged_plan,
)
from eval.scenarios.exchange.exports import TableColumns, read_dialogues, rows_in, write_judged
from eval.scenarios.exchange.generated import write_generated
from eval.scenarios.models import beside, models_of
from eval.scenarios.runs.request import RunRequest
from eval.scenarios.runs.run import ScenarioRun, run_scenario
from eval.scenarios.scenario import Evaluation, Scenario
from eval.scenarios.tools import open_tools


async def converse_all(
    services: Services, scenario: Scenario, seeds: int, max_cost: float | None, progress: Progress
) -> DialoguesReport:
    """Hold every dialogue that is missing, and keep them; in files too, where the dialect does."""
    async with _runner(services, scenario, scenario.speaking_models) as runner:
        async with _cast(services, scenario) as cast:
            plan = dialogues_plan(scenario, seeds, cast)
            outcome = await runner.run(plan, RunLimits(scenario.concurrency, max_cost), progress)
        report = dialogues_report(outcome)
        await runner.finish(outcome, report)
        if rules_of(scenario).keeps_generated:
            write_generated(scenario, outcome.rows)
        return report


async def dialogues_in(services: Services, scenario: Scenario, folder: Path | None) -> list[ResultRow]:
    """The dialogues of a folder's files, or else of the file's last run. Raises `NotFound` if there is none."""
    return await last_dialogues(services, scenario) if folder is None else rows_in(scenario, folder)


async def last_dialogues(services: Services, scenario: Scenario) -> list[ResultRow]:
    """The dialogues of the file's last run, unfinished runs included. Raises `NotFound` if there is none."""
    cast = Cast(await assistants_of(services, scenario))
    for evaluation in await services.store.evaluations.all(kind=KIND):
        seeds = len(evaluation.config["seeds"])
        if evaluation.key in (dialogues_plan(one, seeds, cast).key for one in (scenario, scenario.without_tools())):
            return await services.store.evaluations.results(evaluation.id)
    raise NotFound(
        f"No dialogue of {scenario.path} is stored, as the file is now. "
        f"Run `edumod elmes generate --config {scenario.path}` first."
    )


async def judge_all(
    services: Services, scenario: Scenario, folder: Path, columns: TableColumns, progress: Progress
) -> tuple[JudgedReport, Path]:
    """Judge the exported dialogues of a folder. Gives the report, and the path of the table."""
    evaluation = judge_of(scenario)
    items = read_dialogues(scenario, folder)
    async with _runner(services, scenario, (evaluation.model,)) as runner:
        outcome = await runner.run(judged_plan(scenario, evaluation, items), RunLimits(scenario.concurrency), progress)
        report = judged_report(outcome)
        table = write_judged(scenario, evaluation, outcome, columns)
        await runner.finish(outcome, report)
        return report, table


async def run_all(
    services: Services, requests: Sequence[RunRequest], max_cost: float | None, progress: Progress
) -> list[ScenarioRun]:
    """Run one scenario after the other; `max_cost` is for all of them together."""
    found: list[ScenarioRun] = []
    for request in requests:
        own = request.scenario
        async with _runner(services, own, request.asked_models) as runner, _cast(services, own) as cast:
            left = None if max_cost is None else max(0.0, max_cost - sum(run.spent_usd for run in found))
            found.append(await run_scenario(runner, request, cast, left, progress))
    return found


def judge_of(scenario: Scenario) -> Evaluation:
    """Raises `InvalidInput` if the file names no judge."""
    if scenario.evaluation is None:
        raise InvalidInput(f"{scenario.path} has no `evaluation`, so there is nothing to judge by. Add it to the file.")
    return scenario.evaluation


async def assistants_of(services: Services, scenario: Scenario) -> dict[str, CourseAssistant]:
    """Who plays the agents of type `edumod`. Raises `UnknownName` for a course, pipeline, retriever or model."""
    found = {}
    for name, agent in scenario.agents.items():
        if agent.choices is not None:
            course = await services.answering.course(agent.choices.course)
            chosen = agent.choices.model_dump(exclude={"course"}, exclude_none=True)
            configuration = services.answering.configuration(course, AnswerParameters.model_validate(chosen).choices)
            revision = (await services.store.courses.get(course.id)).revision
            found[name] = CourseAssistant(services.assistant, course, configuration, revision)
    return found


@asynccontextmanager
async def _cast(services: Services, scenario: Scenario) -> AsyncIterator[Cast]:
    """The product and the servers of tools that agents need; the servers are stopped at the end."""
    assistants = await assistants_of(services, scenario)
    async with open_tools(scenario, environment()) as tools:
        yield Cast(assistants, tools)


@asynccontextmanager
async def _runner(services: Services, scenario: Scenario, names: Iterable[str]) -> AsyncIterator[Runner]:
    """A runner on these models of the file, which are closed at the end."""
    tapes = services.builder.tapes
    tape = tapes.player or tapes.recorder()
    models = models_of(scenario, names, environment(), services.settings.llm_prices, tape)
    asks_product = any(agent.choices for agent in scenario.agents.values())
    asked = beside(services.models, scenario, models) if asks_product else models
    try:
        yield Runner(services.store.evaluations, asked, asked.prices)
    finally:
        await models.aclose()

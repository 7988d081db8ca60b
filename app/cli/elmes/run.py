"""`edumod elmes run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.elmes.options import AllowMcp, Env, scenario_at, with_tools
from app.cli.elmes.runs import run_all
from app.cli.eval.options import MaxCost, PagePath, Seeds, check_page, names_in
from app.cli.eval.reports import present, write_page
from app.cli.measuring import measure
from app.cli.output import AsJson, errors, print_json
from core.errors import InvalidInput
from core.store.tables import now
from eval.scenarios.runs.page import scenarios_page
from eval.scenarios.runs.request import RunRequest
from judging.options import MAX_SAMPLES


def run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of scenarios.")],
    models: Annotated[
        str, typer.Option(help="Models of the file that play the agent under test in turn, comma-separated.")
    ] = "",
    agent: Annotated[str, typer.Option(help="The agent under test; the first to speak if none.")] = "",
    judges: Annotated[
        str, typer.Option(help="Models of the file that judge, comma-separated; the file's judge if none.")
    ] = "",
    samples: Annotated[int, typer.Option(min=1, max=MAX_SAMPLES, help="Judgements of a dialogue by each judge.")] = 1,
    seeds: Seeds = 1,
    max_cost: MaxCost = None,
    allow_mcp: AllowMcp = False,
    env: Env = None,
    page: PagePath = None,
    as_json: AsJson = False,
) -> None:
    """Hold and judge every dialogue of scenarios, and report on them, with 95 % intervals over tasks.

    A run that was interrupted, was ended by its cost cap or failed in part continues where it stopped; nothing is paid
    for twice. Exits with 1 if a dialogue or a judgement is missing.
    """
    check_page(page)
    if len({path.stem for path in files}) < len(files):
        raise InvalidInput("Two files have the same name. Rename one of them, since reports go by it.")
    scenarios = [with_tools(scenario_at(path, env=env), allow_mcp) for path in files]
    requests = [RunRequest.made(one, agent, names_in(models), names_in(judges), seeds, samples) for one in scenarios]
    for request in requests:
        text = f"{request.scenario.path.stem}: {request.size.text}"
        errors.print(text, soft_wrap=True, markup=False, highlight=False)
    runs = measure("dialogues", lambda services, show: run_all(services, requests, max_cost, show))
    if page is not None:
        write_page(page, scenarios_page([(one.report, one.rows) for one in runs], now()))
    if as_json:
        print_json({"scenarios": {one.report.dataset: one.report for one in runs}})
    for one in [] if as_json else runs:
        present(one.report, as_json)
    if not all(one.report.complete for one in runs):
        raise typer.Exit(1)

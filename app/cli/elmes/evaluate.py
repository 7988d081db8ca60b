"""`edumod elmes eval`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.elmes.options import CONFIG, Averages, ConfigPath, Debug, Env, InputPath, OutputPath, scenario_at
from app.cli.elmes.runs import judge_all
from app.cli.eval.reports import present
from app.cli.measuring import measure
from app.cli.output import AsJson, errors
from eval.scenarios.exchange.exports import TableColumns


def eval_(
    config: ConfigPath = CONFIG,
    folder: InputPath = None,
    output: OutputPath = None,
    avg: Averages = True,
    include_reasons: Annotated[
        bool, typer.Option("--include-reasons/--no-include-reasons", help="With the texts of the judge in the table.")
    ] = True,
    env: Env = None,
    debug: Debug = False,
    as_json: AsJson = False,
) -> None:
    """Have the file's judge fill in its fields for every exported dialogue: a JSON file each, and a table."""
    scenario = scenario_at(config, output, env)
    source, columns = folder or scenario.output, TableColumns(avg, include_reasons)
    report, table = measure("judged", lambda services, show: judge_all(services, scenario, source, columns, show))
    present(report, as_json)
    errors.print(f"Table: {table}", soft_wrap=True, markup=False, highlight=False)
    if not report.complete:
        raise typer.Exit(1)

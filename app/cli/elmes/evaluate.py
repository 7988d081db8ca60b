"""`edumod elmes eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.elmes.options import CONFIG, Averages, ConfigPath, OutputPath, scenario_at
from app.cli.elmes.runs import judge_all
from app.cli.eval.reports import present
from app.cli.measuring import measure
from app.cli.output import AsJson, errors


def eval_(
    config: ConfigPath = CONFIG,
    folder: Annotated[
        Path | None, typer.Option("--input", "-i", help="Folder of exported dialogues, instead of the scenario's own.")
    ] = None,
    output: OutputPath = None,
    avg: Averages = True,
    as_json: AsJson = False,
) -> None:
    """Have the file's judge fill in its fields for every exported dialogue: a JSON file each, and a table."""
    scenario = scenario_at(config, output)
    source = folder or scenario.output
    report, table = measure("judged", lambda services, show: judge_all(services, scenario, source, avg, show))
    present(report, as_json)
    errors.print(f"Table: {table}", soft_wrap=True, markup=False, highlight=False)
    if not report.complete:
        raise typer.Exit(1)

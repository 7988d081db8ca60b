"""`edumod elmes pipeline`."""

from __future__ import annotations

import typer

from app.cli.elmes.options import CONFIG, AllowMcp, ConfigPath, Debug, Env, scenario_at, with_tools
from app.cli.elmes.runs import converse_all, judge_all, last_dialogues
from app.cli.eval.reports import present
from app.cli.measuring import measure
from app.cli.output import AsJson, errors, with_services
from eval.scenarios.exchange.exports import TableColumns, write_dialogues


def pipeline(
    config: ConfigPath = CONFIG,
    allow_mcp: AllowMcp = False,
    env: Env = None,
    debug: Debug = False,
    as_json: AsJson = False,
) -> None:
    """Generate dialogues, export them as JSON and have them judged, one after the other."""
    scenario = with_tools(scenario_at(config, env=env), allow_mcp)
    spoken = measure("dialogues", lambda services, show: converse_all(services, scenario, 1, None, show))
    if not as_json:
        present(spoken, as_json)
    write_dialogues(scenario, with_services(lambda services: last_dialogues(services, scenario)))
    folder, columns = scenario.output, TableColumns()
    judged, table = measure("judged", lambda services, show: judge_all(services, scenario, folder, columns, show))
    present(judged, as_json)
    errors.print(f"Table: {table}", soft_wrap=True, markup=False, highlight=False)
    if not (spoken.complete and judged.complete):
        raise typer.Exit(1)

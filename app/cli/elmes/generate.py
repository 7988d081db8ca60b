"""`edumod elmes generate`."""

from __future__ import annotations

from app.cli.elmes.options import CONFIG, AllowMcp, ConfigPath, Debug, Env, OutputPath, scenario_at, with_tools
from app.cli.elmes.runs import converse_all
from app.cli.eval.options import MaxCost, Seeds
from app.cli.eval.reports import conclude
from app.cli.measuring import measure
from app.cli.output import AsJson


def generate(
    config: ConfigPath = CONFIG,
    output: OutputPath = None,
    seeds: Seeds = 1,
    max_cost: MaxCost = None,
    allow_mcp: AllowMcp = False,
    env: Env = None,
    debug: Debug = False,
    as_json: AsJson = False,
) -> None:
    """Let the agents talk about every task, and keep the dialogues.

    A run that was interrupted continues where it stopped; no finished dialogue is paid for twice.
    """
    scenario = with_tools(scenario_at(config, output, env), allow_mcp)
    report = measure("dialogues", lambda services, show: converse_all(services, scenario, seeds, max_cost, show))
    conclude(report, as_json)

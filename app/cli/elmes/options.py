"""Options shared by commands of `edumod elmes`, and the scenario that they read."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.output import errors
from eval.scenarios.reading import read_scenario
from eval.scenarios.scenario import Scenario

CONFIG = Path("config.yaml")
ConfigPath = Annotated[Path, typer.Option("--config", help="The scenario's file.")]
OutputPath = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for the results, instead of the one in the file.")
]
InputPath = Annotated[
    Path | None, typer.Option("--input", "-i", help="Folder with the dialogues' files, instead of the scenario's own.")
]
Averages = Annotated[bool, typer.Option("--avg/--no-avg", help="With the mean of each dialogue and of each field.")]


def show_log(wanted: bool) -> None:
    """Show everything that is logged, if wanted."""
    if wanted:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)


Debug = Annotated[
    bool, typer.Option("--debug", help="Show requests and waits on stderr.", callback=show_log, expose_value=False)
]
"""Takes effect when it is read: commands get no value."""


AllowMcp = Annotated[
    bool,
    typer.Option("--allow-mcp", help="Start the MCP servers that the file names, with the commands that stand in it."),
]


Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME",
        help="Variable of the environment that the file may read as ${NAME}, and so send to its hosts; several are "
        "possible.",
        show_default=False,
    ),
]


def with_tools(scenario: Scenario, allowed: bool) -> Scenario:
    """The scenario, without the tools of its agents unless they are allowed; stderr says so."""
    if allowed or not any(agent.tools for agent in scenario.agents.values()):
        return scenario
    text = "Agents speak without their tools: the file names servers to start. Allow it with --allow-mcp."
    errors.print(f"[yellow]{text}[/]", soft_wrap=True, highlight=False)
    return scenario.without_tools()


def scenario_at(path: Path, output: Path | None = None, env: Sequence[str] | None = None) -> Scenario:
    """Reads a scenario's file, which may read the variables `env`; what is ignored in it goes to stderr.

    Raises `InvalidInput`.
    """
    scenario = read_scenario(path, output).model_copy(update={"variables": frozenset(env or ())})
    for remark in scenario.remarks:
        errors.print(f"[yellow]{escape(remark)}[/]", soft_wrap=True, highlight=False)
    return scenario

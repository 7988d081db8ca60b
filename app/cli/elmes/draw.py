"""`edumod elmes draw`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.cli.elmes.options import CONFIG, ConfigPath, Debug, scenario_at
from app.cli.output import AsJson, print_done
from core.files import write_atomically
from eval.scenarios.drawing import mermaid, picture
from eval.scenarios.scenario import Scenario


class ChartDirection(StrEnum):
    """Where a flowchart leads: from top to bottom, left to right, and back."""

    TB = "TB"
    LR = "LR"
    RL = "RL"
    BT = "BT"


def draw(
    config: ConfigPath = CONFIG,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for it: .svg, .png, or any other for Mermaid text; printed if none."),
    ] = None,
    direction: Annotated[ChartDirection, typer.Option(help="Where it leads.")] = ChartDirection.TB,
    printed: Annotated[bool, typer.Option("--print", help="Print the text, even if a file is written.")] = False,
    debug: Debug = False,
    as_json: AsJson = False,
) -> None:
    """Draw who speaks after whom, as a picture or as Mermaid text, without a network."""
    scenario = scenario_at(config)
    diagram = mermaid(scenario, direction)
    if output is not None:
        write_atomically(output, _drawn(scenario, direction, output.suffix.lower(), diagram), private=False)
    print_done(diagram if printed or output is None else f"Written to {output}", as_json, mermaid=diagram)


def _drawn(scenario: Scenario, direction: ChartDirection, suffix: str, diagram: str) -> bytes:
    if suffix not in (".svg", ".png"):
        return diagram.encode()
    svg, png = picture(scenario, direction)
    return svg.encode() if suffix == ".svg" else png

"""`edumod elmes hash`."""

from __future__ import annotations

from app.cli.elmes.options import CONFIG, ConfigPath, scenario_at
from app.cli.output import output


def hash_(config: ConfigPath = CONFIG) -> None:
    """Print the MD5 of a scenario's file, by which dialect 1.0 names its folder of results."""
    output.print(scenario_at(config).digest, highlight=False)

"""`edumod elmes hash`."""

from __future__ import annotations

from app.cli.elmes.options import CONFIG, ConfigPath, scenario_at
from app.cli.output import AsJson, print_done


def hash_(config: ConfigPath = CONFIG, as_json: AsJson = False) -> None:
    """Print the MD5 of a scenario's file, by which dialect 1.0 names its folder of results."""
    digest = scenario_at(config).digest
    print_done(digest, as_json, md5=digest)

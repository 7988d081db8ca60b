"""Reads a scenario's file, in whichever dialect it is written."""

from __future__ import annotations

from pathlib import Path

from eval.scenarios.dialects import RULES
from eval.scenarios.files import ScenarioFile
from eval.scenarios.scenario import Scenario


def read_scenario(path: Path, output: Path | None = None) -> Scenario:
    """Read and check a scenario's file; `output` replaces the folder for results that it names.

    Raises `InvalidInput` naming file, line and what to correct.
    """
    file = ScenarioFile(path, output)
    return RULES[file.dialect].read(file)

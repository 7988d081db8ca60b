"""Reads a scenario's file, in whichever dialect it is written."""

from __future__ import annotations

from pathlib import Path

from eval.scenarios import dialect_0_1, dialect_1_0
from eval.scenarios.files import ScenarioFile
from eval.scenarios.scenario import Dialect, Scenario

_READERS = {Dialect.V0_1: dialect_0_1.scenario, Dialect.V1_0: dialect_1_0.scenario}


def read_scenario(path: Path, output: Path | None = None) -> Scenario:
    """Read and check a scenario's file; `output` replaces the folder for results that it names.

    Raises `InvalidInput` naming file, line and what to correct.
    """
    file = ScenarioFile(path, output)
    return _READERS[file.dialect](file)

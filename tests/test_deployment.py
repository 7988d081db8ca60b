"""The files by which others run EduMod name commands that exist."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from typer.main import get_command

from app.cli import cli

ROOT = Path(__file__).parent.parent
UNITS = sorted((ROOT / "docs" / "nightly").iterdir())


def commands() -> list[list[str]]:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].values()
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(ROOT / "docs" / "nightly" / "edumod-nightly.service")
    started = shlex.split(unit["Service"]["ExecStart"])
    crontab = re.search(
        r"^15 3 .*(edumod report .*) >/dev/null$", (ROOT / "docs" / "nightly.md").read_text(), re.MULTILINE
    )
    assert crontab
    named = [service["command"] for service in services if "command" in service]
    return [*named, started[started.index("edumod") :], crontab[1].split()]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_can_be_parsed(command: list[str]) -> None:
    assert command[0] == "edumod"
    shown = CliRunner().invoke(get_command(cli), [*command[1:], "--help"])
    assert shown.exit_code == 0, shown.output
    known = set(re.findall(r"--[a-z-]+", shown.output))
    assert {word for word in command if word.startswith("--")} <= known


def test_systemd_accepts_the_units() -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(["systemd-analyze", "verify", *UNITS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

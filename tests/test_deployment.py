"""The files by which others run EduMod name commands that exist."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import tomllib
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


def test_every_data_file_of_the_packages_is_installed() -> None:
    """And its folder is a package, or setuptools would leave it out."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    named = tool["package-data"].items()
    installed = {
        path for package, globs in named for one in globs for path in (ROOT / package.replace(".", "/")).glob(one)
    }
    packages = [pattern.removesuffix("*") for pattern in tool["packages"]["find"]["include"]]
    files = {path for package in packages for path in (ROOT / package).rglob("*") if path.is_file()}
    assert {path for path in files - installed if path.suffix not in (".py", ".pyc")} == set()
    assert [package for package, _ in named if not (ROOT / package.replace(".", "/") / "__init__.py").exists()] == []


def test_the_image_has_every_package() -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    copied = re.findall(r"^COPY (\w+) \1$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert sorted(copied) == sorted(pattern.removesuffix("*") for pattern in packages)


def test_systemd_accepts_the_units() -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(["systemd-analyze", "verify", *UNITS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

"""Copies of the program, to be changed by a test and run as processes of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
PACKAGES: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["packages"]
SERVE = """
import sys
import uvicorn
from app.main import create_app
from app.wiring import build_services
from tests.fakes import FakeEmbedder

uvicorn.run(create_app(build=lambda settings: build_services(settings, embedder=FakeEmbedder())),
            port=int(sys.argv[1]), log_level="warning")
"""
RUN = "import sys; from app.cli import main; sys.argv[0] = 'edumod'; main()"


def copy_program(folder: Path) -> Path:
    """Every package with its compiled modules, and the tests' fakes."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package)
    (folder / "tests").mkdir()
    for name in ("__init__.py", "fakes.py"):
        shutil.copy2(ROOT / "tests" / name, folder / "tests")
    return folder


def replace_in(file: Path, old: str, new: str) -> None:
    """Replace the first occurrence of a text, which must be there."""
    content = file.read_text(encoding="utf-8")
    assert old in content, f"{file.name} has no {old!r}"
    file.write_text(content.replace(old, new, 1), encoding="utf-8")


def edumod(program: Path, home: Path, *arguments: str) -> str:
    """What a command of the copy prints; the command must succeed."""
    command = [sys.executable, "-c", RUN, *arguments]
    ended = subprocess.run(
        command, env=environment(program, home), cwd=program, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@contextmanager
def served(program: Path, home: Path) -> Iterator[httpx.Client]:
    """A client of the copy's running server, which ends with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(port)], env=environment(program, home), cwd=program)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            _wait(client, process)
            yield client
    finally:
        process.terminate()
        process.wait(timeout=20)


def environment(program: Path, home: Path) -> dict[str, str]:
    """The variables that a process of the copy runs with."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    return {**clean, "EDUMOD_HOME": str(home), "PYTHONPATH": str(program), "COLUMNS": "120"}


def _wait(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "The server did not start."
        try:
            if client.get("/healthz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("The server did not answer.")

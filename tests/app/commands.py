"""The `edumod` command, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path
from typing import IO

from tests.servers.homes import url_in

EDUMOD = Path(sys.executable).with_name("edumod")
MAX_SECONDS = 120
_forkserver = get_context("forkserver")
_forkserver.set_forkserver_preload(["tests.app.preloaded"])


def environment(home: Path, **settings: str) -> dict[str, str]:
    """The environment of a command whose only settings are these."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    database = {"EDUMOD_DATABASE_URL": url} if (url := url_in(home)) else {}
    return {**clean, "EDUMOD_HOME": str(home), "COLUMNS": "120", **database, **settings}


def edumod(home: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a home and settings of its own, and none of the environment.

    Its process is forked from one that has imported the commands' modules (`tests.app.preloaded`), which takes a tenth
    of the time of a start from nothing. Tests of the start itself run `EDUMOD`.
    """
    with tempfile.TemporaryDirectory() as folder:
        shown = (Path(folder) / "stdout", Path(folder) / "stderr")
        process = _forkserver.Process(target=_run, args=(arguments, environment(home, **settings), os.getcwd(), shown))
        process.start()
        process.join(MAX_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(arguments), MAX_SECONDS)
        return subprocess.CompletedProcess(arguments, process.exitcode, *(file.read_text() for file in shown))


def _run(arguments: tuple[str, ...], environment: Mapping[str, str], folder: str, shown: tuple[Path, Path]) -> None:
    from app.cli import main

    for stream, file in zip((sys.stdout, sys.stderr), shown, strict=True):
        _redirect(stream, file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["edumod", *arguments]
    main()


def _redirect(stream: IO[str], file: Path) -> None:
    with file.open("wb") as opened:
        os.dup2(opened.fileno(), stream.fileno())

"""Shared by benchmarks: a home with the sample course, a served instance, and a table."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".edumod" / "benchmarks"
"""Kept between runs, so that the sample course is ingested once."""
EDUMOD = Path(sys.executable).with_name("edumod")
START_SECONDS = 180.0


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], note: str = "") -> None:
    table = Table(title=title, title_justify="left", caption=note or None, caption_justify="left")
    for n, column in enumerate(columns):
        table.add_column(column, justify="left" if n == 0 else "right")
    for row in rows:
        table.add_row(*(f"{cell:,.3g}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=120).print(table)


def environment(**settings: str) -> dict[str, str]:
    """The environment of a command: EduMod's settings are these alone."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    return {**clean, "EDUMOD_HOME": str(HOME), **settings}


def load_sample_course(home: Path = HOME) -> None:
    command = [str(EDUMOD), "course", "load", str(ROOT / "data" / "ds101" / "course.yaml")]
    settings = environment(EDUMOD_HOME=str(home))
    subprocess.run(command, check=True, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(url: str, process: subprocess.Popen[bytes]) -> float:
    """Seconds until `url` answers 200."""
    started = time.perf_counter()
    while time.perf_counter() - started < START_SECONDS:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with exit code {process.returncode}.")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return time.perf_counter() - started
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.01)
    raise TimeoutError(f"{url} did not answer within {START_SECONDS} s.")


@contextmanager
def served(workers: int = 1, **settings: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """`edumod serve` with the sample course, ready to answer. Gives its address and process."""
    port = free_port()
    command = [str(EDUMOD), "serve", "--port", str(port), "--workers", str(workers)]
    process = subprocess.Popen(command, env=environment(**settings), stderr=subprocess.DEVNULL)
    try:
        wait_until(f"http://127.0.0.1:{port}/readyz", process)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(timeout=20)

"""The service as processes of its own, as `edumod serve` starts it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx

START_SECONDS = 60


def serve(home: Path, port: int, workers: int, **settings: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    return subprocess.Popen(
        [*command, "--port", str(port), "--workers", str(workers)],
        env={**environment, "EDUMOD_HOME": str(home), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def answer(url: str, server: subprocess.Popen[str]) -> str:
    started = time.monotonic()
    while time.monotonic() - started < START_SECONDS:
        assert server.poll() is None, server.communicate()[1]
        try:
            return httpx.get(url, timeout=START_SECONDS).text
        except httpx.TransportError:
            time.sleep(0.05)
    raise TimeoutError(url)

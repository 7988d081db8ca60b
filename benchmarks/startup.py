"""Seconds from starting the process to `/healthz`, against starting Python with FastAPI alone."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from benchmarks.harness import EDUMOD, environment, free_port, load_sample_course, show, wait_until

RUNS = 5
FLOOR = """
import fastapi, uvicorn
app = fastapi.FastAPI()
app.get("/healthz")(lambda: "ok")
uvicorn.run(app, port={port}, log_level="error")
"""


def seconds(command: list[str], port: int) -> float:
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL)
    try:
        wait_until(f"http://127.0.0.1:{port}/healthz", process)
        return time.perf_counter() - started
    finally:
        process.terminate()
        process.wait(timeout=20)


def main() -> None:
    load_sample_course()
    ours, floor = [], []
    for _ in range(RUNS):
        port = free_port()
        ours.append(seconds([str(EDUMOD), "serve", "--port", str(port)], port))
        port = free_port()
        floor.append(seconds([sys.executable, "-c", FLOOR.format(port=port)], port))
    rows = [
        ("edumod serve", median(ours), max(ours), median(ours) / median(floor)),
        ("FastAPI alone", median(floor), max(floor), 1.0),
    ]
    show(f"Start to /healthz, {RUNS} runs", ("server", "median s", "max s", "ratio"), rows)


if __name__ == "__main__":
    main()

"""Processor time of an answer through a proxy with a key, against one on the own machine without.

One service is asked in both ways in turns, offline and by `bm25`: the cheapest answers, of which finding out who asks
takes the largest share. Turns change their order from pair to pair.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial

import httpx
import psutil

from benchmarks.harness import environment, load_sample_course, served
from benchmarks.load import cpu_seconds
from benchmarks.pairs import compare


def new_key() -> str:
    """A key for the sample course, made by the command."""
    code = "from app.cli import main; main()"
    arguments = ["keys", "create", "benchmark", "--scope", "answer", "--course", "ds101", "--json"]
    made = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment(), capture_output=True, text=True, check=True
    )
    key: str = json.loads(made.stdout)["key"]
    return key


def cpu_ms(client: httpx.Client, process: psutil.Process, headers: dict[str, str], questions: list[str]) -> float:
    """Milliseconds of an answer."""
    before = cpu_seconds(process)
    for question in questions:
        asked = {"course": "ds101", "question": {"body": question}}
        client.post("/answer?pipeline=fc&retriever=bm25", json=asked, headers=headers).raise_for_status()
    return 1000 * (cpu_seconds(process) - before) / len(questions)


def main() -> None:
    load_sample_course()
    with_key = {"Authorization": f"Bearer {new_key()}", "X-Forwarded-For": "203.0.113.7"}
    with served() as (address, process), httpx.Client(base_url=address, timeout=60) as client:
        ask = partial(cpu_ms, client, psutil.Process(process.pid))
        names = ("on the own machine", "with a key")
        compare("Processor time of an answer", names, (partial(ask, {}), partial(ask, with_key)))


if __name__ == "__main__":
    main()

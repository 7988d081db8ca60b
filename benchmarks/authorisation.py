"""Processor time of an answer through a proxy with a key, against one on the own machine without.

One service is asked in both ways in turns, offline and by `bm25`: the cheapest answers, of which finding out who asks
takes the largest share. Turns change their order from pair to pair.
"""

from __future__ import annotations

import json
import subprocess
import sys
from statistics import median, quantiles

import httpx
import psutil

from benchmarks.harness import environment, load_sample_course, served, show
from benchmarks.load import cpu_seconds
from benchmarks.questions import sample_questions

PAIRS = 12
QUESTIONS = 60
"""In each turn."""


def new_key() -> str:
    """A key for the sample course, made by the command."""
    code = "from app.cli import main; main()"
    arguments = ["keys", "create", "benchmark", "--scope", "answer", "--course", "ds101", "--json"]
    made = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment(), capture_output=True, text=True, check=True
    )
    key: str = json.loads(made.stdout)["key"]
    return key


def cpu_ms(client: httpx.Client, process: psutil.Process, questions: list[str], headers: dict[str, str]) -> float:
    """Milliseconds of an answer."""
    before = cpu_seconds(process)
    for question in questions:
        asked = {"course": "ds101", "question": {"body": question}}
        client.post("/answer?pipeline=fc&retriever=bm25", json=asked, headers=headers).raise_for_status()
    return 1000 * (cpu_seconds(process) - before) / len(questions)


def main() -> None:
    load_sample_course()
    with_key = {"Authorization": f"Bearer {new_key()}", "X-Forwarded-For": "203.0.113.7"}
    ways: tuple[dict[str, str], dict[str, str]] = (with_key, {})
    times: list[tuple[float, float]] = []
    with served() as (address, process), httpx.Client(base_url=address, timeout=60) as client:
        measured = psutil.Process(process.pid)
        cpu_ms(client, measured, sample_questions(2 * QUESTIONS), {})
        for pair in range(PAIRS):
            questions = sample_questions(QUESTIONS, first=(2 + pair) * QUESTIONS)
            order = (0, 1) if pair % 2 else (1, 0)
            taken = {n: cpu_ms(client, measured, questions, ways[n]) for n in order}
            times.append((taken[0], taken[1]))
    ratios = [on / off for on, off in times]
    low, _, high = quantiles(ratios, n=4)
    rows = [
        ("on the own machine", median(off for _, off in times), 1.0),
        ("with a key", median(on for on, _ in times), median(ratios)),
    ]
    note = f"Medians of {PAIRS} pairs of {QUESTIONS} questions; half of the ratios lie from {low:.3f} to {high:.3f}."
    show("Processor time of an answer", ("request", "ms", "ratio"), rows, note)


if __name__ == "__main__":
    main()

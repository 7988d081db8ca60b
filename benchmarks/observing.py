"""Processor time of an answer with metrics and a JSON log, against the same service without either.

Both services run side by side and are asked the same questions in turns, offline and by `bm25`: the cheapest answers,
of which observing takes the largest share. Turns change their order from pair to pair.
"""

from __future__ import annotations

from statistics import median, quantiles

import psutil

from benchmarks.harness import load_sample_course, served, show
from benchmarks.load import cpu_seconds
from benchmarks.memory import ask
from benchmarks.questions import sample_questions

PAIRS = 12
QUESTIONS = 60
"""In each turn."""
WITH = {"EDUMOD_METRICS": "local", "EDUMOD_LOG_FORMAT": "json"}
WITHOUT = {"EDUMOD_METRICS": "off", "EDUMOD_LOG_LEVEL": "error"}


def cpu_ms(address: str, process: psutil.Process, questions: list[str]) -> float:
    """Milliseconds of an answer."""
    before = cpu_seconds(process)
    for question in questions:
        ask(address, question, "?pipeline=fc&retriever=bm25")
    return 1000 * (cpu_seconds(process) - before) / len(questions)


def main() -> None:
    load_sample_course()
    with served(**WITH) as observed, served(**WITHOUT) as silent:
        services = [(address, psutil.Process(process.pid)) for address, process in (observed, silent)]
        for address, process in services:
            cpu_ms(address, process, sample_questions(2 * QUESTIONS))
        times: list[tuple[float, float]] = []
        for pair in range(PAIRS):
            questions = sample_questions(QUESTIONS, first=(2 + pair) * QUESTIONS)
            order = (0, 1) if pair % 2 else (1, 0)
            taken = {n: cpu_ms(*services[n], questions) for n in order}
            times.append((taken[0], taken[1]))
    ratios = [on / off for on, off in times]
    low, _, high = quantiles(ratios, n=4)
    rows = [
        ("without", median(off for _, off in times), 1.0),
        ("with metrics and log", median(on for on, _ in times), median(ratios)),
    ]
    note = f"Medians of {PAIRS} pairs of {QUESTIONS} questions; half of the ratios lie from {low:.3f} to {high:.3f}."
    show("Processor time of an answer", ("service", "ms", "ratio"), rows, note)


if __name__ == "__main__":
    main()

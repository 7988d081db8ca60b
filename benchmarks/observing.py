"""Processor time of an answer with metrics and a JSON log, against the same service without either.

Both services run side by side and are asked the same questions in turns, offline and by `bm25`: the cheapest answers,
of which observing takes the largest share. Turns change their order from pair to pair.
"""

from __future__ import annotations

from functools import partial

import psutil

from benchmarks.harness import load_sample_course, served
from benchmarks.load import cpu_seconds
from benchmarks.memory import ask
from benchmarks.pairs import compare

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
    with served(**WITHOUT) as (silent, silently), served(**WITH) as (observed, visibly):
        ways = (
            partial(cpu_ms, silent, psutil.Process(silently.pid)),
            partial(cpu_ms, observed, psutil.Process(visibly.pid)),
        )
        compare("Processor time of an answer", ("without", "with metrics and log"), ways)


if __name__ == "__main__":
    main()

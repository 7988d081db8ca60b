"""Resident memory of the server with the sample course, after 200 questions, against the server just started."""

from __future__ import annotations

import json
import urllib.request

import psutil

from benchmarks.harness import load_sample_course, served, show
from benchmarks.questions import sample_questions

QUESTIONS = 200


def resident_mb(pid: int) -> float:
    process = psutil.Process(pid)
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True))) / 2**20


def ask(address: str, question: str, query: str = "") -> None:
    body = json.dumps({"course": "ds101", "question": {"body": question}}).encode()
    request = urllib.request.Request(f"{address}/answer{query}", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        response.read()


def main() -> None:
    load_sample_course()
    with served() as (address, process):
        ready = resident_mb(process.pid)
        for question in sample_questions(QUESTIONS):
            ask(address, question)
        after = resident_mb(process.pid)
    rows = [("ready", ready, 1.0), (f"after {QUESTIONS} questions", after, after / ready)]
    show("Resident memory with the sample course", ("server", "MB", "ratio"), rows)


if __name__ == "__main__":
    main()

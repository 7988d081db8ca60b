"""Questions to ask: those of the sample course's past threads, no two alike."""

from __future__ import annotations

import json

from benchmarks.harness import ROOT


def sample_questions(count: int, first: int = 0) -> list[str]:
    """`count` different questions in students' words, those before number `first` left out."""
    rows = (ROOT / "data" / "ds101" / "qa" / "threads.jsonl").read_text(encoding="utf-8").splitlines()
    bodies = [json.loads(row)["question"]["body"][:1500] for row in rows]
    return [
        body if n < len(bodies) else f"{body} (asked again, {n})"
        for n, body in ((n, bodies[n % len(bodies)]) for n in range(first, first + count))
    ]

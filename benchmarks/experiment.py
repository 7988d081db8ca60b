"""An experiment on answers to some messages of the sample course, and to follow-ups in threads.

Two files of candidate answers, which were written for the judges' calibration, take the place of people's.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT

MESSAGES = 20
SPLIT = "shown"
FOLLOW_UPS = Path(__file__).with_name("follow_ups.jsonl")
CANDIDATES = "judges/candidates/answers.jsonl"
EXPERIMENT = """course: shown
split: shown
vary:
  pipeline: [fc, fc_forced, edison]
  retriever: [tree, hybrid]
judges: [teaching_points, grounded]
without: [thread]
actors: ["answers:{folder}/b.jsonl,{folder}/c.jsonl", limit:reference, limit:empty]
"""


def write_experiment(folder: Path) -> Path:
    """Write a copy of the course, files of answers and the experiment into the folder; returns the last one."""
    shutil.copytree(ROOT / "data" / "ds101", folder)
    course = folder / "course.yaml"
    course.write_text(course.read_text(encoding="utf-8").replace("id: ds101", "id: shown"), encoding="utf-8")
    labels = folder / "labels"
    candidates = list(_rows(labels / CANDIDATES))
    shown = set(list(dict.fromkeys(row["id"][:-1] for row in candidates))[:MESSAGES])
    for kind in ("answers", "functions"):
        path = labels / kind / "questions.jsonl"
        _write(path, [{**row, "split": SPLIT} if row["id"] in shown else row for row in _rows(path)])
    _add_follow_ups(labels / "answers")
    for letter in "bc":
        own = [row for row in candidates if row["id"][-1] == letter]
        _write(folder / f"{letter}.jsonl", [{"id": row["id"][:-1], "answer": row["answer"]} for row in own])
    path = folder / "experiment.yaml"
    path.write_text(EXPERIMENT.format(folder=folder), encoding="utf-8")
    return path


def _add_follow_ups(folder: Path) -> None:
    rows = list(_rows(FOLLOW_UPS))
    asked = [
        {
            "id": row["id"],
            "split": SPLIT,
            "question": {"body": row["body"], "thread": [{"body": row["thread"], "role": "student"}]},
        }
        for row in rows
    ]
    labels = [
        {"kind": "thread", "expects": "answer", **{name: row[name] for name in ("id", "passages", "reference")}}
        for row in rows
    ]
    for name, added in (("questions", asked), ("labels", labels)):
        path = folder / f"{name}.jsonl"
        _write(path, [*_rows(path), *added])


def _rows(path: Path) -> Iterable[dict[str, Any]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in list(rows))
    path.write_text(text, encoding="utf-8")

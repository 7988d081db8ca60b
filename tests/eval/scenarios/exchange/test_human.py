"""Scores that people gave in Label Studio are compared with the judge's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput, NotFound
from eval.scenarios.exchange.human import human_report, read_judged, read_labels


def label(dialogue: str, person: object, result: list[dict[str, Any]], cancelled: bool = False) -> dict[str, Any]:
    annotation = {"id": 1, "completed_by": person, "was_cancelled": cancelled, "result": result}
    return {"id": 7, "data": {"task_id": dialogue, "messages": []}, "annotations": [annotation], "predictions": []}


def region(name: str, **value: object) -> dict[str, Any]:
    return {"id": "x", "from_name": name, "to_name": "dialogue", "type": next(iter(value)), "value": value}


def export(folder: Path, *tasks: dict[str, Any]) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(tasks))
    return path


def test_stars_numbers_and_choices_are_scores_and_texts_are_not(tmp_path: Path) -> None:
    regions = [
        region("accuracy", rating=4),
        region("guidance.score", number=2.5),
        region("polite", choices=["Yes"]),
        region("guidance.reason", text=["because"]),
    ]
    person = {"id": 3, "email": "ada@example.org"}
    path = export(tmp_path, label("a", person, regions), label("b", 3, regions[:1], cancelled=True))
    assert read_labels(path) == {"person 3": {"a": {"accuracy": 4.0, "guidance.score": 2.5, "polite": 1.0}}}


def test_the_judge_is_compared_with_the_mean_of_people_and_they_with_each_other() -> None:
    values = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 5.0}
    judged = {name: {"accuracy": value} for name, value in values.items()}
    people = {
        "person 1": {name: {"accuracy": value} for name, value in values.items()},
        "person 2": {name: {"accuracy": value} for name, value in values.items()} | {"e": {"accuracy": 3.0}},
    }
    report = human_report("lesson", judged, people)
    found = report.fields["accuracy"]
    assert (report.rated, report.unjudged, found.n) == (5, 1, 4)
    assert found.raters == ("person 1", "person 2")
    assert (found.judge.pearson.mean, found.judge.mae.mean) == (1.0, 0.0)
    assert found.humans is not None
    assert found.humans.alpha.mean == 1.0


def test_other_files_and_an_export_without_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Export it as JSON"):
        read_labels(export(tmp_path, {"accuracy": 4}))
    with pytest.raises(NotFound, match="Nobody scored"):
        read_labels(export(tmp_path, label("a", 1, [])))
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_labels(tmp_path / "missing.json")
    with pytest.raises(NotFound, match="edumod elmes eval"):
        read_judged(tmp_path / "eval")

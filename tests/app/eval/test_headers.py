"""`edumod eval headers`, as a process."""

from __future__ import annotations

import json
from pathlib import Path

from eval.headers.report import OPTIONAL
from tests.app.commands import edumod


def dataset(folder: Path) -> Path:
    (folder / "plain").mkdir(parents=True)
    (folder / "plain" / "lab.txt").write_text("Lab\n\nQuestion 1\nDo it.\n")
    row = {"id": "lab", "headers": [{"title": "Question 1", "is_question": True, "line": 2}]}
    (folder / "gold.jsonl").write_text(json.dumps(row))
    return folder


def test_header_figures_are_printed_as_json_and_as_a_table(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "labs")
    done = edumod(tmp_path, "eval", "headers", "--dataset", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["dataset"], figures["n"], figures["kind"]) == ("labs", 1, "headers")
    assert figures.keys() & set(OPTIONAL) == {"precision", "recall", "f1"}
    assert figures["f1"] == {"mean": 1.0, "low": 0.025, "high": 1.0}
    assert "precision" in edumod(tmp_path, "eval", "headers", "--dataset", str(folder)).stdout


def test_twins_are_shown_in_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    folder.mkdir()
    (folder / "hw.txt").write_text("Question 1\n\nOne.\n")
    (folder / "hw_sol.txt").write_text("Question 1\n\nOne.\n\nSolution: 1\n")
    shown = edumod(tmp_path, "eval", "headers", "--dataset", str(folder)).stdout
    assert "hw_sol.txt" in shown
    assert "100%" in shown


def test_a_missing_data_set_and_a_failed_document_have_their_own_exit_codes(tmp_path: Path) -> None:
    assert edumod(tmp_path, "eval", "headers", "--dataset", str(tmp_path / "gone")).returncode == 2
    folder = dataset(tmp_path / "labs")
    (folder / "plain" / "lab.txt").write_bytes(b"\0\0")
    failed = edumod(tmp_path, "eval", "headers", "--dataset", str(folder))
    assert failed.returncode == 1
    assert "lab.txt" in failed.stderr

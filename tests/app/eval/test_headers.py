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


def test_a_run_is_listed_shown_as_a_page_compared_and_exported(tmp_path: Path) -> None:
    folder, page = dataset(tmp_path / "labs"), tmp_path / "page.html"
    first, second = [
        json.loads(edumod(tmp_path, "eval", "headers", "--dataset", str(folder), "--json").stdout)["evaluation"]
        for _ in range(2)
    ]
    listed = json.loads(edumod(tmp_path, "eval", "list", "--kind", "headers", "--json").stdout)
    assert [(one["id"], one["state"]) for one in listed] == [(second, "done"), (first, "done")]
    shown = edumod(tmp_path, "eval", "show", first, "--page", str(page))
    assert "precision" in shown.stdout
    assert "<td>precision</td>" in page.read_text()
    compared = json.loads(edumod(tmp_path, "eval", "compare", first, second, "--json").stdout)
    assert compared["actors"][0]["metrics"][0]["difference"]["mean"] == 0
    exported = edumod(tmp_path, "eval", "export", second, "--format", "jsonl")
    assert json.loads(exported.stdout)["scores"]["f1_of_document"] == 1


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

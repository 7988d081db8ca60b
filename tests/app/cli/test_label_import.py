"""`edumod label import` as a process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.datasets.answers import read_answer_labels
from tests.app.commands import edumod
from tests.eval.datasets.imported.samples import EXERCISE, dodona_entry
from tests.eval.datasets.imported.test_folder import FILES, write

SHEET = f"# Week 1\n\n## Exercise 1: Double\n\n{EXERCISE}\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a course of one exercise and no labels yet."""
    (tmp_path / "labels").mkdir()
    (tmp_path / "assignments").mkdir()
    (tmp_path / "assignments" / "w1.md").write_text(SHEET)
    (tmp_path / "course.yaml").write_text("id: tiny\nmaterial: {assignment: assignments}\nlabels: labels\n")
    loaded = edumod(tmp_path / "home", "course", "load", str(tmp_path / "course.yaml"))
    assert loaded.returncode == 0, loaded.stderr
    return tmp_path / "home"


def test_questions_of_dodona_and_of_a_folder_become_labels(home: Path, tmp_path: Path) -> None:
    stored = tmp_path / "questions.json"
    stored.write_text(json.dumps([dodona_entry(), dodona_entry(question="en nu?", educator_answer=None)]))
    done = edumod(home, "label", "import", "dodona", str(stored), "--course", "tiny")
    assert (done.returncode, done.stdout) == (0, "tiny: labels added: 1; questions left out: 1.\n")
    assert "entry 2: No answer of staff is stored." in done.stderr
    (tmp_path / "files").mkdir()
    folder = write(tmp_path / "files", FILES)
    more = edumod(home, "label", "import", "folder", str(folder), "--course", "tiny", "--split", "test", "--json")
    assert (more.returncode, json.loads(more.stdout)) == (0, {"added": ["a002"], "left_out": []})
    labels = read_answer_labels(tmp_path / "labels" / "answers")
    assert [(one.split, one.question.line, one.passages) for one in labels] == [
        ("dev", 2, ("assignments/w1.md > Week 1 > Exercise 1: Double",)),
        ("test", 2, ("assignments/w1.md > Week 1 > Exercise 1: Double",)),
    ]
    again = edumod(home, "label", "import", "dodona", str(stored), "--course", "tiny")
    assert (again.returncode, "labelled already, as a001" in again.stderr) == (1, True)

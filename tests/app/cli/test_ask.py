"""`edumod ask`, as a process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.commands import edumod

ASK = ("ask", "When is homework 1 due?", "--course", "small")


@pytest.fixture
def loaded(tmp_path: Path) -> Path:
    """A home with the embedding model and a course of its own embeddings, as `course load` makes it."""
    (tmp_path / "course.yaml").write_text("id: small\ncategories: [Exams]\nmaterial: {logistics: syllabus.md}\n")
    (tmp_path / "syllabus.md").write_text("# Syllabus\n\n## Homework\n\nHomework 1 is due on March 10.\n")
    done = edumod(tmp_path / "home", "course", "load", str(tmp_path / "course.yaml"))
    assert done.returncode == 0, done.stderr
    return tmp_path / "home"


def test_everything_that_a_request_can_choose_is_an_option(loaded: Path) -> None:
    options = {
        "pipeline": "iterative", "retriever": "bm25", "retriever-for": "textbook=bm25", "model": "offline",
        "top-k": "2", "temperature": "0.5", "seed": "3", "beam": "2", "depth": "4", "max-rounds": "1",
    }  # fmt: skip
    chosen = [word for name, value in options.items() for word in (f"--{name}", value)]
    chosen += ["--retriever-for", "logistics=vector", "--category", "Exam"]
    done = edumod(loaded, *ASK, *chosen, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    found = answer["configuration"]
    assert "This course has no category 'Exam'. It has: Exams." in answer["warnings"]
    assert found["retrievers"] == {"qa": "bm25", "textbook": "bm25", "assignment": "bm25", "logistics": "vector"}
    assert {name: found[name] for name in ("top_k", "temperature", "seed", "beam", "depth", "max_rounds")} == {
        "top_k": 2, "temperature": 0.5, "seed": 3, "beam": 2, "depth": 4, "max_rounds": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--beam", "99"), "beam: must be an integer from 1 to 10, not 99"),
        (("--max-rounds", "2", "--pipeline", "fc"), "The pipeline fc has no parameter max_rounds."),
        (("--retriever-for", "bm25"), "--retriever-for bm25: write SOURCE=RETRIEVER, as in textbook=bm25."),
        (("--retriever-for", "book=bm25"), "There is no source 'book'."),
        (("--retriever-for", "qa=bm25", "--retriever-for", "qa=tree"), "--retriever-for names qa more than once."),
        (("--retriever-for", "qa=bm52"), "There is no retriever 'bm52'. Did you mean 'bm25'?"),
    ],
)
def test_a_choice_that_cannot_be_made_is_explained(home: Path, options: tuple[str, ...], complaint: str) -> None:
    failed = edumod(home, *ASK, *options, COLUMNS="300")
    assert failed.returncode == 2
    assert complaint in failed.stderr


CODE = "def total(numbers):\n    for i in range(len(numbers) - 1):\n        print(numbers[i])\n"


def test_code_tests_and_exercise_come_from_files(loaded: Path, tmp_path: Path) -> None:
    for name, text in {
        "total.py": CODE,
        "exercise.md": "Print every number of a list.",
        "report.json": json.dumps([{"name": "total([1, 2])", "accepted": False, "expected": "1\n2", "got": "1"}]),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = {"code": "total.py", "tests": "report.json", "exercise": "exercise.md"}
    options = [word for option, name in files.items() for word in (f"--{option}", str(tmp_path / name))]
    done = edumod(loaded, "ask", "Why is the last one missing?", "-c", "small", "--line", "2", *options, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["issue"]["line"] == 2


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("none.py", None, "cannot be read"),
        ("a.py", b"\xff\xfe", "is not text"),
        ("r.json", b"{", "valid JSON"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    loaded: Path, tmp_path: Path, name: str, content: bytes | None, complaint: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    done = edumod(loaded, *ASK, "--tests" if name.endswith("json") else "--code", str(path))
    assert done.returncode != 0
    assert complaint in " ".join(done.stderr.split())

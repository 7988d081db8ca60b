"""Questions as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InvalidInput
from eval.datasets.imported.folder import read_folder
from tests.eval.datasets.imported.samples import EXERCISE, dodona_entry

FAILED = "FAILED test_double.py::test_four - AssertionError: assert '44' == 8\n"
FILES = {
    "exercise.md": EXERCISE,
    "anna.py": "def double(n):\n    return str(n) * 2\n",
    "anna.question.md": "line: 2\nLanguage: nl\n\nwaarom 44?\n",
    "anna.answer.md": "Kijk naar het type.\n",
    "anna.tests.txt": FAILED,
}


def write(folder: Path, files: dict[str, str]) -> Path:
    exercise = folder / "double"
    exercise.mkdir()
    for name, text in files.items():
        (exercise / name).write_text(text)
    return folder


def test_a_submission_is_read_with_what_stands_beside_it(tmp_path: Path) -> None:
    (one,) = read_folder(write(tmp_path, FILES))
    assert (one.exercise, one.question, one.answer) == (EXERCISE, "waarom 44?", "Kijk naar het type.")
    assert (one.line, one.language, one.programming_language) == (2, "nl", "py")
    assert [(test.name, test.accepted) for test in one.tests] == [("test_four", False)]


def test_header_answer_and_tests_may_be_missing(tmp_path: Path) -> None:
    files = {**FILES, "bo.java": "class Bo {}", "bo.question.md": "Note: line: 3 is odd?"}
    one = read_folder(write(tmp_path, files))[1]
    assert (one.question, one.line, one.answer, one.tests) == ("Note: line: 3 is odd?", None, "", ())
    assert (one.language, one.programming_language) == (None, "java")


def test_a_report_of_dodona_has_linting_too(tmp_path: Path) -> None:
    report = json.dumps(dodona_entry()["testcases"])
    (one,) = read_folder(write(tmp_path, {**FILES, "anna.tests.json": report}))
    assert ([test.got for test in one.tests], [finding.line for finding in one.linting]) == (["'44'"], [2])


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"anna.question.md": "line: two\n\nwhy?"}, "the line 'two' is not a number from 1"),
        ({"anna.java": "class A {}"}, "needs one submission beside it; found: anna.java, anna.py"),
        ({"bo.question.md": "why?"}, "needs one submission beside it; found: none"),
        ({"anna.tests.json": "[3]"}, "anna.tests.json is not a report of tests"),
        ({"anna.tests.txt": "all fine"}, "anna.tests.txt is not a report of tests"),
    ],
)
def test_what_does_not_fit_the_layout_is_named(tmp_path: Path, changed: dict[str, str], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_folder(write(tmp_path, {**FILES, **changed}))


def test_a_folder_without_questions_or_without_the_exercise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="has no questions"):
        read_folder(tmp_path)
    with pytest.raises(InvalidInput, match=r"exercise\.md cannot be read"):
        read_folder(write(tmp_path, {name: text for name, text in FILES.items() if name != "exercise.md"}))

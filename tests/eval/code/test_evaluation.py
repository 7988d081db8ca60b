"""Labelled questions about code: what is read, and what is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from eval.code.dataset import read_code_dataset
from eval.code.evaluation import open_code
from eval.code.report import code_report
from tests.eval.unstored import run

EXERCISE = {
    "id": "fact", "text": "Return the product of 1 to n.", "tests": [{"call": "fact(3)", "expected": "6"}],
    "solution": "def fact(n):\n    r = 1\n    for k in range(1, n + 1):\n        r *= k\n    return r",
}  # fmt: skip
QUESTION = {
    "id": "q1", "exercise": "fact", "language": "nl", "question": "Waarom klopt het resultaat niet?", "line": None,
    "code": "def fact(n):\n    r = 1\n    for i in range(1, n):\n        r *= i\n    return r", "linting": [],
    "tests": [{"name": "fact(3)", "accepted": False, "expected": "6", "got": "2", "message": ""}],
    "issue": {"line": [3], "kind": "off_by_one", "summary": "The last number is missing."}, "reference": "Kijk…",
}  # fmt: skip


def written(folder: Path, exercises: list[dict[str, Any]], questions: list[dict[str, Any]]) -> Path:
    for name, rows in (("exercises", exercises), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


async def test_line_kind_language_and_disclosure_are_counted(tmp_path: Path) -> None:
    other = {**QUESTION, "id": "q2", "language": "en", "issue": {"line": [1], "kind": "name", "summary": ""}}
    async with open_code(written(tmp_path, [EXERCISE], [QUESTION, other])) as plan:
        figures = code_report(await run(plan))
    assert figures.n == 2
    means = {name: getattr(figures, name).mean for name in ("right_line", "right_kind", "disclosed", "language_kept")}
    assert means == {"right_line": 0.5, "right_kind": 0.5, "disclosed": 0.0, "language_kept": 1.0}
    assert [one.question for one in figures.missed] == ["q2"]


@pytest.mark.parametrize(
    ("exercises", "questions", "says"),
    [
        ([EXERCISE], [{**QUESTION, "exercise": "sum"}], "no exercise 'sum'"),
        ([EXERCISE], [{**QUESTION, "issue": {"line": [], "kind": "name"}}], "issue.line"),
        ([EXERCISE], [{**QUESTION, "issue": {"line": [1], "kind": "bad"}}], "issue.kind"),
        ([EXERCISE], [QUESTION, QUESTION], "q1"),
        ([{"id": "fact"}], [QUESTION], "text"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_line(
    tmp_path: Path, exercises: list[dict[str, Any]], questions: list[dict[str, Any]], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says) as error:
        read_code_dataset(written(tmp_path, exercises, questions))
    assert ".jsonl" in str(error.value)


def test_a_folder_that_is_missing_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no folder"):
        read_code_dataset(tmp_path / "none")

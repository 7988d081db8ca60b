"""Questions as Dodona stores them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.code import CodeTest
from core.errors import InvalidInput
from eval.datasets.imported.dodona import read_dodona
from eval.datasets.imported.question import ImportedQuestion
from tests.eval.datasets.imported.samples import dodona_entry


def read(tmp_path: Path, content: Any) -> list[ImportedQuestion]:
    path = tmp_path / "questions.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_dodona(path)


def test_an_entry_is_read_with_its_tests_and_annotations(tmp_path: Path) -> None:
    (one,) = read(tmp_path, dodona_entry())
    assert (one.question, one.line, one.language) == ("waarom krijg ik 44?", 2, "nl")
    assert one.tests == (CodeTest(name="double(4)", accepted=False, expected="8", got="'44'"),)
    assert [(finding.line, finding.message) for finding in one.linting] == [(2, "Final newline missing")]


def test_a_question_at_the_top_has_no_line_and_an_unanswered_one_no_answer(tmp_path: Path) -> None:
    one, other = read(tmp_path, [dodona_entry(line_number=0), dodona_entry(educator_answer=None, testcases={})])
    assert (one.line, other.answer, other.tests) == (None, "", ())


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "cannot be read as JSON"),
        ([dodona_entry(), 3], "entry 2 is not a question"),
        ([dodona_entry(code=None)], "entry 1 is not a question: code"),
        ([dodona_entry(line_number=-1)], "entry 1 is not a question: line_number"),
    ],
)
def test_what_is_no_question_is_named(tmp_path: Path, content: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read(tmp_path, content)

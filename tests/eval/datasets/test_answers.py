"""Labelled answers on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from core.types import Question
from eval.datasets.answer_files import append_label, append_message
from eval.datasets.answers import read_answer_labels

ANSWER = {"kind": "concept", "expects": "answer", "passages": ["a.md > A"], "reference": "So."}
DECLINE = {"kind": "off_topic", "expects": "abstain", "passages": [], "reference": ""}


def write(folder: Path, labels: list[dict[str, Any]], own: tuple[str, ...] = (), other: tuple[str, ...] = ()) -> Path:
    """Labels, and questions of this folder and of function selection; returns the folder of the labels."""
    answers = folder / "answers"
    rows = {answers / "labels.jsonl": labels}
    for path, ids in ((answers / "questions.jsonl", own), (folder / "functions" / "questions.jsonl", other)):
        rows[path] = [{"id": name, "split": "dev", "question": {"body": f"What is {name}?"}} for name in ids]
    for path, found in rows.items():
        if found:
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    return answers


def test_a_label_finds_its_question_here_or_beside_the_functions(tmp_path: Path) -> None:
    folder = write(tmp_path, [{"id": "f1", **ANSWER}, {"id": "a1", **DECLINE}], ("a1",), ("f1", "f2"))
    first, second = read_answer_labels(folder)
    assert (first.question.body, first.passages, second.expects) == ("What is f1?", ("a.md > A",), "abstain")


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        ([{"id": "a1", **ANSWER}, {"id": "a9", **DECLINE}], "no question a9"),
        ([{"id": "f1", **DECLINE}], "a1 has no label"),
        ([{"id": "a1", **ANSWER}, {"id": "a1", **DECLINE}], "line 2: the id 'a1'"),
        ([{"id": "a1", **ANSWER, "reference": ""}], "line 1: the label 'a1' .* need passages and a reference"),
        ([{"id": "a1", **DECLINE, "passages": ["a.md > A"]}], "have neither passages nor a reference"),
        ([{"id": "a1", **ANSWER, "kind": "gossip"}], "line 1: the label 'a1' .* kind"),
        ([{"id": "a1", "expects": "answer"}], "line 1: not a JSON object with id and kind and expects"),
    ],
)
def test_bad_labels_are_named_with_their_line(tmp_path: Path, labels: list[dict[str, Any]], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        read_answer_labels(write(tmp_path, labels, ("a1",), ("f1",)))


def test_a_grade_comes_with_its_message_and_needs_a_label(tmp_path: Path) -> None:
    folder = write(tmp_path, [{"id": "a1", **ANSWER}, {"id": "a2", **ANSWER}], ("a1", "a2"))
    row = {"id": "a1", "grade": 1, "reason": "A half.", "answer": "From A."}
    (folder / "grades.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    first, second = read_answer_labels(folder)
    assert first.graded
    assert (first.graded.grade, first.graded.answer, second.graded) == (1, "From A.", None)
    for change, complaint in (({"id": "a9"}, "a9 has no label"), ({"grade": 3}, "label 'a1' is not valid: .*grade")):
        (folder / "grades.jsonl").write_text(json.dumps({**row, **change}) + "\n", encoding="utf-8")
        with pytest.raises(InvalidInput, match=complaint):
            read_answer_labels(folder)


def test_an_id_in_both_question_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'f1' is also in"):
        read_answer_labels(write(tmp_path, [{"id": "f1", **ANSWER}], ("f1",), ("f1",)))


def test_a_new_message_gets_the_next_free_id(tmp_path: Path) -> None:
    folder = write(tmp_path, [{"id": "a007", **ANSWER}], ("a007",))
    added = append_message(folder, Question(body="And now?", category="Labs"), "test", DECLINE)
    assert (added.id, added.split) == ("a008", "test")
    assert [one.id for one in read_answer_labels(folder)] == ["a007", "a008"]
    assert read_answer_labels(folder)[1] == added


def test_the_first_message_starts_the_files(tmp_path: Path) -> None:
    added = append_message(tmp_path / "labels" / "answers", Question(body="Why?"), "dev", ANSWER)
    assert read_answer_labels(tmp_path / "labels" / "answers") == [added]


def test_a_message_that_is_labelled_or_a_label_that_is_not_valid_changes_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path, [{"id": "a1", **ANSWER}], ("a1",))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InvalidInput, match="labelled already, as a1"):
        append_message(folder, Question(body="What is a1?"), "dev", DECLINE)
    with pytest.raises(InvalidInput, match="need passages and a reference"):
        append_message(folder, Question(body="New?"), "dev", {**ANSWER, "reference": " "})
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_stored_question_gets_its_label_once(tmp_path: Path) -> None:
    folder = write(tmp_path, [{"id": "a1", **ANSWER}], ("a1",), ("f1",))
    assert append_label(folder, "f1", DECLINE).question.body == "What is f1?"
    with pytest.raises(InvalidInput, match="'f1' has a label already"):
        append_label(folder, "f1", DECLINE)
    with pytest.raises(InvalidInput, match="no question 'f9'"):
        append_label(folder, "f9", DECLINE)

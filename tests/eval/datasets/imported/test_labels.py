"""Imported questions as labels of a course."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from eval.datasets.answers import MessageKind, read_answer_labels
from eval.datasets.imported.labels import exercise_of, import_questions
from eval.datasets.imported.question import ImportedQuestion
from tests.eval.datasets.imported.samples import EXERCISE, PASSAGES, SOLUTION

ASKED = ImportedQuestion(
    location="questions.json entry 1", exercise=EXERCISE, question="why 44?",
    code="def double(n):\n    return str(n) * 2\n",
    answer="Which type does the value have?", line=2, language="en", programming_language="Python",
)  # fmt: skip


def test_a_question_becomes_a_label_at_its_exercise(tmp_path: Path) -> None:
    done = import_questions([ASKED], tmp_path, PASSAGES, "test")
    (label,) = read_answer_labels(tmp_path)
    assert (done.added, done.left_out) == ((label.id,), ())
    assert (label.kind, label.split, label.passages) == (MessageKind.DEBUGGING, "test", ("w1.md > 2 Double",))
    assert (label.reference, label.question.exercise, label.question.line) == (ASKED.answer, "e2", 2)
    assert label.question.programming_language == "python"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"answer": ""}, "No answer of staff"),
        ({"exercise": "Draw a red circle in the middle of the screen."}, "no exercise with this text"),
        ({"answer": "Look here. " * 9}, "has 9 sentences"),
        ({"answer": SOLUTION}, "repeats a text for staff"),
    ],
)
def test_what_cannot_be_a_label_is_left_out_with_the_reason(
    tmp_path: Path, changed: dict[str, str], reason: str
) -> None:
    done = import_questions([ASKED.model_copy(update=changed), ASKED], tmp_path, PASSAGES, "dev")
    (left_out,) = done.left_out
    assert (left_out.location, len(done.added)) == (ASKED.location, 1)
    assert reason in left_out.reason


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    import_questions([ASKED], tmp_path, PASSAGES, "dev")
    again = import_questions([ASKED], tmp_path, PASSAGES, "dev")
    assert (again.added, len(read_answer_labels(tmp_path))) == ((), 1)
    assert "labelled already" in again.left_out[0].reason


def test_broken_labels_stop_the_import(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text("{}\n")
    with pytest.raises(InvalidInput, match=r"labels\.jsonl line 1"):
        import_questions([ASKED], tmp_path, PASSAGES, "dev")


def test_the_exercise_is_found_by_its_words_whatever_its_markup() -> None:
    found = exercise_of(EXERCISE.replace("`", "**").upper(), PASSAGES)
    assert found is not None
    assert found.block_id == "e2"
    assert exercise_of("", PASSAGES) is None
    assert exercise_of(EXERCISE, ()) is None

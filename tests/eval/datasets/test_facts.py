"""Questions with the facts that an answer has to show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.types import Question
from eval.datasets.answers import Expectation
from eval.datasets.facts import FactQuestion, read_fact_questions


def question(*keys: tuple[str, ...], kind: str = "logistics", answerable: bool = True) -> FactQuestion:
    return FactQuestion(id="1", kind=kind, question=Question(body="When?"), answerable=answerable, keys=keys)


@pytest.mark.parametrize(
    ("answer", "is_shown"),
    [
        ("Due on **May 3**, at\n5 pm.", True),
        ("Due on May 3.", False),
        ("due on MAY 3, 17:00", True),
    ],
)
def test_an_answer_shows_a_fact_of_each_group_in_any_spelling(answer: str, is_shown: bool) -> None:
    assert question(("May 3,",), ("5 pm", "17:00")).is_shown_by(answer) is is_shown


def test_nothing_shows_the_facts_of_what_cannot_be_answered() -> None:
    assert not question(answerable=False).is_shown_by("anything")


def test_the_right_reaction_follows_from_the_labels() -> None:
    assert question().expects is Expectation.ANSWER
    assert question(answerable=False).expects is Expectation.ABSTAIN
    assert question(kind="no_response", answerable=False).expects is Expectation.NO_RESPONSE


def test_further_fields_of_a_file_are_passed_over_and_a_missing_one_is_named(tmp_path: Path) -> None:
    row = {"id": "1", "kind": "concept", "question": {"body": "?"}, "answerable": True, "keys": [["a"]], "forbid": []}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert read_fact_questions(tmp_path)[0].keys == (("a",),)
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "1", "kind": "concept"}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 1"):
        read_fact_questions(tmp_path)

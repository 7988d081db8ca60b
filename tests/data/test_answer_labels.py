"""The courses' labelled answers, checked against the courses as they are ingested."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.store.material import StoredBlock
from core.text.sentences import prose_sentences
from core.types import Visibility
from safeguards import CourseSecrets, staff_texts, without_leaks
from tests.data.conftest import BlocksOf
from tests.data.material import DATA, at

FORUMS = {path.parents[1].name for path in DATA.glob("*/qa/threads.jsonl")}
COURSES = sorted(FORUMS & {path.parents[2].name for path in DATA.glob("*/labels/answers/labels.jsonl")})
"""Those with a forum; the questions about code of CS 1 have rules of their own."""
KINDS = {"logistics", "concept", "assignment", "debugging", "thread", "multi", "off_topic", "no_response"}
MIN_ANSWERABLE = 130
MIN_IN_SPLIT = {
    ("dev", "answer"): 50, ("test", "answer"): 50,
    ("dev", "abstain"): 20, ("test", "abstain"): 30,
    ("dev", "no_response"): 8, ("test", "no_response"): 15,
}  # fmt: skip
MAX_SENTENCES = 3

Rows = list[dict[str, Any]]


def lines(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module", params=COURSES)
def course(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def questions(course: str) -> Rows:
    labels = DATA / course / "labels"
    return lines(labels / "functions" / "questions.jsonl") + lines(labels / "answers" / "questions.jsonl")


@pytest.fixture(scope="module")
def labels(course: str) -> Rows:
    return lines(DATA / course / "labels" / "answers" / "labels.jsonl")


@pytest.fixture(scope="module")
def answerable(labels: Rows) -> Rows:
    return [label for label in labels if label["expects"] == "answer"]


@pytest.fixture(scope="module")
def blocks(course: str, blocks_of: BlocksOf) -> list[StoredBlock]:
    return blocks_of(course)


def test_every_question_has_one_label_and_every_label_a_question(questions: Rows, labels: Rows) -> None:
    assert sorted(label["id"] for label in labels) == sorted(question["id"] for question in questions)
    assert len({question["id"] for question in questions}) == len(questions)


def test_no_message_is_asked_twice(questions: Rows) -> None:
    assert len({json.dumps(question["question"], sort_keys=True) for question in questions}) == len(questions)


def test_both_splits_have_enough_of_every_expectation(questions: Rows, labels: Rows, answerable: Rows) -> None:
    splits = {question["id"]: question["split"] for question in questions}
    counts = Counter((splits[label["id"]], label["expects"]) for label in labels)
    assert counts.keys() == MIN_IN_SPLIT.keys()
    assert all(counts[key] >= enough for key, enough in MIN_IN_SPLIT.items()), counts
    assert len(answerable) >= MIN_ANSWERABLE


def test_kinds_are_known_and_only_no_response_expects_none(labels: Rows) -> None:
    assert {label["kind"] for label in labels} <= KINDS
    assert not [one["id"] for one in labels if (one["kind"] == "no_response") != (one["expects"] == "no_response")]


def test_only_an_answerable_question_has_passages_and_a_reference(labels: Rows) -> None:
    for label in labels:
        expected = label["expects"] == "answer"
        assert bool(label["passages"]) == bool(label["reference"]) == expected, label["id"]


def test_every_location_names_blocks_for_students_and_not_a_whole_document(
    answerable: Rows, blocks: list[StoredBlock]
) -> None:
    for label in answerable:
        for location in label["passages"]:
            found = at(location, blocks)
            assert found, f"{label['id']}: no block at {location}"
            assert " > " in location, f"{label['id']}: {location} is a whole document"
            assert not [block for block in found if block.is_solution], f"{label['id']}: {location} is for staff"


def test_no_location_is_listed_twice_for_a_question(answerable: Rows) -> None:
    assert not [label["id"] for label in answerable if len(set(label["passages"])) < len(label["passages"])]


def test_a_reference_has_one_to_three_sentences(answerable: Rows) -> None:
    counts = {label["id"]: len(list(filter(None, prose_sentences(label["reference"])))) for label in answerable}
    assert not {name: count for name, count in counts.items() if count > MAX_SENTENCES}


def test_no_reference_repeats_a_text_for_staff(answerable: Rows, blocks: list[StoredBlock]) -> None:
    passages = [block.passage for block in blocks]
    readable = [one.text for one in passages if one.visibility is Visibility.STUDENT]
    secrets = CourseSecrets.of(staff_texts(passages), readable)
    assert secrets
    leaking = [one["id"] for one in answerable if without_leaks(one["reference"], (), (), course=secrets)[1]]
    assert not leaking

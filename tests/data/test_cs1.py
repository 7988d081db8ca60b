"""The questions about code: what their labels say is true of the submissions, which are run here."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.store.material import StoredBlock
from core.types import Visibility
from eval.datasets.answers import read_answer_labels
from eval.datasets.jsonl import read_unique
from eval.datasets.label_checks import label_problems
from safeguards import CourseSecrets, staff_texts, without_leaks
from tests.data import run_submissions
from tests.data.conftest import BlocksOf
from tests.data.material import DATA

Row = dict[str, Any]
Outcomes = list[tuple[str, str]]

COURSE = DATA / "cs1"
LABELS = COURSE / "labels"
SPLIT_NAMES = {"development": "dev", "test": "test"}
"""As the labels of answers call the splits."""
SPLITS = tuple(SPLIT_NAMES)
COUNTS = {"development": (10, 36, 12), "test": (14, 54, 18)}
"""Exercises, questions, and how many of these are Dutch."""
LOCATED_KINDS = {"syntax", "name", "type", "off_by_one"}
KINDS = {*LOCATED_KINDS, "logic", "other"}
MIN_LOCATED = 0.55
EXCEPTIONS = {"ValueError"}
"""What an exercise may expect to be raised."""
COMMON_DUTCH = re.compile(r"\b(?:de|het|een|je|niet|wat|welke|dat)\b", re.IGNORECASE)
COMMON_ENGLISH = re.compile(r"\b(?:the|your|you|not|what|which|that|is)\b", re.IGNORECASE)
EXERCISE_FIELDS = {"id", "text", "solution", "tests"}
QUESTION_FIELDS = {
    "id", "exercise", "language", "question", "code", "line", "tests", "linting", "issue", "reference", "quick",
}  # fmt: skip


def rows(split: str, name: str) -> list[Row]:
    path = COURSE / "questions" / split / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


EXERCISES = {split: rows(split, "exercises") for split in SPLITS}
QUESTIONS = {split: rows(split, "questions") for split in SPLITS}
ALL_EXERCISES = {row["id"]: row for split in SPLITS for row in EXERCISES[split]}
ALL_QUESTIONS = [row for split in SPLITS for row in QUESTIONS[split]]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcomes]:
    """What every official solution and every submission gives for the tests of its exercise, all run at once."""
    codes = {name: (row["solution"], name) for name, row in ALL_EXERCISES.items()}
    codes |= {row["id"]: (row["code"], row["exercise"]) for row in ALL_QUESTIONS}
    jobs = [
        {"code": code, "calls": [test["call"] for test in ALL_EXERCISES[exercise]["tests"]]}
        for code, exercise in codes.values()
    ]
    done = subprocess.run(
        [sys.executable, "-I", Path(run_submissions.__file__)],
        input=json.dumps(jobs), capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return dict(zip(codes, json.loads(done.stdout), strict=True))


@pytest.fixture(scope="module")
def blocks(blocks_of: BlocksOf) -> list[StoredBlock]:
    return blocks_of("cs1")


def is_expected(outcome: tuple[str, str], expected: str) -> bool:
    returned, raised = outcome
    if raised or expected in EXCEPTIONS:
        return raised == expected
    return bool(ast.literal_eval(returned) == ast.literal_eval(expected))


def parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_has_its_exercises_and_questions_two_thirds_of_them_english(split: str) -> None:
    dutch = sum(row["language"] == "nl" for row in QUESTIONS[split])
    assert (len(EXERCISES[split]), len(QUESTIONS[split]), dutch) == COUNTS[split]
    assert {row["language"] for row in QUESTIONS[split]} == {"en", "nl"}


@pytest.mark.parametrize("split", SPLITS)
def test_a_question_is_about_an_exercise_of_its_own_split(split: str) -> None:
    assert {row["exercise"] for row in QUESTIONS[split]} == {row["id"] for row in EXERCISES[split]}


def test_no_exercise_question_or_submission_occurs_twice() -> None:
    assert len(ALL_EXERCISES) == sum(map(len, EXERCISES.values()))
    for field in ("id", "question", "code"):
        assert len({row[field] for row in ALL_QUESTIONS}) == len(ALL_QUESTIONS), field


def test_every_row_has_the_fields_of_its_format() -> None:
    assert all(row.keys() == EXERCISE_FIELDS for row in ALL_EXERCISES.values())
    for row in ALL_QUESTIONS:
        assert row.keys() == QUESTION_FIELDS, row["id"]
        assert row["issue"].keys() == {"line", "kind", "summary"}, row["id"]
        assert all(test.keys() == {"name", "accepted", "expected", "got", "message"} for test in row["tests"])
        assert all(finding.keys() == {"line", "code", "message"} for finding in row["linting"])


def test_every_line_is_one_of_the_submission() -> None:
    for row in ALL_QUESTIONS:
        lines = row["code"].splitlines()
        asked_at = [] if row["line"] is None else [row["line"]]
        assert row["issue"]["line"] == sorted(set(row["issue"]["line"])) != [], row["id"]
        assert all(lines[number - 1].strip() for number in [*row["issue"]["line"], *asked_at]), row["id"]


@pytest.mark.parametrize("split", SPLITS)
def test_most_mistakes_are_of_a_kind_that_has_a_place(split: str) -> None:
    kinds = Counter(row["issue"]["kind"] for row in QUESTIONS[split])
    assert kinds.keys() == KINDS
    assert sum(kinds[kind] for kind in LOCATED_KINDS) >= MIN_LOCATED * kinds.total()


def test_every_official_solution_passes_its_tests(outcomes: dict[str, Outcomes]) -> None:
    for name, row in ALL_EXERCISES.items():
        for test, outcome in zip(row["tests"], outcomes[name], strict=True):
            assert is_expected(outcome, test["expected"]), test["call"]


def test_every_submission_fails_a_test_and_only_syntax_errors_do_not_parse() -> None:
    for row in ALL_QUESTIONS:
        assert not all(test["accepted"] for test in row["tests"]), row["id"]
        assert parses(row["code"]) == (row["issue"]["kind"] != "syntax"), row["id"]


def test_the_tests_report_what_the_submission_does(outcomes: dict[str, Outcomes]) -> None:
    for row in ALL_QUESTIONS:
        tests = ALL_EXERCISES[row["exercise"]]["tests"]
        assert [(test["name"], test["expected"]) for test in row["tests"]] == [
            (test["call"], test["expected"]) for test in tests
        ]
        for test, (returned, raised) in zip(row["tests"], outcomes[row["id"]], strict=True):
            assert test["accepted"] == is_expected((returned, raised), test["expected"]), (row["id"], test["name"])
            assert test["got"] == (raised if raised and test["accepted"] else returned), (row["id"], test["name"])
            assert test["accepted"] or raised in test["message"], (row["id"], test["name"])


def test_the_experts_answer_is_in_the_language_of_the_student() -> None:
    for row in ALL_QUESTIONS:
        dutch, english = (len(words.findall(row["reference"])) for words in (COMMON_DUTCH, COMMON_ENGLISH))
        assert (dutch > english) == (row["language"] == "nl"), row["id"]


def test_the_exercises_are_those_of_the_sheets_for_students_and_for_staff(blocks: list[StoredBlock]) -> None:
    sheets = [one for one in blocks if one.passage.document.startswith("assignments/")]
    for row in ALL_EXERCISES.values():
        public, staff = [one for one in sheets if f"`{row['id']}(" in one.passage.text]
        assert (public.is_solution, staff.is_solution) == (False, True), row["id"]
        assert row["text"] in public.passage.text, row["id"]
        assert row["solution"].strip() in staff.passage.solution, row["id"]


@pytest.mark.parametrize("split", SPLITS)
def test_the_labels_of_answers_ask_the_same_questions(split: str, blocks: list[StoredBlock]) -> None:
    labels = {one.id: one for one in read_answer_labels(LABELS / "answers") if one.split == SPLIT_NAMES[split]}
    exercises = {one.passage.block_id: one.passage.text for one in blocks if not one.is_solution}
    assert labels.keys() == {row["id"] for row in QUESTIONS[split]}
    for row in QUESTIONS[split]:
        label = labels[row["id"]]
        asked = label.question.model_dump(mode="json", include={"code", "line", "tests", "linting", "language"})
        assert asked == {name: row[name] for name in asked}, row["id"]
        assert (label.question.body, label.reference) == (row["question"], row["reference"])
        assert f"`{row['exercise']}(" in exercises[label.question.exercise or ""], row["id"]


def test_the_labels_fit_the_material(blocks: list[StoredBlock]) -> None:
    labels = read_answer_labels(LABELS / "answers")
    assert list(label_problems(labels, [block.passage for block in blocks])) == []


def test_the_educators_file_has_the_quick_answers() -> None:
    educators = {name: row.content["answer"] for name, row in read_unique(LABELS / "educator.jsonl", "answer").items()}
    assert educators == {row["id"]: row["quick"] for row in ALL_QUESTIONS}


def test_no_solution_stands_in_what_students_read(blocks: list[StoredBlock]) -> None:
    readable = [one.passage for one in blocks if one.passage.visibility is Visibility.STUDENT]
    assert not [one.document for one in readable if "_sol" in one.document]
    for row in ALL_EXERCISES.values():
        body = row["solution"].split("\n", 1)[1].strip()
        assert not [one.heading_path for one in readable if body in one.text], row["id"]


@pytest.mark.parametrize("field", ["reference", "quick"])
def test_no_answer_repeats_a_text_for_staff(blocks: list[StoredBlock], field: str) -> None:
    passages = [block.passage for block in blocks]
    readable = [one.text for one in passages if one.visibility is Visibility.STUDENT]
    secrets = CourseSecrets.of(staff_texts(passages), readable)
    assert not [row["id"] for row in ALL_QUESTIONS if without_leaks(row[field], (), (), course=secrets)[1]]


def test_each_test_question_has_two_answers_scored_twice() -> None:
    text = (LABELS / "judges" / "answers.jsonl").read_text(encoding="utf-8")
    scored = {row["id"]: row for row in map(json.loads, text.splitlines())}
    assert set(scored) == {f"{row['id']}-{by}" for row in QUESTIONS["test"] for by in ("offline", "educator")}
    for row in QUESTIONS["test"]:
        for by in ("offline", "educator"):
            answer = scored[f"{row['id']}-{by}"]
            assert (answer["reference"], answer["question"].split("\n\n```")[0]) == (row["reference"], row["question"])
            assert {answer["score_1"], answer["score_2"]} <= set(range(6))

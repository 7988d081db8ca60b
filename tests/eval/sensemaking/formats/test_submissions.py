"""Submissions of ELOQUENT Sensemaking."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InvalidInput
from eval.sensemaking.formats.submissions import ListKind, TaskSubmission, paired, read_submission, write_submission

QUESTIONS = (("What is a cell?", "A unit of life."), ("Why do cells divide?",))


def test_what_is_written_is_read_again_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "questions-a.json"
    write_submission(path, ListKind.QUESTIONS, {"біологія/розділ/questions0.json": QUESTIONS})
    assert "біологія" in path.read_text(encoding="utf-8")
    assert read_submission(path, ListKind.QUESTIONS).lists == {"біологія/розділ/questions0.json": QUESTIONS}


def test_whole_ratings_stay_whole_and_unanswered_questions_have_none(tmp_path: Path) -> None:
    path = tmp_path / "ratings.json"
    write_submission(path, ListKind.RATINGS, {"a/b/ratings.json": [[80, 12.5], []]})
    assert json.loads(path.read_text()) == {"a/b/ratings.json": [[80, 12.5], []]}
    again = read_submission(path, ListKind.RATINGS).lists
    write_submission(path, ListKind.RATINGS, again)
    assert "80.0" not in path.read_text()


@pytest.mark.parametrize(
    "key",
    [
        *("../a/answers.json", "/a/answers.json", "a/../../answers.json", "a\\..\\answers.json", "C:/a/answers.json"),
        *("a//answers.json", "./a/answers.json", "answers.json", "a/b/questions.json", "a/b/answers.txt"),
    ],
)
def test_a_path_outside_the_folder_or_of_another_kind_is_left_out_and_named(tmp_path: Path, key: str) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({key: [["q", "a"]], "a/b/answers.json": [["q", "a"]]}))
    found = read_submission(path, ListKind.ANSWERS)
    assert list(found.lists) == ["a/b/answers.json"]
    (problem,) = found.problems
    assert problem.startswith(f"{path}: {key}: the path ")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[101]], "row 0, position 0 must be a rating from 0 to 100, not 101"),
        ([[1], [2, -0.5]], "row 1, position 1 must be a rating from 0 to 100, not -0.5"),
        ([[True]], "row 0, position 0 must be a rating"),
        ([["80"]], "row 0, position 0 must be a rating from 0 to 100, not '80'"),
        ([80], "row 0 must be a list"),
        ({"a": 1}, "it must be a list of lists"),
    ],
)
def test_a_rating_that_is_none_is_named_with_its_position(tmp_path: Path, rows: object, words: str) -> None:
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps({"a/ratings.json": rows}))
    (problem,) = read_submission(path, ListKind.RATINGS).problems
    assert words in problem


def test_every_rating_that_is_none_is_named_and_the_other_rows_stay_where_they_are(tmp_path: Path) -> None:
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps({"a/ratings.json": [[150, -3], [80], ["90"], [], [7]]}))
    found = read_submission(path, ListKind.RATINGS)
    assert found.lists == {"a/ratings.json": ((), (80,), (), (), (7,))}
    assert found.unusable == {"a/ratings.json": {0, 2}}
    at = f"{path}: a/ratings.json: row"
    assert found.problems == (
        f"{at} 0, position 0 must be a rating from 0 to 100, not 150; the row is left out",
        f"{at} 0, position 1 must be a rating from 0 to 100, not -3; the row is left out",
        f"{at} 2, position 0 must be a rating from 0 to 100, not '90'; the row is left out",
    )
    answers = _of(ListKind.ANSWERS, "answers.json", ("q", "a", "b"), ("r", "a"), ("s", "a"), ("t",), ("u", "a"))
    pairs, problems = paired(answers, found)
    assert (len(pairs), problems) == (1, [])


def test_an_answer_that_is_no_text_is_left_out_and_a_question_that_is_none_leaves_out_its_list(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"a/answers.json": [["q", "one", 3], ["r", ""]], "b/answers.json": [["q"], [""], [5]]}))
    found = read_submission(path, ListKind.ANSWERS)
    assert found.lists == {"a/answers.json": (("q", "one"), ("r",))}
    assert [problem.rpartition("; ")[2] for problem in found.problems] == [
        *["it is left out"] * 2,
        *["the list is left out"] * 2,
    ]
    assert "b/answers.json: row 2, position 0 must be a text that is not empty, not 5" in found.problems[3]


@pytest.mark.parametrize("number", ["NaN", "Infinity"])
def test_a_rating_that_is_no_number_is_named(tmp_path: Path, number: str) -> None:
    path = tmp_path / "ratings.json"
    path.write_text(f'{{"a/ratings.json": [[{number}]]}}')
    assert read_submission(path, ListKind.RATINGS).problems


@pytest.mark.parametrize("text", ["half \ud800", "null \0"])
def test_a_text_or_path_that_no_file_can_hold_is_named_and_the_rest_goes_on(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answers.json"
    lists = {"a/answers.json": [[text, "a"]], f"{text}/b/answers.json": [["q"]], "a/answers1.json": [["q"]]}
    path.write_text(json.dumps(lists))
    found = read_submission(path, ListKind.ANSWERS)
    assert list(found.lists) == ["a/answers1.json"]
    assert [problem.encode().count(b"surrogate") for problem in found.problems] == [1, 1]
    assert "row 0, position 0" in found.problems[0]


@pytest.mark.parametrize(("row", "words"), [([], "begin with a question"), (["q", ""], "position 1"), ([3], "not 3")])
def test_a_row_without_words_is_named(tmp_path: Path, row: list[object], words: str) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"a/answers.json": [row]}))
    assert words in read_submission(path, ListKind.ANSWERS).problems[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[]", "one JSON object"),
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b'{"a/answers.json": [], "a/answers.json": []}', "occurs twice"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_a_file_that_is_no_submission_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "answers.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=words):
        read_submission(path, ListKind.ANSWERS)


def test_a_submission_begins_with_the_word_of_what_it_holds(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"must be answers\*\.json"):
        write_submission(tmp_path / "mine.json", ListKind.ANSWERS, {})


def _of(kind: ListKind, name: str, *rows: tuple[str | float, ...]) -> TaskSubmission:
    return TaskSubmission(kind=kind, lists={f"a/{name}": rows})


def test_answers_belong_to_the_questions_of_the_same_name() -> None:
    questions = _of(ListKind.QUESTIONS, "questions.en.json", *QUESTIONS)
    answers = _of(ListKind.ANSWERS, "answers.en.json", ("What is a cell?", "A unit."), ("Why do cells divide?",))
    (pair,), problems = paired(questions, answers)
    assert (pair.first, pair.second, problems) == ("a/questions.en.json", "a/answers.en.json", [])


def test_lists_about_other_questions_are_named_with_the_row() -> None:
    questions = _of(ListKind.QUESTIONS, "questions0.json", *QUESTIONS)
    other = _of(ListKind.ANSWERS, "answers0.json", ("What is a cell?",), ("Why do cells die?",))
    short = _of(ListKind.ANSWERS, "answers0.json", ("What is a cell?",))
    alone = _of(ListKind.ANSWERS, "answers1.json", ("What is a cell?",))
    for answers, words in ((other, "row 1 differs"), (short, "row 1 differs"), (alone, "no a/questions1.json")):
        pairs, (problem,) = paired(questions, answers)
        assert not pairs
        assert words in problem


def test_there_is_a_rating_for_each_answer() -> None:
    answers = _of(ListKind.ANSWERS, "answers0.json", ("q", "one", "two"), ("r",))
    pairs, problems = paired(answers, _of(ListKind.RATINGS, "ratings0.json", (90, 10), ()))
    assert (len(pairs), problems) == (1, [])
    assert "row 0 differs" in paired(answers, _of(ListKind.RATINGS, "ratings0.json", (90,), ()))[1][0]

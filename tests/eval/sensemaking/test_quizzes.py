"""Quizzes for the sections of a folder."""

from __future__ import annotations

import pytest

from core.errors import InvalidInput
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, Rows, TaskSubmission
from eval.sensemaking.quizzes import Scores, answer_measures, mean_rating, own_questions, score_all, teach_all
from tests.fakes import FakeEmbedder

TEXT = "The cell is the smallest unit of life. The heart consists of two atria, two ventricles, and valves."
ROWS = (("What is a cell?", "The unit of life."), ("What does the heart consist of?",))
SECTIONS = Sections(
    found=(
        Section(path="a/cell", text=TEXT, questions={"questions.json": ROWS}),
        Section(path="a/german", text="Die Zelle ist die Einheit des Lebens.", questions={}),
    )
)


def _scores(answers: Rows | None = None, ratings: Rows | None = None, questions: Rows = ROWS) -> Scores:
    asked = TaskSubmission(kind=ListKind.QUESTIONS, lists={"a/cell/questions.json": questions})
    given = answers and TaskSubmission(kind=ListKind.ANSWERS, lists={"a/cell/answers.json": answers})
    rated = ratings and TaskSubmission(kind=ListKind.RATINGS, lists={"a/cell/ratings.json": ratings})
    return score_all(SECTIONS, asked, given or None, rated or None, FakeEmbedder())


def test_each_section_gets_questions_and_the_others_are_named() -> None:
    steps: list[tuple[int, int]] = []
    taught = teach_all(SECTIONS, 2, FakeEmbedder(), lambda done, total: steps.append((done, total)))
    assert [row[0] for row in taught.lists["a/cell/questions.json"]] == [
        "What is the cell?",
        "What does the heart consist of?",
    ]
    assert taught.problems[0].startswith("a/german: no English text")
    assert steps == [(1, 2), (2, 2)]


def test_the_questions_of_the_folder_are_measured_against_their_section() -> None:
    scores = score_all(SECTIONS, own_questions(SECTIONS), None, None, FakeEmbedder())
    (one,) = scores.lists
    assert (one.path, one.quiz.questions, one.quiz.windows) == ("a/cell/questions.json", 2, 2)
    assert (one.answers, one.rating) == (None, None)


def test_answers_and_ratings_are_scored_with_the_questions_they_belong_to() -> None:
    answers = ((ROWS[0][0], "It is the unit of all life."), (ROWS[1][0],))
    (one,) = _scores(answers, ((90,), ())).lists
    assert one.answers is not None
    assert (one.answers.questions, one.answers.answered, one.rating) == (2, 1, 90)
    assert one.answers.rouge_l_recall == 1


def test_answers_to_other_questions_are_named_and_the_quiz_is_measured() -> None:
    scores = _scores((("What is an atom?", "Small."), (ROWS[1][0],)))
    assert scores.lists[0].answers is None
    assert "row 0 differs" in scores.problems[0]


def test_ratings_of_answers_to_other_questions_are_named() -> None:
    scores = _scores((("What is an atom?", "Small."), (ROWS[1][0],)), ((90,), ()))
    assert scores.lists[0].rating is None
    assert scores.problems[1] == (
        "a/cell/ratings.json: a/cell/answers.json answers no list of questions here, so that its ratings are not used."
    )


def test_a_section_that_is_not_there_and_a_list_without_questions_are_named() -> None:
    other = TaskSubmission(kind=ListKind.QUESTIONS, lists={"b/none/questions.json": ROWS})
    with pytest.raises(InvalidInput, match="no usable section b/none"):
        score_all(SECTIONS, other, None, None, FakeEmbedder())
    with pytest.raises(InvalidInput, match="no questions to measure"):
        _scores(questions=())
    both = other.model_copy(update={"lists": {**other.lists, "a/cell/questions.json": ROWS}})
    scores = score_all(SECTIONS, both, None, None, FakeEmbedder())
    assert [one.path for one in scores.lists] == ["a/cell/questions.json"]
    assert "no usable section b/none" in scores.problems[0]


def test_an_unanswered_question_with_a_reference_recalls_nothing() -> None:
    measures = answer_measures((("q", "red and blue"), ("r", "green", "yellow")), (("q",), ("r", "yellow", "no")))
    assert measures.rouge_l_recall == pytest.approx(0.5)
    assert answer_measures((("q",),), (("q", "a"),)).rouge_l_recall is None


def test_the_first_answers_rating_counts() -> None:
    assert mean_rating(((80, 0), (), (40,))) == 60
    assert mean_rating(((),)) is None

"""What names say of files and elements, in any spelling."""

from __future__ import annotations

import pytest

from core.course import Course
from core.types import Source, Visibility
from ingestion.audience.decision import audience_of
from ingestion.naming.names import announces_hidden, read_file_name, says_solution, says_staff

PLAIN = Course(id="c")


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("a/solutionhw4.ipynb", "a/hw4"), ("a/hw8soln.md", "a/hw8"), ("a/HWSolutions.md", "a/hw"),
        ("a/sOlUtIoNhw3.md", "a/hw3"), ("a/hw14_ta.md", "a/hw14"), ("a/hw18_rubric.pdf", "a/hw18"),
        ("a/hw4_TAversion.md", "a/hw4"), ("Answers/hw1.md", "hw1"), ("a/labkey.md", "a/lab"),
        ("a/BlattLösung3.pdf", "a/blatt3"), ("a/klausurloesung.pdf", "a/klausur"),
        ("a/tarea2_respuestas.md", "a/tarea2"),
        ("a/opgave2_antwoorden.md", "a/opgave2"), ("a/作业3答案.pdf", "a/作业3"), ("a/corrige_td3.pdf", "a/td3"),
        ("a/hw1_instructor.md", "a/hw1"), ("autograder/hw1.md", "hw1"), ("a/hw3 marking scheme.pdf", "a/hw3"),
        ("a/HW1.1 Diagram Solution [UPDATED 9_16].pdf", "a/hw1.1 diagram"), ("a/lab3-complete.ipynb", "a/lab3"),
    ],
)  # fmt: skip
def test_what_solves_or_grades_a_sheet_is_for_staff_and_goes_with_it(name: str, pair: str) -> None:
    assert audience_of(name, Source.ASSIGNMENT, PLAIN).visibility is Visibility.STAFF
    assert read_file_name(name).pair == pair


@pytest.mark.parametrize(
    "name",
    [
        "resolution.md", "solutions_of_linear_equations.md", "solubility.md", "keyboard.md", "answering.md",
        "taxonomy.md", "data.md", "monkey.ipynb", "gradient.md", "staffing.md", "keynote.pdf", "Gleichungslösung.pdf",
        "ml_hw3.md",
        "hidden_markov.md", "aqueous_solutions.md", "ta_office_hours.md", "hw3_solution_template.ipynb",
        "hw2_nosol.md",
        "key_concepts.md", "parasol.md", "hockey.md", "notation.md", "hw3.md", "hw3_corrections.md",
    ],
)  # fmt: skip
def test_other_words_say_nothing(name: str) -> None:
    assert audience_of(f"a/{name}", Source.ASSIGNMENT, PLAIN).visibility is Visibility.STUDENT


@pytest.mark.parametrize("name", ["X_Hidden__Tests/q1.md", "hiddentests.md", "tests_hidden/q1.md", "private-tests.md"])
def test_hidden_tests_are_for_staff_in_any_material(name: str) -> None:
    assert audience_of(name, Source.TEXTBOOK, PLAIN).visibility is Visibility.STAFF


@pytest.mark.parametrize("name", ["week4/pop_quiz/q1.tex", "Pop Quiz 3.pdf", "surprise-quiz.md"])
def test_an_unannounced_quiz_is_for_staff_until_the_instructor_says_otherwise(name: str) -> None:
    audience = audience_of(name, Source.TEXTBOOK, PLAIN)
    assert audience.visibility is Visibility.STAFF
    assert audience.doubtful
    assert "unannounced quiz" in audience.reason
    for other in ("quiz3.pdf", "push_pop_quiz.md", "stack_pop_test.py"):
        assert audience_of(other, Source.TEXTBOOK, PLAIN).visibility is Visibility.STUDENT
    solution = audience_of("pop_quiz_1_solution.pdf", Source.ASSIGNMENT, PLAIN)
    assert solution.is_solution
    assert solution.visibility is Visibility.STAFF


def test_a_name_with_two_meanings_is_for_staff_and_asked_about() -> None:
    audience = audience_of("a/recursion_solution.md", Source.ASSIGNMENT, PLAIN)
    assert audience.visibility is Visibility.STAFF
    assert audience.doubtful
    assert "visibility: student" in audience.sentence("a/recursion_solution.md")


def test_a_book_may_have_solutions_for_students_but_not_those_of_homework() -> None:
    assert audience_of("book/ch3_exercise_solutions.md", Source.TEXTBOOK, PLAIN).visibility is Visibility.STUDENT
    assert audience_of("book/solutions.md", Source.TEXTBOOK, PLAIN).visibility is Visibility.STUDENT
    assert audience_of("book/hw3_solutions.md", Source.TEXTBOOK, PLAIN).visibility is Visibility.STAFF
    assert audience_of("rules/staff.md", Source.LOGISTICS, PLAIN).visibility is Visibility.STUDENT


def test_what_the_instructor_shows_is_no_solution_any_more() -> None:
    shown = Course.model_validate({"id": "c", "documents": [{"match": "a/*soln*", "visibility": "student"}]})
    audience = audience_of("a/hw8soln.md", Source.ASSIGNMENT, shown)
    assert (audience.visibility, audience.is_solution, audience.pair) == (Visibility.STUDENT, False, "a/hw8")


def test_identifiers_and_comments_are_read_by_words() -> None:
    assert says_solution("q3-solution")
    assert says_solution("solutionBox")
    assert not says_solution("answer-choices")
    assert says_staff("staff-only")
    assert not says_staff("staff-list")
    assert announces_hidden(" Hidden tests (do not release)")
    assert announces_hidden("AUTOGRADER ONLY")
    assert not announces_hidden("we run hidden tests on this")

"""What looks like a question header and is none."""

from __future__ import annotations

import pytest

from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders import load
from ingestion.questions.headers import detect_by_rule
from ingestion.tree import build_tree
from tests.ingestion.sheets import asked, asked_in, asked_markdown, page


def test_choices_of_an_answer_are_no_parts() -> None:
    text = (
        "Question 1\nWhich of the following is true?\n(a) The mean is robust.\n(b) The median is robust.\n(c) Neither."
    )
    assert asked(text) == ["1"]
    assert asked("Question 2\nPick one.\nA. 0.5\nB. 0.7\nC. 0.9") == ["2"]
    exam = page((72, 60, "1. Which one of these is largest?"), (90, 90, "A. the mean"), (90, 110, "B. the median"),
                (72, 150, "2. Why is that?"))  # fmt: skip
    assert asked_in(exam) == ["1", "2"]


def test_steps_of_instructions_are_no_questions() -> None:
    text = """
Getting started

1. Install Python from the web site.
2. Open a terminal.
3. Run the command below.

Submitting

1. Restart the kernel and run all cells.

2. Download the notebook as a PDF.

3. Upload it to Gradescope.
"""
    assert asked(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Rubric\n\n1. Correctness (5 points)\n2. Style (3 points)\n3. Tests (2 points)",
        "By the end of this lab, you will know:\n1. how to plot\n2. how to explain plots\n3. what a histogram is",
        "Setup\n\n1. Open the terminal.\n2. Choose a folder.\n3. What if it fails? See the FAQ.\n4. Run it again.",
        "There are three kinds:\n\n1. Numerical data. They can be added.\n\n2. Names. They can be counted.\n\n3. Text.",
    ],
)
def test_lists_of_criteria_goals_steps_and_kinds_are_no_questions(text: str) -> None:
    assert asked(text) == asked_markdown(text) == []


def test_steps_inside_a_named_question_are_no_questions() -> None:
    text = "Question 1\nFollow these steps:\n1. Group by city.\n2. Take the mean.\n3. Sort.\n\nQuestion 2\nDo it."
    assert asked(text) == ["1", "2"]


def test_a_list_inside_a_bare_question_leaves_the_numbering_alone() -> None:
    text = """
1. What does this procedure compute?

It has these steps:
1. sort the values
2. take the middle one
3. halve the rest

2. How long does it take?

3. Can it be done faster?
"""
    assert asked(text) == ["1", "2", "3"]


def test_references_inside_sentences_are_no_headers() -> None:
    text = """
Question 1
Look at the data. As we will see in
Question 2 the result depends on it, and
Question 3 asks for more. Use what you found in
Question 1.

Question 2
Do it. Questions 1-3 are due on Friday. Problem 1 and Problem 2 are optional.
"""
    assert asked(text) == ["1", "2"]


@pytest.mark.parametrize(
    ("between", "labels"),
    [
        (Line("x = 1"), ["1", "2", "3"]),
        (Line("Solution: x = 1"), ["1", "2", "3", "1", "2", "3"]),
        (Line("x = 1", solution=True), ["1", "2", "3", "1", "2", "3"]),
    ],
)
def test_numbers_in_a_row_are_a_listing_unless_a_solution_parts_them_from_those_that_follow(
    between: Line, labels: list[str]
) -> None:
    row = tuple(Line(f"Question {n}") for n in (1, 2, 3))
    asked_again = tuple(line for one in row for line in (one, Line("Do it.")))
    assert asked_in(LoadedDocument("sheet", (*row, between, *asked_again))) == labels


def test_tables_of_points_are_no_headers() -> None:
    table = "Question | Points\n--- | ---\nQuestion 1 | 5\nQuestion 2 | 10\nTotal | 15\n"
    spaced = "Problem 1: 10 points\nProblem 2: 15 points\nProblem 3: 5 points\n"
    bare = "Question 1   5\nQuestion 2   10\n"
    questions = "\nQuestion 1\nDo it.\n\nQuestion 2\nDo that.\n"
    for listing in (table, spaced, bare):
        assert asked(listing + questions) == ["1", "2"]


def test_a_table_of_contents_is_no_headers() -> None:
    contents = "Contents\nQuestion 1\nQuestion 2\nQuestion 3\n\n"
    assert asked(contents + "Question 1\nA.\n\nQuestion 2\nB.\n\nQuestion 3\nC.") == ["1", "2", "3"]


def test_code_and_its_output_are_no_headers() -> None:
    lines = (
        Line("Question 1"),
        Line("# Question 2", LineKind.CODE),
        Line("Question 3", LineKind.OUTPUT),
        Line("Do it."),
    )
    assert asked_in(LoadedDocument("lab", lines)) == ["1"]


@pytest.mark.parametrize(
    "line", ["q2d = ...", "q1.shape", "q3(x)", "Q1 = df.head()", "question1 = 3", "task 2 = None", "# Question 1"]
)
def test_lines_of_code_in_plain_text_are_no_headers(line: str) -> None:
    assert asked(f"Lab\n\n{line}\nmore\n") == []


def test_a_page_that_goes_on_is_no_new_question() -> None:
    text = "Question 1\nDo it.\n\nQuestion 1 (continued)\nDo more.\n\nQuestion 2 cont'd\n\nQuestion 2\nDo it."
    assert asked(text) == ["1", "2"]


def test_lists_in_a_solution_are_no_parts() -> None:
    text = """
Question 1
Explain the three effects.
Solution: There are three of them.
(a) The first is the bias of the sample.
(b) The second is the variance of the mean.

Question 2
(a) Show it holds.
Solution:
1. First we divide.
2. Then we add.
(b) Use it to find the mean.
Solution: 7
"""
    assert asked(text) == ["1", "2", "2a", "2b"]


def test_solutions_between_bare_questions_leave_the_numbering_alone() -> None:
    blank = "1. What is bias?\n\n2. What is variance?\n\n3. Compute both.\n"
    solved = (
        "1. What is bias?\n\nSolution: Two things.\n1. A shift.\n2. A lean.\n\n"
        "2. What is variance?\n\nSolution: Spread.\n\n"
        "3. Compute both.\n\nSolution:\n1. Zero.\n2. One.\n"
    )
    assert asked(blank) == asked(solved) == ["1", "2", "3"]


def test_what_stands_behind_the_last_question_is_not_in_its_block() -> None:
    text = "Question 1\nDo it.\n\nQuestion 2\nDo that.\n\nSubmission\n\nRun all cells.\n"
    document = load("sheet.txt", text.encode())
    blocks = list(build_tree(document, detect_by_rule(document, questions=True), solutions=True).blocks())
    assert [(block.label, block.text) for block in blocks] == [
        ("1", "Question 1\nDo it."), ("2", "Question 2\nDo that."), (None, "Submission\n\nRun all cells."),
    ]  # fmt: skip


def test_a_table_of_points_stands_apart_from_the_questions() -> None:
    text = "Question 1\nDo it.\n\nQuestion | Points\n--- | ---\n1 | 5\nTotal | 5\n"
    document = load("sheet.txt", text.encode())
    blocks = list(build_tree(document, detect_by_rule(document, questions=True), solutions=True).blocks())
    assert [(block.label, block.text.split("\n")[0]) for block in blocks] == [
        ("1", "Question 1"), (None, "Question | Points")
    ]  # fmt: skip


def test_prose_without_questions_has_none() -> None:
    text = (
        "Chapter 2\n\nIn 2020 there were 3 surveys.\n\nThe first problem was money. (a) is a label here, (b) as well.\n"
    )
    assert asked(text) == []
    assert asked("Reading list\n\n1. Statistics, by Freedman\n2. Computer Age, by Efron\n3. Elements, by Hastie") == []
    assert asked("Learning goals\n\n- Question 1 of life\n- Problem solving\n\n* Task 1\n* Task 2") == []


def test_a_lettered_list_in_the_solution_of_the_last_part_is_no_part() -> None:
    text = "Question 1\n\n(a) Find it.\n\n(b) Why is it so?\n\nSolution:\n(a) First.\n(b) Second.\n(c) Third.\n\n"
    text += "Question 2\nDo."
    assert asked(text) == ["1", "1a", "1b", "2"]


def test_two_methods_named_in_prose_are_no_parts() -> None:
    assert asked("Problem 1\nThere are two ways:\n(a) bagging\n(b) boosting\nWhich is better?") == ["1"]


def test_the_head_of_a_score_table_is_no_header() -> None:
    table = "Question 1 2 3 Total\nPoints 5 5 5 15\n\nQ1 Q2 Q3\n\nProblem 1 Problem 2\n\n1. 10\n2. 20\n"
    assert asked(table) == []

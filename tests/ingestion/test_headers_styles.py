"""Question headers in the styles of many courses, in several languages and formats."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.headers import QUESTION_RANK, detect_by_rule
from ingestion.loaders import load
from ingestion.numbering import read_heading_number, read_number
from ingestion.statements import Statements
from ingestion.tree import build_tree

PIECES = (
    *(
        "",
        "Words.",
        "Question 1",
        "Question 2a: Why?",
        "Problem 3.",
        "1. Explain it.",
        "2. step",
        "3.",
        "(a) Show it.",
        "(b)",
    ),
    *(
        "(i) Find it.",
        "ii) Use it.",
        "A. 0.5",
        "Part A",
        "Solution:",
        "Answer: (a) 3",
        "第3题",
        "(1) 求",
        "Q1 | 5",
        "====",
        "----",
    ),
)


def asked_in(document: LoadedDocument) -> list[str | None]:
    headers = detect_by_rule(document, questions=True)
    return [header.label for header in headers if header.label or header.rank >= QUESTION_RANK]


def asked(text: str) -> list[str | None]:
    """Labels of the questions in plain text."""
    return asked_in(load("sheet.txt", text.strip("\n").encode()))


def asked_markdown(text: str) -> list[str | None]:
    return asked_in(load("sheet.md", text.strip("\n").encode()))


def asked_notebook(*cells: tuple[str, str]) -> list[str | None]:
    built = [{"cell_type": kind, "source": source, "metadata": {}, "outputs": []} for kind, source in cells]
    return asked_in(load("lab.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": built}).encode()))


def page(*lines: tuple[float, float, str]) -> LoadedDocument:
    """A page of text set in 12 points: (left edge, top, text)."""
    return LoadedDocument(
        "sheet", tuple(Line(text, size=12.0, page=1, box=(x, y, x + 6.0 * len(text), y + 12.0)) for x, y, text in lines)
    )


def test_problems_with_a_full_stop_and_their_text_behind_it() -> None:
    text = """
Homework 2

Problem 1. Let X be a random variable with density f. Show that its mean is finite whenever f decays fast at both ends.

Problem 2. A fair coin is tossed ten times.
(a) Compute the probability of exactly three heads.
(b) Compute the expected number of heads.

Problem 3. Prove the weak law of large numbers.
"""
    assert asked(text) == ["1", "2", "2a", "2b", "3"]


def test_exercises_with_decimals() -> None:
    assert asked("Sheet 1\n\nExercise 1.1\nShow it.\n\nExercise 1.2\nShow that.\n\nTask 2.1: Plot\nDo it.") == [
        "1.1", "1.2", "2.1"
    ]  # fmt: skip


def test_short_names_with_parts_in_parentheses() -> None:
    assert asked("Q1\nWords.\n\nQ4(a)\nWords.\n\nQ4(b)(ii)\nWords.\n\nQ5 - Sampling\nWords.") == [
        "1", "4a", "4bii", "5"
    ]  # fmt: skip


def test_bare_numbers_in_plain_text_that_ask() -> None:
    text = """
1. What is a random variable?

2. Explain the difference between a parameter and a statistic.
   Give an example of each.

3. Why is the sample mean unbiased?
"""
    assert asked(text) == ["1", "2", "3"]


def test_bare_numbers_close_together_that_ask() -> None:
    assert asked("Quiz\n1. What is bias?\n2. What is variance?\n3. How do the two trade off?") == ["1", "2", "3"]


def test_numbers_that_restart_under_each_section() -> None:
    text = """
Probability
===========

1. What is the chance of two heads?
(a) Compute it by hand.
(b) Simulate it. How close is it?

2. Derive the variance.

Sampling
========

1. Why is this sample biased?

2. Suggest a better design.
"""
    assert asked(text) == ["1", "1a", "1b", "2", "1", "2"]


def test_parts_named_by_a_word() -> None:
    text = "Problem 1\n\nPart A\nShow it.\n\nPart B\nUse it.\n\nProblem 2\n\nPart (a): Prove it.\n\nPart (b): Use it."
    assert asked(text) == ["1", "1a", "1b", "2", "2a", "2b"]


def test_lettered_parts_alone_are_the_questions() -> None:
    assert asked("Worksheet\n\nPart A: Reading\nRead it.\n\nPart B: Writing\nWrite it.") == ["a", "b"]


def test_parts_of_the_document_above_the_questions_are_sections() -> None:
    text = "Part A: Theory\n\nQuestion 1\nShow it.\n\nQuestion 2\nUse it.\n\nPart B: Code\n\nQuestion 3\nWrite it."
    assert asked(text) == ["1", "2", "3"]


def test_roman_parts_below_lettered_parts() -> None:
    text = """
Question 1
(a) Consider a linear model.
(i) Write down its loss.
(ii) Find its minimum.
(b) Now add a penalty.
(i) How does the minimum move?
(ii) Why?
(c) Explain the difference in one sentence.
"""
    assert asked(text) == ["1", "1a", "1ai", "1aii", "1b", "1bi", "1bii", "1c"]


def test_roman_parts_directly_below_a_question() -> None:
    assert asked("Question 2\n(i) Show it holds.\n(ii) Find the error.\n(iii) Correct the proof.") == [
        "2", "2i", "2ii", "2iii"
    ]  # fmt: skip


def test_nine_lettered_parts_have_i_as_a_letter() -> None:
    parts = "\n".join(f"({letter}) Explain the term number {letter}." for letter in "abcdefghij")
    assert asked(f"Question 1\n{parts}") == ["1", *(f"1{letter}" for letter in "abcdefghij")]


def test_a_german_sheet() -> None:
    text = "Übungsblatt 4\n\nAufgabe 1 (4 Punkte)\nSei X normalverteilt.\na) Berechne den Erwartungswert.\n"
    text += "b) Zeige, dass X symmetrisch ist.\n\nAufgabe 2: Schätzer\nBeweise den Satz."
    assert asked(text) == ["1", "1a", "1b", "2"]


def test_a_spanish_and_a_french_sheet() -> None:
    assert asked("Ejercicio 1. Calcula la media.\n\nEjercicio 2. Explica el resultado.") == ["1", "2"]
    assert asked("Exercice 1 : Probabilités\nSoit X une variable.\n\nExercice 2\nMontrer que X existe.") == ["1", "2"]


def test_a_chinese_sheet() -> None:
    text = "作业三\n\n第1题 设X服从正态分布。\n(1) 求X的期望。\n(2) 证明X是对称的。\n\n"
    text += "第二题（10分）\n计算方差。\n\n第3题\n说明理由。"
    assert asked(text) == ["1", "1.1", "1.2", "2", "3"]


def test_a_chinese_sheet_with_bare_numbers() -> None:
    assert asked("练习\n\n1、计算下列极限。\n\n2、证明该级数收敛。\n\n3、求导数。") == ["1", "2", "3"]


def test_a_japanese_and_a_korean_sheet() -> None:
    assert asked("問題1 次の確率を求めよ。\n\n問題2 分散を計算せよ。") == ["1", "2"]
    assert asked("문제 1. 평균을 구하시오.\n\n문제 2. 분산을 계산하시오.") == ["1", "2"]


def test_a_russian_and_an_arabic_sheet() -> None:
    assert asked("Задача 1. Найдите среднее.\n\nЗадача 2. Докажите теорему.") == ["1", "2"]
    assert asked("السؤال 1: احسب المتوسط\n\nالسؤال 2: اشرح النتيجة") == ["1", "2"]


def test_wide_digits_and_punctuation() -> None:
    assert asked("問題１　次を求めよ。\n\n問題２：分散") == ["1", "2"]


def test_marked_headings_in_every_style() -> None:
    text = "# HW 3\n\n## Question 4 : Title\n\nDo.\n\n### 4a)\n\nDo.\n\n### 4b)\n\nDo.\n\n## hw3 Question 5\n\nDo.\n"
    assert asked_markdown(text) == ["4", "4a", "4b", "5"]


def test_headings_that_are_lettered_parts() -> None:
    text = "# HW\n\n## Problem 1: Regression\n\nRead.\n\n### (a) Loss\n\nDo.\n\n### (b) Gradient\n\nDo.\n\n"
    assert asked_markdown(text + "## Problem 2\n\n### Part A\n\nDo.\n\n### Part B\n\nDo.") == [
        "1",
        "1a",
        "1b",
        "2",
        "2a",
        "2b",
    ]


def test_numbered_headings_with_points_or_parts_are_questions() -> None:
    text = "# Sheet\n\n## 1. Sampling (5 points)\n\nDo.\n\n## 2. Bias (10 points)\n\nDo.\n"
    assert asked_markdown(text) == ["1", "2"]
    assert asked_markdown("# Sheet\n\n## 1. Sampling\n\n(a) Explain it.\n\n(b) Use it.\n") == ["1", "1a", "1b"]


def test_numbered_headings_of_a_walk_through_are_sections() -> None:
    text = "# Lab\n\n## 1. Introduction\n\nWords.\n\n## 2. Loading the data\n\nWords.\n\n## 3. Cleaning\n\nWords."
    assert asked_markdown(text) == []


def test_numbered_section_headings_beside_named_questions_are_sections() -> None:
    text = "# Lab\n\n## 1. Data\n\n### Question 1a\n\nDo.\n\n## 2. Model\n\n### Question 2a\n\nDo."
    assert asked_markdown(text) == ["1a", "2a"]


def test_bold_lines_in_a_notebook() -> None:
    cells = [
        ("markdown", "# Lab 2\n\nRead this."), ("markdown", "**Question 1.** Load the data."), ("code", "df = ..."),
        ("markdown", "**Question 2a**\n\nPlot it."), ("code", "# Question 9: your code"),
        ("markdown", "__Question 2b:__ Why?"),
    ]  # fmt: skip
    assert asked_notebook(*cells) == ["1", "2a", "2b"]


def test_bold_numbers_and_letters_in_markdown() -> None:
    text = "# Sheet\n\n**1.** Show that the sum converges.\n\n**2.** Find its limit.\n\n**(a)** Use the ratio test.\n\n"
    assert asked_markdown(text + "**(b)** Prove the bound.\n") == ["1", "2", "2a", "2b"]


def test_lines_with_an_ornament_before_the_name() -> None:
    assert asked("✏️ Question 1\nDo it.\n\n★ Question 2\nDo it.\n\n[Question 3]\nDo it.") == ["1", "2", "3"]


def test_questions_with_points_or_remarks() -> None:
    text = "Question 1 (5 points)\nDo.\n\nQuestion 2 [10 pts]: Joins\nDo.\n\nQuestion 3 (Optional)\nDo.\n\n"
    text += "Bonus Question 4\nDo."
    assert asked(text) == ["1", "2", "3", "4"]


def test_roman_and_lettered_questions() -> None:
    assert asked("Problem I.\nShow it.\n\nProblem II.\nUse it.") == ["i", "ii"]
    assert asked("Exercise A: Sums\nDo it.\n\nExercise B: Limits\nDo it.") == ["a", "b"]


def test_repeated_numbers_of_named_questions_are_all_kept() -> None:
    assert asked("Unit 1\n\nQuestion 1\nA.\n\nQuestion 2\nB.\n\nUnit 2\n\nQuestion 1\nC.\n\nQuestion 2\nD.") == [
        "1", "2", "1", "2"
    ]  # fmt: skip


def test_questions_of_an_exam_page_by_indent() -> None:
    document = page(
        (72, 100, "Midterm exam"), (72, 130, "1. You have 80 minutes."), (72, 145, "2. No calculators are allowed."),
        (72, 160, "3. Write your name on every page."),
        (72, 200, "1. Let A and B be independent events."), (90, 215, "(a) Show that their complements are."),
        (90, 300, "(b) Find the chance that neither happens."), (72, 400, "2. Given a fair die, find the mean"),
        (90, 415, "of the sum of two throws."), (120, 440, "1. an inner list"), (120, 455, "2. of two entries"),
    )  # fmt: skip
    assert asked_in(document) == ["1", "1a", "1b", "2"]


def test_right_aligned_numbers_beyond_nine_stay_in_their_run() -> None:
    lines = [(78.0 if n < 10 else 72.0, 60.0 + 40 * n, f"{n}. Explain term {n}.") for n in range(1, 13)]
    assert asked_in(page(*lines)) == [str(n) for n in range(1, 13)]


def test_a_number_that_was_lost_in_a_pdf_does_not_end_the_run() -> None:
    lines = [(72.0, 60.0 + 40 * n, f"{n}. Explain term {n}.") for n in (1, 2, 4, 5)]
    assert asked_in(page(*lines)) == ["1", "2", "4", "5"]


def test_a_sheet_may_begin_with_a_later_number() -> None:
    assert asked("7. Why is it biased?\n\n8. How would you mend it?") == ["7", "8"]


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


def test_chinese_numbers_need_no_space_behind_them() -> None:
    assert asked("一、选择题\n\n1．下列哪一个正确？\nA. 一\nB. 二\n\n2．求导数。\n\n二、计算题\n\n3．计算积分。") == [
        "1",
        "2",
        "3",
    ]


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


def test_twelve_levels_of_decimals_and_of_headings_are_read() -> None:
    deep = "Question " + ".".join("1" * 12)
    assert asked(f"{deep}\nDo it.") == [".".join("1" * 12)]
    lines = tuple(Line(f"Question {n}", level=n) for n in range(1, 13))
    headers = detect_by_rule(LoadedDocument("deep", lines), questions=True)
    assert [header.rank for header in headers] == list(range(1, 13))


def test_five_thousand_siblings_are_all_found() -> None:
    lines = tuple(Line(text) for n in range(5_000) for text in (f"Question {n % 999 + 1}", "Do it."))
    assert len(asked_in(LoadedDocument("long", lines))) == 5_000
    bare = tuple(Line(text) for n in range(5_000) for text in (f"{n % 99 + 1}. Why?", ""))
    assert len(asked_in(LoadedDocument("long", bare))) == 5_000


def test_a_part_on_the_line_of_its_question_is_counted() -> None:
    text = "Problem 1. (a) Show that it holds.\n\n(b) Find the limit.\n\n(c) Use it.\n\nProblem 2. Why?"
    assert asked(text) == ["1", "1b", "1c", "2"]


def test_a_lettered_list_in_the_solution_of_the_last_part_is_no_part() -> None:
    text = "Question 1\n\n(a) Find it.\n\n(b) Why is it so?\n\nSolution:\n(a) First.\n(b) Second.\n(c) Third.\n\n"
    text += "Question 2\nDo."
    assert asked(text) == ["1", "1a", "1b", "2"]


def test_a_single_bare_number_that_asks_is_a_question() -> None:
    assert asked("Warm-up\n\n1. Why is the sample biased?") == ["1"]
    assert asked("Warm-up\n\n1. The room is on the second floor.") == []


def test_a_task_for_each_item_of_a_list_has_parts() -> None:
    assert asked("Problem 1\nCompute the derivatives of:\n(a) sin x\n(b) e^x\n(c) 1/x") == ["1", "1a", "1b", "1c"]
    sheet = page(
        (72, 60, "1. Find these:"), (90, 75, "(a) P(A)"), (90, 90, "(b) P(B)"), (72, 120, "2. Explain the first.")
    )
    assert asked_in(sheet) == ["1", "1a", "1b", "2"]


def test_two_methods_named_in_prose_are_no_parts() -> None:
    assert asked("Problem 1\nThere are two ways:\n(a) bagging\n(b) boosting\nWhich is better?") == ["1"]


def test_large_headings_of_a_pdf_with_lettered_parts_are_questions() -> None:
    def line(text: str, y: float, size: float = 10.0) -> Line:
        return Line(text, size=size, bold=size > 10, page=1, box=(72, y, 300, y + size))

    document = LoadedDocument(
        "hw",
        (line("Homework 4", 50, 17.0), line("1 Sampling", 90, 14.0), line("Consider a city and its many people.", 110),
         line("(a) Draw a sample of them.", 125), line("(b) Is it biased?", 140), line("2 Bias", 180, 14.0),
         line("(a) Define it.", 200), line("(b) Remove it.", 215)),
    )  # fmt: skip
    assert asked_in(document) == ["1", "1a", "1b", "2", "2a", "2b"]


@given(st.lists(st.sampled_from(PIECES), max_size=60), st.booleans())
def test_any_sheet_gives_sorted_headers_inside_the_text(lines: list[str], boxed: bool) -> None:
    built = tuple(
        Line(text, page=1, size=12, box=(72.0 + 18 * (n % 3), 20.0 * n, 300.0, 20.0 * n + 12)) if boxed else Line(text)
        for n, text in enumerate(lines)
    )
    headers = detect_by_rule(LoadedDocument("any", built), questions=True)
    places = [header.line for header in headers]
    assert places == sorted(set(places))
    assert all(0 <= place < len(lines) and lines[place].strip() for place in places)


@given(st.text(max_size=80))
def test_any_line_is_read_without_fail_and_its_number_is_in_it(text: str) -> None:
    for number in (read_number(text), read_heading_number(text)):
        if number:
            assert number.label
            assert number.label == number.label.lower()


@pytest.mark.parametrize(
    "pattern", [("Question {}", "Do it."), ("{}. Why?", ""), ("(a) Show it.", "1. step {}"), ("Solution:", "{}.")]
)
def test_the_work_grows_with_the_number_of_lines_alone(
    pattern: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    original = Statements.of
    monkeypatch.setattr(Statements, "of", lambda *args: read.append(1) or original(*args))
    counts = []
    for size in (500, 1_000, 2_000):
        read.clear()
        lines = [Line("Question 1"), *(Line(text.format(n % 99 + 1)) for n in range(size) for text in pattern)]
        detect_by_rule(LoadedDocument("long", tuple(lines)), questions=True)
        counts.append(len(read))
    assert counts[2] - counts[1] <= 2.2 * (counts[1] - counts[0]) + 40


def test_decimals_without_a_name_that_ask_are_questions() -> None:
    text = "1.1 [2 pts] Show that it holds.\n\n1.2 [3 pts] Find the limit.\n\n2.1 [4 pts] Why?"
    assert asked(text) == ["1.1", "1.2", "2.1"]
    nested = page((72, 60, "1. Explain the model."), (90, 80, "1.1. Derive its loss."), (90, 120, "1.2. Find its end."),
                  (72, 160, "2. Explain the data."))  # fmt: skip
    assert asked_in(nested) == ["1", "1.1", "1.2", "2"]


def test_numbers_of_chapter_and_problem_are_questions() -> None:
    assert asked("Problem 1-1. [20 points] Sorting\nSort.\n\nProblem 1-2. [5 points] Heaps\nHeap.") == ["1-1", "1-2"]


def test_headings_with_decimals_and_points_are_questions() -> None:
    text = "# Lab\n\n## 1. Data\n\nRead.\n\n### 1.1 Load it {points: 1}\n\nDo.\n\n"
    text += "### 1.2 Plot it {points: 2}\n\nDo."
    assert asked_markdown(text) == ["1.1", "1.2"]
    assert asked_markdown("# Lab\n\n## 1.1 Data\n\nRead.\n\n## 1.2 Models\n\nRead.") == []


def test_the_head_of_a_score_table_is_no_header() -> None:
    table = "Question 1 2 3 Total\nPoints 5 5 5 15\n\nQ1 Q2 Q3\n\nProblem 1 Problem 2\n\n1. 10\n2. 20\n"
    assert asked(table) == []


def test_a_text_in_lower_case_behind_a_closed_number_is_its_own() -> None:
    assert asked("Q1a) plot the data\nDo.\n\nQ1b) explain the plot\nDo.") == ["1a", "1b"]


def test_headings_that_are_lettered_parts_alone_are_the_questions() -> None:
    assert asked_markdown("# HW\n\n## Part A: Sums\n\nDo.\n\n## Part B: Limits\n\nDo.") == ["a", "b"]
    assert asked_markdown("# Lab\n\n## Part 1: Sums\n\nRead.\n\n## Part 2: Limits\n\nRead.") == []
    assert asked_markdown("# HW\n\n## Part A\n\n1. Why?\n\n2. How?\n\n## Part B\n\n1. When?") == ["1", "2", "1"]


def test_a_number_with_points_needs_no_mark_behind_it() -> None:
    assert asked("1 (10 points) Sorting\nDo.\n\n2 [5 pts] Heaps\nDo.") == ["1", "2"]


def test_a_number_may_be_tied_to_its_name() -> None:
    assert asked("Question-1\nDo.\n\nQuestion_2: Plot\nDo.\n\nQ.3) Explain it.") == ["1", "2", "3"]


def test_headings_with_points_on_the_line_below_are_questions() -> None:
    text = "# HW\n\n### 1(a)\nrubric={points:3}\n\nDo.\n\n### 2.\nrubric={points:3}\n\nDo."
    assert asked_markdown(text) == ["1a", "2"]


def test_decimal_headings_below_their_own_exercise_are_its_parts() -> None:
    text = "## Exercise 1: Sums\n\n### 1.1\n\nDo.\n\n### 1.2 Add\n\nDo.\n\n## 2.1 Background\n\nRead."
    assert asked_markdown(text) == ["1", "1.1", "1.2"]


def test_questions_in_quotations_and_in_bold_italics() -> None:
    assert asked_markdown("# HW\n\n> **Problem 2:** use it.\n\n***Problem 3***\n\n*Problem 5.* Do") == ["2", "3", "5"]

"""Question headers in the ways many courses number them."""

from __future__ import annotations

from tests.ingestion.sheets import asked, asked_in, page


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


def test_a_part_on_the_line_of_its_question_is_counted() -> None:
    text = "Problem 1. (a) Show that it holds.\n\n(b) Find the limit.\n\n(c) Use it.\n\nProblem 2. Why?"
    assert asked(text) == ["1", "1b", "1c", "2"]


def test_a_single_bare_number_that_asks_is_a_question() -> None:
    assert asked("Warm-up\n\n1. Why is the sample biased?") == ["1"]
    assert asked("Warm-up\n\n1. The room is on the second floor.") == []


def test_a_task_for_each_item_of_a_list_has_parts() -> None:
    assert asked("Problem 1\nCompute the derivatives of:\n(a) sin x\n(b) e^x\n(c) 1/x") == ["1", "1a", "1b", "1c"]
    sheet = page(
        (72, 60, "1. Find these:"), (90, 75, "(a) P(A)"), (90, 90, "(b) P(B)"), (72, 120, "2. Explain the first.")
    )
    assert asked_in(sheet) == ["1", "1a", "1b", "2"]


def test_decimals_without_a_name_that_ask_are_questions() -> None:
    text = "1.1 [2 pts] Show that it holds.\n\n1.2 [3 pts] Find the limit.\n\n2.1 [4 pts] Why?"
    assert asked(text) == ["1.1", "1.2", "2.1"]
    nested = page((72, 60, "1. Explain the model."), (90, 80, "1.1. Derive its loss."), (90, 120, "1.2. Find its end."),
                  (72, 160, "2. Explain the data."))  # fmt: skip
    assert asked_in(nested) == ["1", "1.1", "1.2", "2"]


def test_numbers_of_chapter_and_problem_are_questions() -> None:
    assert asked("Problem 1-1. [20 points] Sorting\nSort.\n\nProblem 1-2. [5 points] Heaps\nHeap.") == ["1-1", "1-2"]


def test_a_text_in_lower_case_behind_a_closed_number_is_its_own() -> None:
    assert asked("Q1a) plot the data\nDo.\n\nQ1b) explain the plot\nDo.") == ["1a", "1b"]


def test_a_number_with_points_needs_no_mark_behind_it() -> None:
    assert asked("1 (10 points) Sorting\nDo.\n\n2 [5 pts] Heaps\nDo.") == ["1", "2"]


def test_a_number_may_be_tied_to_its_name() -> None:
    assert asked("Question-1\nDo.\n\nQuestion_2: Plot\nDo.\n\nQ.3) Explain it.") == ["1", "2", "3"]

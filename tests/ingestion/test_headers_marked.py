"""Question headers that are marked as headings, in bold or by their size."""

from __future__ import annotations

from ingestion.document import Line, LoadedDocument
from tests.ingestion.sheets import asked_in, asked_markdown, asked_notebook


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


def test_headings_with_decimals_and_points_are_questions() -> None:
    text = "# Lab\n\n## 1. Data\n\nRead.\n\n### 1.1 Load it {points: 1}\n\nDo.\n\n"
    text += "### 1.2 Plot it {points: 2}\n\nDo."
    assert asked_markdown(text) == ["1.1", "1.2"]
    assert asked_markdown("# Lab\n\n## 1.1 Data\n\nRead.\n\n## 1.2 Models\n\nRead.") == []


def test_headings_that_are_lettered_parts_alone_are_the_questions() -> None:
    assert asked_markdown("# HW\n\n## Part A: Sums\n\nDo.\n\n## Part B: Limits\n\nDo.") == ["a", "b"]
    assert asked_markdown("# Lab\n\n## Part 1: Sums\n\nRead.\n\n## Part 2: Limits\n\nRead.") == []
    assert asked_markdown("# HW\n\n## Part A\n\n1. Why?\n\n2. How?\n\n## Part B\n\n1. When?") == ["1", "2", "1"]


def test_headings_with_points_on_the_line_below_are_questions() -> None:
    text = "# HW\n\n### 1(a)\nrubric={points:3}\n\nDo.\n\n### 2.\nrubric={points:3}\n\nDo."
    assert asked_markdown(text) == ["1a", "2"]


def test_decimal_headings_below_their_own_exercise_are_its_parts() -> None:
    text = "## Exercise 1: Sums\n\n### 1.1\n\nDo.\n\n### 1.2 Add\n\nDo.\n\n## 2.1 Background\n\nRead."
    assert asked_markdown(text) == ["1", "1.1", "1.2"]


def test_questions_in_quotations_and_in_bold_italics() -> None:
    assert asked_markdown("# HW\n\n> **Problem 2:** use it.\n\n***Problem 3***\n\n*Problem 5.* Do") == ["2", "3", "5"]

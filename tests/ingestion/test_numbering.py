"""Reading the numbers of questions."""

from __future__ import annotations

import pytest

from ingestion.numbering import read_heading_number, read_number


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("Q4(b)(ii) Foo", "4bii"), ("Question 1 (a) Foo", "1a"), ("Task 1.2.3: x", "1.2.3"),
        ("Problem 1-2. Sort", "1-2"), ("第3题", "3"), ("第十二题 求", "12"), ("第二十题", "20"),
        ("問題１　次の", "1"), ("문제 4", "4"), ("السؤال 2", "2"), ("Задача 3.", "3"), ("Part B", "b"),
        ("Part (b)", "b"), ("Question 4 : Title", "4"), ("2b) foo", "2b"), ("4(b) Explain", "4b"),
        ("(ii) foo", "ii"), ("**(a)** Explain `a**b`", "a"), ("__2.__ Show", "2"), ("1、计算", "1"),
        ("Question 1 of 5", "1"), ("Problem II.", "ii"), ("Question A", "a"), ("Question 2.iii", "2iii"),
        ("[Question 3] x", "3"), ("Question #3: x", "3"), ("Question No. 3", "3"),
        ("Problem 2: P(A|B) is what?", "2"), ("1.a) x", "1a"),
    ],
)  # fmt: skip
def test_a_number_is_read_whole(line: str, label: str) -> None:
    number = read_number(line)
    assert number is not None
    assert number.label == label


@pytest.mark.parametrize(
    "line",
    [
        *(
            "Question 1-3 are due",
            "Question 1 5",
            "Question 1 (continued)",
            "Questions 1",
            "Task A is due",
            "Problem I have",
        ),
        *(
            "Question 1: 5",
            "Part of this",
            "Part a of it",
            "Q1, Q2",
            "Question 2 & 3",
            "Q1 = x",
            "Question 1 2 3 Total",
        ),
        *("* Task 1", "- Question 1", "• Problem 2", "Question 1 | 5", "q2d = ...", "Problematic 3", "1.5 kg", "12:30"),
    ],
)
def test_ranges_rows_lists_and_sentences_are_no_numbers(line: str) -> None:
    assert read_number(line) is None


@pytest.mark.parametrize(
    ("title", "label", "named"),
    [
        ("2b)", "2b", False), ("1: Load", "1", False), ("1 Sampling", "1", False), ("1.2 Data", "1.2", False),
        ("Question 3 filtering", "3", True), ("hw1 Question 2", "2", True), ("Lab 3: Exercise 4", "4", True),
    ],
)  # fmt: skip
def test_headings_may_be_numbered_more_freely(title: str, label: str, named: bool) -> None:
    number = read_heading_number(title)
    assert number is not None
    assert (number.label, number.named) == (label, named)


@pytest.mark.parametrize("title", ["2020 data", "Week 3 Notes", "Homework 1", "", "Sampling"])
def test_other_headings_have_no_number(title: str) -> None:
    assert read_heading_number(title) is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Question 2d, Part i", "2di"), ("Question 2d, part ii: Why?", "2dii"), ("Question 2 Part b", "2b"),
        ("Question 3 (Part a)", "3a"), ("Question 2d - Part I", "2di"), ("Question 2, Part 1", "2.1"),
        ("Question 2: Part of speech", "2"), ("Question 4, Part II. Models", "4ii"),
    ],
)  # fmt: skip
def test_a_part_named_behind_a_question_belongs_to_its_label(text: str, label: str) -> None:
    number = read_number(text)
    assert number is not None
    assert number.label == label

"""Places that a query names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Passage, Position, Source, Visibility
from retrievers.names import PARTIAL_MATCH, SAME_WORK, WHOLE_MATCH, Directory, read_names


@pytest.mark.parametrize(
    ("text", "works", "questions"),
    [
        ("hw3 2b", ["homework 3"], ["2b"]),
        ("Homework 3, question 2(b)", ["homework 3"], ["2b"]),
        ("what does question 2 of Homework 03 ask?", ["homework 3"], ["2"]),
        ("hw03q2 hint", ["homework 3"], ["2"]),
        ("I am stuck on 4 in homework 1", ["homework 1"], ["4"]),
        ("hw6 problem 3 c", ["homework 6"], ["3c"]),
        ("problem set 2, problem 1, part c", ["problem set 2"], ["1c"]),
        ("ps2 1(c)(ii)", ["problem set 2"], ["1cii"]),
        ("ps2 1cii", ["problem set 2"], ["1cii"]),
        ("ps3 1.3 extra letter", ["problem set 3"], ["1.3"]),
        ("Aufgabe 3b auf Blatt 4", ["exercise sheet 4"], ["3b"]),
        ("作业 3 第2题", ["homework 3"], ["2"]),
        ("Homework 2A", ["homework 2a"], []),
        ("lab02b is hard", ["lab 2b"], []),
        ("Project A1 q2b", ["project a1"], ["2b"]),
        ("projA2", ["project a2"], []),
        ("hw3: 4?", ["homework 3"], ["4"]),
        ("2b or not 2b", [], ["2b"]),
        ("see section 3.2 and chapter 7.1", ["section 3.2", "section 7.1"], []),
        ("ch. 12 in short", ["chapter 12"], []),
        ("question 3 a hint please", [], ["3"]),
        ("hw3 2 days late", ["homework 3"], []),
        ("hw3 90% of it", ["homework 3"], []),
        ("a 2d array and a 3d plot", [], []),
    ],
)
def test_names_are_read_however_they_are_written(text: str, works: list[str], questions: list[str]) -> None:
    names = read_names(text)
    assert [work for work in names.works if work.partition(" ")[0] not in ("on", "is")] == works
    assert list(names.questions) == questions


@given(st.text(alphabet="hwq 123abc().#,part", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    names = read_names(text)
    assert len(set(names.works)) == len(names.works)
    assert all(question[0].isdigit() for question in names.questions)


def passage(document: str, *headings: str, label: str = "", source: Source = Source.ASSIGNMENT) -> Passage:
    return Passage(
        block_id=f"{document}/{label}",
        document_id=document,
        document=document,
        title=headings[0] if headings else document,
        source=source,
        visibility=Visibility.STUDENT,
        heading_path=headings,
        label=label,
        text="",
        position=Position(start=0, end=0),
        score=0.0,
    )


HOMEWORK = Directory(
    [
        passage("hw2/hw2.ipynb", "Homework 2", label="2a"),
        passage("hw3/hw3.pdf", "Homework 3: Sampling"),
        passage("hw3/hw3.pdf", "Homework 3: Sampling", "2. A loaded die", label="2"),
        passage("hw3/hw3.pdf", "Homework 3: Sampling", "2. A loaded die", "(a) Compute", label="2a"),
        passage("hw3/hw3.pdf", "Homework 3: Sampling", "12. Two dice", label="12"),
    ]
)


def test_a_question_comes_first_then_what_is_around_it() -> None:
    assert HOMEWORK.named("hw3 2a") == {1: SAME_WORK, 2: SAME_WORK, 3: WHOLE_MATCH, 4: SAME_WORK}
    assert HOMEWORK.named("question 2 of homework 3") == {1: SAME_WORK, 2: WHOLE_MATCH, 3: PARTIAL_MATCH, 4: SAME_WORK}


def test_where_there_is_no_such_part_the_question_is_meant() -> None:
    assert HOMEWORK.named("homework 3 problem 12c")[4] == PARTIAL_MATCH


def test_a_question_without_a_work_names_nothing() -> None:
    assert HOMEWORK.named("what is wrong in my 2a") == {}
    assert HOMEWORK.named("stuck on 2a, need help by 5") == {}


def test_the_course_and_tools_are_no_works() -> None:
    course = Directory(
        [
            passage("syllabus.md", "Data 100 Syllabus", source=Source.LOGISTICS),
            passage("regex.md", "regex101", source=Source.TEXTBOOK),
        ]
    )
    assert course.named("is data 100 hard") == {}
    assert course.named("my pattern works in regex101") == {}


def test_a_kind_of_work_that_only_this_course_has_is_named_where_it_is_numbered() -> None:
    course = Directory([passage("t1.md", "Tutorial 1: Waves"), passage("t2.md", "Tutorial 2: Light")])
    assert course.named("tutorial 2") == {1: SAME_WORK}


def test_works_with_letters_are_told_apart() -> None:
    course = Directory(
        [passage("hw02A.ipynb", "Homework 2A"), passage("hw02B.ipynb", "Homework 2B"), passage("projA1.ipynb", "Start")]
    )
    assert course.named("hw2b") == {1: SAME_WORK}
    assert course.named("project A1") == {2: SAME_WORK}
    assert HOMEWORK.named("hw2a") == {0: SAME_WORK}


def test_a_work_that_the_material_does_not_have_names_nothing() -> None:
    assert HOMEWORK.named("homework 7 2a") == {}
    assert HOMEWORK.named("it is due at 2 or on day 3") == {}


def test_students_take_homework_and_problem_sets_for_one_another_where_a_course_has_one_of_them() -> None:
    assert HOMEWORK.named("ps 2") == {0: SAME_WORK}
    both = Directory([passage("hw1.md", "Homework 1"), passage("ps1.md", "Problem Set 1")])
    assert (both.named("hw1"), both.named("ps1"), both.named("assignment 1")) == (
        {0: SAME_WORK},
        {1: SAME_WORK},
        {0: SAME_WORK, 1: SAME_WORK},
    )


def test_sections_and_chapters_have_names_too() -> None:
    book = Directory(
        [
            passage("03.md", "Chapter 3: Cleaning", "3.2 Missing values", source=Source.TEXTBOOK),
            passage("03.md", "Chapter 3: Cleaning", "3.3 Dates", source=Source.TEXTBOOK),
        ]
    )
    assert book.named("what is section 3.3 about") == {1: SAME_WORK}
    assert book.named("chapter 3") == {0: SAME_WORK, 1: SAME_WORK}


def test_a_past_thread_is_named_by_its_title() -> None:
    threads = Directory(
        [
            passage("threads.jsonl", "hw3 2a wording", source=Source.QA),
            passage("threads.jsonl", "is hw3 graded", source=Source.QA),
        ]
    )
    assert threads.named("Homework 3 Q2(a)") == {0: WHOLE_MATCH, 1: SAME_WORK}

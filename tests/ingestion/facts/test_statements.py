"""What single lines say is due, handed out or held."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.dates import read_moments
from ingestion.facts.statements import Context, DateRole, read_line
from retrievers.works import WorkName

SHEET = Context(work=WorkName("problem set", "3"))
ROW = Context(day=read_moments("Friday 2/10")[0])


def said(line: str, context: Context = Context()) -> list[tuple[str, str, str]]:  # noqa: B008  (frozen)
    return [
        (one.role.value, one.work.name if one.work else one.title, one.moment.text if one.moment else "")
        for one in read_line(line, context)
    ]


@pytest.mark.parametrize(
    ("line", "name", "due"),
    [
        ("Homework 4, due Friday February 10", "Homework 4", "02-10"),
        ("1st homework due January 21.", "Homework 1", "01-21"),
        ("Deadline ninth homework April 28", "Homework 9", "04-28"),
        ("**Problem Set 1** due Mon Sep 13", "Problem set 1", "09-13"),
        ("Due Feb 10: Homework 3", "Homework 3", "02-10"),
        ("- DUE 1/24 in class. [Hw_01](https://a.example/b), based on the slides", "Homework 1", "01-24"),
        ("The essay on guilds is due on 2 December", "essay on guilds", "12-02"),
        ("HW4 (12/1 11:59PMEST) due", "Homework 4", "12-01 23:59"),
        ("11/07: extended project 1 part 3 deadline to 11/14", "Project 1 part 3", "11-14"),
        ("Die Abgabe von Blatt 5 ist am 12.5. um 10:00 Uhr", "Exercise sheet 5", "05-12 10:00"),
        ("La tarea 2 se entrega el 19 de febrero", "Homework 2", "02-19"),
        ("作业3：截止 2月19日", "Homework 3", "02-19"),
    ],
)
def test_a_due_date_belongs_to_the_work_beside_it(line: str, name: str, due: str) -> None:
    assert ("due", name, due) in said(line)


def test_a_date_behind_a_word_for_release_is_no_due_date() -> None:
    line = "First midterm project, available Feb 20 and due March 3, 2023"
    assert said(line) == [("released", "Midterm 1", "02-20"), ("due", "Midterm 1", "2023-03-03")]


def test_two_works_share_a_date_and_each_of_two_dates_has_its_own_work() -> None:
    line = "extended project 1 deadline to 11/14, hw4 and project 2 to 12/1."
    assert said(line) == [("due", "Project 1", "11-14"), ("due", "Project 2", "12-01"), ("due", "Homework 4", "12-01")]


@pytest.mark.parametrize(
    "line",
    [
        "**Due: Tuesday, April 28 at 5:00 pm**",
        "Please submit on Moodle by the end of the day Tuesday April 28.",
        "- It's due at 10 am on April 28, as a PDF.",
        "That’ll be due on April 28.",
    ],
)
def test_in_the_head_of_a_sheet_a_date_is_the_sheets_own(line: str) -> None:
    assert [name for _, name, _ in said(line, SHEET)] == ["Problem set 3"]


@pytest.mark.parametrize(
    "line",
    [
        "Submit the form for your team by April 28.",
        "Project proposal due April 28",
        "Late submissions are accepted until April 28",
        "This holds due to the storm of April 28.",
        "No submission on April 28",
    ],
)
def test_what_else_is_due_is_no_date_of_the_sheet(line: str) -> None:
    assert "Problem set 3" not in [name for _, name, _ in said(line, SHEET)]


def test_the_day_of_a_row_is_that_of_a_deadline_without_a_date() -> None:
    assert said("Summary of the week. Deadline third homework.", ROW) == [("due", "Homework 3", "02-10")]
    assert said("Discussion of the third homework.", ROW) == []


def test_the_number_of_a_work_is_no_day() -> None:
    assert said("Deadline homework nine April 28") == [("due", "Homework 9", "04-28")]


@pytest.mark.parametrize(
    ("line", "role", "title"),
    [
        ("Midterm 1: Thursday, March 12, 6-8 pm", DateRole.EXAM, "Midterm 1"),
        ("The final exam is on May 5", DateRole.EXAM, "final exam"),
        ("MLK day, no classes: January 16", DateRole.HOLIDAY, "MLK day, no classes: January 16"),
        ("Spring break: March 23-27", DateRole.HOLIDAY, "Spring break: March 23-27"),
        ("Fall recess is October 12", DateRole.HOLIDAY, "Fall recess is October 12"),
    ],
)
def test_exams_and_holidays_are_read(line: str, role: DateRole, title: str) -> None:
    [statement] = read_line(line, Context())
    assert (statement.role, statement.title) == (role, title)


@pytest.mark.parametrize(
    ("line", "exams"),
    [
        ("We will have one exam on April 14 and a final on May 5", ["04-14", "05-05"]),
        ("Midterm 1 is on March 3, Midterm 2 on April 7, and the final on May 5", ["03-03", "04-07", "05-05"]),
        ("March 3: Midterm 1, April 7: Midterm 2", ["03-03", "04-07"]),
    ],
)
def test_of_several_exams_in_a_line_each_has_its_own_date(line: str, exams: list[str]) -> None:
    assert [(role, day) for role, _, day in said(line)] == [("exam", day) for day in exams]
    assert said(line)[-1][1] in ("Final exam", "Midterm 2")


@pytest.mark.parametrize(
    "line",
    [
        "Review for the midterm: March 10",
        "Grades of the final exam come on May 9",
        "The term runs from January 20 to May 8, with spring break",
        "The draft may be sent after spring break, by April 2",
        "After the coffee break on March 3",
    ],
)
def test_what_is_around_an_exam_is_none(line: str) -> None:
    assert said(line) == []


@settings(max_examples=200, deadline=None)
@given(line=st.text(max_size=200))
def test_any_line_is_read(line: str) -> None:
    list(read_line(line, SHEET))


@pytest.mark.parametrize(
    "line",
    [
        "The makeup exam for the March 3 midterm is on March 17",
        "Midterm results on March 10, exam was on March 3",
        "Exams: March 3, April 7, May 5",
    ],
)
def test_of_several_dates_one_that_may_be_of_something_else_is_not_said(line: str) -> None:
    assert said(line) == []


@pytest.mark.parametrize("line", ["Reading break: February 17-21", "Study break: March 2", "Week 8: Break, March 3"])
def test_breaks_are_holidays(line: str) -> None:
    assert [role for role, _, _ in said(line)] == ["holiday"]

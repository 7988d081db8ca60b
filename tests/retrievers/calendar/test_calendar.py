"""What a course's material says together, and what a question finds in it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.facts import FactKind, Moment
from core.store.facts import CourseFacts
from core.store.tables import EventRow, StaffRow, WorkRow
from core.types import Passage, Position, Source, Visibility
from retrievers.calendar.calendar import build_calendar
from retrievers.calendar.lookup import is_about_late_work, look_up
from retrievers.calendar.model import Calendar
from retrievers.calendar.periods import Period, read_period
from retrievers.calendar.years import term_of

TODAY = date(2026, 2, 16)
"""A Monday."""


def passage(block: str, source: Source = Source.LOGISTICS) -> Passage:
    return Passage(
        block_id=block, document_id=block, document=f"{block}.md", title=block, source=source, heading_path=(), text="",
        visibility=Visibility.STUDENT, position=Position(start=0, end=0), score=0.0,
    )  # fmt: skip


def work(
    block: str, kind: str, number: str, due: str, *, own: bool = False, change: bool = False, title: str = ""
) -> WorkRow:
    month, day = map(int, due.split("-"))
    return WorkRow(
        node_id=block, ordinal=0, course_id="c", kind=kind, number=number, title=title, is_own=own, is_change=change,
        due=Moment(month=month, day=day).model_dump(exclude_defaults=True), quote=f"{kind} {number} {due}",
    )  # fmt: skip


def event(kind: FactKind, title: str, day: str, week: int | None = None) -> EventRow:
    month, number = map(int, day.split("-"))
    at = Moment(month=month, day=number).model_dump(exclude_defaults=True)
    return EventRow(node_id="plan", ordinal=0, course_id="c", kind=kind, title=title, at=at, week=week, quote=title)


SHEET, PLAN, NEWS, BOOK = (
    passage("sheet", Source.ASSIGNMENT),
    passage("plan"),
    passage("news"),
    passage("book", Source.TEXTBOOK),
)


def calendar(
    *rows: WorkRow | EventRow | StaffRow, passages: tuple[Passage, ...] = (SHEET, PLAN, NEWS, BOOK)
) -> Calendar:
    facts = CourseFacts(
        [row for row in rows if isinstance(row, WorkRow)],
        [row for row in rows if isinstance(row, EventRow)],
        [row for row in rows if isinstance(row, StaffRow)],
    )
    return build_calendar(facts, passages, "Weaving, Spring 2026", TODAY)


def found(query: str, *rows: WorkRow | EventRow | StaffRow) -> list[tuple[str, str]]:
    return [
        (one.fact.name, one.fact.at.text[5:10] if one.fact.at else one.fact.details)
        for one in look_up(calendar(*rows), query, TODAY)
    ]


HOMEWORK = work("sheet", "homework", "3", "02-19", own=True)


@pytest.mark.parametrize(
    "query",
    [
        "when is homework 3 due?", "hw03 deadline", "When is the third homework due?", "PS 3 due date?",
        "when do I hand in assignment 3", "wann ist Hausaufgabe 3 fällig?", "¿cuándo se entrega la tarea 3?",
    ],
)  # fmt: skip
def test_one_work_has_many_names(query: str) -> None:
    assert found(query, HOMEWORK, work("plan", "homework", "2", "02-12")) == [("Homework 3", "02-19")]


def test_a_course_that_has_both_kinds_tells_them_apart() -> None:
    other = work("plan", "assignment", "3", "03-01", own=True)
    assert found("when is hw 3 due", HOMEWORK, other) == [("Homework 3", "02-19")]
    assert found("when is assignment 3 due", HOMEWORK, other) == [("Assignment 3", "03-01")]


def test_nothing_is_said_of_a_work_without_a_date() -> None:
    assert found("when is homework 9 due?", HOMEWORK) == []
    assert found("how do I solve homework 3?", HOMEWORK) == []


def test_the_sheet_knows_best_and_the_other_date_is_said_too() -> None:
    wrong = work("plan", "homework", "3", "02-20")
    assert found("when is hw3 due", HOMEWORK, wrong) == [("Homework 3", "02-19"), ("Homework 3", "02-20")]
    [disputed] = calendar(HOMEWORK, wrong).disputed
    assert [option.said[0].passage for option in disputed.due] == [SHEET, PLAN]


def test_a_change_comes_before_the_sheet_and_what_a_book_says_in_passing_counts_little() -> None:
    changed = work("news", "homework", "3", "02-26", change=True)
    assert found("when is hw3 due", HOMEWORK, changed)[0] == ("Homework 3", "02-26")
    assert found("when is hw3 due", HOMEWORK, work("book", "homework", "3", "02-02")) == [("Homework 3", "02-19")]


def test_a_date_of_another_year_is_of_an_earlier_run() -> None:
    old = work("plan", "homework", "3", "02-12")
    old.due = {"month": 2, "day": 12, "year": 2024}
    assert found("when is hw3 due", HOMEWORK, old) == [("Homework 3", "02-19")]


def test_a_stretch_of_days_may_end_in_the_next_month() -> None:
    period = read_period("what happens from January 30 - February 3?", TODAY)
    assert period == Period(date(2026, 1, 30), date(2026, 2, 3))


def test_of_two_dates_the_one_with_the_wrong_weekday_is_of_another_run() -> None:
    new, old = work("plan", "homework", "3", "02-19"), work("sheet", "homework", "3", "02-22", own=True)
    new.due = {"month": 2, "day": 19, "weekday": 3}
    old.due = {"month": 2, "day": 22, "weekday": 3}
    assert found("when is hw3 due", new, old) == [("Homework 3", "02-19")]
    assert found("when is hw3 due", old) == [("Homework 3", "02-22")]


def test_what_only_staff_may_read_is_in_no_calendar_of_students() -> None:
    assert look_up(calendar(HOMEWORK, passages=(PLAN,)), "when is hw 3 due?", TODAY) == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("what is due this week?", ["Homework 3"]),
        ("Is anything due next week?", ["Project 1"]),
        ("what's due tomorrow?", []),
        ("Was ist nächste Woche fällig?", ["Project 1"]),
        ("is there an exam next week", ["Project 1", "Midterm"]),
        ("Which lecture is in the fourth week?", ["Silk"]),
    ],
)
def test_relative_terms_are_counted_from_the_day_of_the_question(query: str, names: list[str]) -> None:
    rows = (
        HOMEWORK, work("plan", "project", "1", "02-25"), event(FactKind.EXAM, "Midterm", "02-27"),
        event(FactKind.LECTURE, "Silk", "03-05", week=4),
    )  # fmt: skip
    assert [name for name, _ in found(query, *rows)] == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("is there class on march 9?", ["Spring break"]),
        ("do we have class on 3/5", ["Silk"]),
        ("What is due on February 19?", ["Homework 3"]),
        ("is there class on march 11?", ["Spring break"]),
        ("I was in class on March 5. Why is my lecture note gone", []),
        ("I got 2/19 on the quiz, is that a fail in class?", []),
    ],
)
def test_a_day_that_is_asked_for_is_looked_up(query: str, names: list[str]) -> None:
    holiday = event(FactKind.HOLIDAY, "Spring break", "03-09")
    holiday.last_day = 13
    rows = (HOMEWORK, event(FactKind.LECTURE, "Silk", "03-05"), holiday)
    assert [name for name, _ in found(query, *rows)] == names


def test_a_day_is_of_the_courses_term_whenever_it_is_asked_for() -> None:
    known = calendar(event(FactKind.HOLIDAY, "Spring break", "03-09"))
    assert [one.fact.name for one in look_up(known, "is there class on march 9?", date(2026, 11, 27))] == [
        "Spring break"
    ]


def test_a_line_that_several_pages_repeat_counts_once() -> None:
    own = work("plan", "homework", "3", "02-19")
    copies = [work(block, "homework", "3", "02-20") for block in ("news", "book", "sheet")]
    assert found("when is hw3 due", own, *copies)[0] == ("Homework 3", "02-19")


def test_a_numbered_exam_is_found_whatever_the_course_calls_it() -> None:
    first, second = work("plan", "prelim", "1", "03-04"), work("plan", "prelim", "2", "04-08")
    assert found("when is prelim 2?", first, second) == [("Prelim 2", "04-08")]
    assert found("when is the exam 2", first, second) == [("Prelim 2", "04-08")]


def test_a_work_is_found_by_its_title_unless_the_question_means_another_one() -> None:
    proposal, paper = (
        work("plan", "", "", "02-27", title="Project proposal"),
        work("plan", "", "", "03-27", title="Quiz 2"),
    )
    assert found("When is the proposal for the project due?", proposal, paper) == [("Project proposal", "02-27")]
    assert found("When is the quiz 6 due?", proposal, paper) == []


def test_office_hours_are_those_of_whom_the_question_names() -> None:
    rows = [
        StaffRow(node_id="plan", ordinal=n, course_id="c", name=name, hours=hours, quote=hours)
        for n, (name, hours) in enumerate((("Ada Byron", "Mon 10-11"), ("Karl Gauss", "Tue 12-13")))
    ]
    assert found("When are Gauss's office hours?", *rows) == [("Karl Gauss", "Tue 12-13")]
    assert found("When are Prof. Noether's office hours?", *rows) == []
    assert len(found("when are office hours", *rows)) == 2


@pytest.mark.parametrize(
    ("query", "is_asked"),
    [
        ("my hw will be a day late, how many points do I lose?", True),
        ("Can I still hand it in late?", True),
        ("Was passiert, wenn ich das Blatt zu spät abgebe?", True),
        ("I came 20 minutes late on Tuesday, what did she say?", False),
        ("I came late to the lab today, where is the projector cable?", False),
        ("Is it too late to change project groups?", False),
        ("Does Grace like this project?", False),
        ("¿Puedo preguntar esta tarde por la tarea?", False),
    ],
)
def test_a_rule_for_late_work_is_about_work_that_is_late(query: str, is_asked: bool) -> None:
    assert is_about_late_work(query) == is_asked


def test_the_year_is_that_of_the_title_or_that_in_which_the_weekdays_fit() -> None:
    fridays = [Moment(month=2, day=day, weekday=4) for day in (6, 13, 20)]
    assert term_of("Weaving, Spring 2023", fridays, TODAY).year == 2023
    assert term_of("Weaving", fridays, TODAY).year == 2026
    autumn = term_of("Fall 2025", [Moment(month=month, day=5) for month in (9, 10, 11, 1)], TODAY)
    assert autumn.place(Moment(month=1, day=5)).year == 2026
    assert autumn.place(Moment(month=9, day=5)).year == 2025


@pytest.mark.parametrize(
    ("title", "year"),
    [
        ("Weaving, Fall 2024", 2024), ("Weaving (FA24)", 2024), ("Weaving, Spring '25", 2025),
        ("CS 2060, 2024 autumn", 2024),
        ("WS 2024/25: Weben", 2024), ("Tejer, otoño 2024", 2024), ("CS 2010 Spring 2026", 2026),
        ("PHYS 2020, Spring 2026", 2026), ("ECON 2020 - Fall 2024", 2024),
    ],
)  # fmt: skip
def test_a_year_beside_the_word_for_a_term_is_certain(title: str, year: int) -> None:
    term = term_of(title, [], TODAY)
    assert (term.year, term.is_named) == (year, True)


@pytest.mark.parametrize("title", ["MATH 2010, Section 12", "Weaving, Term 02", "Summer 12-week course", "Quarter 04"])
def test_the_number_of_a_course_is_no_certain_year(title: str) -> None:
    fridays = [Moment(month=2, day=day, weekday=4) for day in (6, 13, 20)] * 10
    term = term_of(title, fridays, TODAY)
    assert (term.year, term.is_named) == (2026, False)


def test_a_title_is_not_certain_where_most_dates_are_of_another_year() -> None:
    assert not term_of("Weaving, Fall 2024", [Moment(month=2, day=5, year=2026)] * 9, TODAY).is_named


@given(day=st.dates(date(2020, 1, 1), date(2030, 1, 1)))
def test_a_period_begins_and_ends_around_its_day(day: date) -> None:
    this, following = read_period("this week", day), read_period("next week", day)
    assert this is not None
    assert this.covers(day, None)
    assert following is not None
    assert not following.covers(day, None)
    assert read_period("week 7", day) == Period(week=7)
    assert read_period("how does a loom work", day) is None


def test_a_date_is_cited_from_what_students_may_read_where_that_says_it_too() -> None:
    solution = passage("key", Source.ASSIGNMENT).model_copy(update={"visibility": Visibility.STAFF})
    rows = (work("key", "homework", "3", "02-19", own=True), work("plan", "homework", "3", "02-19"))
    (first,) = look_up(calendar(*rows, passages=(solution, PLAN)), "when is hw 3 due?", TODAY)
    assert first.passage.block_id == "plan"

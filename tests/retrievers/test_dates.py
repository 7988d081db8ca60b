"""When something is, looked up in a course's material."""

from __future__ import annotations

import pytest

from core.types import Passage, Position, Source, Visibility
from retrievers.dates import asks_when, dated_passages, has_date, statements_in


def passage(document: str, text: str, *headings: str, source: Source = Source.LOGISTICS) -> Passage:
    return Passage(
        block_id=f"{document}/{text[:20]}",
        document_id=document,
        document=document,
        title=headings[0] if headings else document,
        heading_path=headings,
        source=source,
        text=text,
        position=Position(start=0, end=0),
        score=0.0,
        visibility=Visibility.STUDENT,
    )


SHEET = passage("sheet4.md", "Mix the dyes.", "Colour 101", "Homework 4, due Friday May 12", source=Source.ASSIGNMENT)
FOLDER = passage("assign2/README.md", "**Due: Tuesday, April 28 at 5:00 pm**", "Weaving", source=Source.ASSIGNMENT)
TABLE = passage(
    "plan.md", "| Week | Topic | Due |\n|---|---|---|\n| 3 | Felt | Lab 2, 9/21 |\n| 4 | Silk | Lab 3, 9/28 |", "Plan"
)
WEEK = passage("weeks.md", "- looms and yarns\n- problem set 5 due at the start of class", "Weeks", "Monday 3 October")
ESSAY = passage("essay.md", "The essay on guilds is due on 2 December.\nWrite 800 words.", "Essay")
POLICY = passage("policy.md", "Homework is due on Fridays at noon.", "Policies")
EVERYTHING = (SHEET, FOLDER, TABLE, WEEK, ESSAY, POLICY)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("when is hw 4 due?", SHEET),
        ("assignment 2 deadline", FOLDER),
        ("when do we hand in lab 3", TABLE),
        ("ps5 due date?", WEEK),
        ("when is the essay about guilds due", ESSAY),
        ("wann ist die Abgabe von Blatt 5?", WEEK),
    ],
)
def test_a_date_is_found_whatever_the_layout_it_stands_in(query: str, expected: Passage) -> None:
    assert dated_passages(query, statements_in(EVERYTHING), 2)[:1] == [expected]


def test_a_date_of_another_work_is_none_of_the_work_that_is_named() -> None:
    assert SHEET not in dated_passages("when is hw 9 due?", statements_in(EVERYTHING), 5)
    assert dated_passages("when is lab 7 due?", statements_in(EVERYTHING), 5) == []


def test_who_asks_for_no_date_gets_none() -> None:
    assert not asks_when("how do I mix the dyes in homework 4?")
    assert dated_passages("how do I mix the dyes in homework 4?", statements_in(EVERYTHING), 2) == []


@pytest.mark.parametrize(
    "text", ["May 12", "12th of May", "2031-05-12", "5/12", "Am 12.5. um 10:00 Uhr", "jueves", "at 5 pm", "5月12日"]
)
def test_dates_and_times_are_read_in_many_forms(text: str) -> None:
    assert has_date(text)


@pytest.mark.parametrize("text", ["section 3.2", "version 1.10", "you may work in pairs", "question 12", "ratio 25/40"])
def test_other_numbers_are_no_dates(text: str) -> None:
    assert not has_date(text)

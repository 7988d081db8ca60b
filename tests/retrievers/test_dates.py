"""Who asks for a date, and what has one."""

from __future__ import annotations

import pytest

from retrievers.dates import asks_for_date, asks_only_for_date, asks_when, has_date


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("", "when is hw 4 due?"),
        ("hw 3 deadline", "see above"),
        ("", "in the slides it says hw4 due 11/21. when is it actually due"),
        ("", "is homework 5 due before or after the break? what date"),
        ("", "Wann ist die Abgabe von Blatt 5?"),
        ("", "¿Cuándo se entrega la tarea 2?"),
        ("", "作业3什么时候截止"),
    ],
)
def test_a_question_for_a_date_is_known_in_many_forms(title: str, body: str) -> None:
    assert asks_for_date(body, title)


@pytest.mark.parametrize(
    "body",
    [
        "does anyone have the answers to problem set 1? due tonight!!!",
        "can someone post the working? its due in an hour",
        "how do I mix the dyes in homework 4?",
        "The deadline passed 2 days ago and I want to check mine",
    ],
)
def test_who_only_mentions_a_deadline_does_not_ask_for_it(body: str) -> None:
    assert not asks_for_date(body, "")


@pytest.mark.parametrize(
    ("body", "only"),
    [
        ("when is problem set 1 due, wed or mon?? the pages say different things", True),
        ("is homework 5 due before or after the break? what date", True),
        ("how much does the midterm count and whats the last day to hand it in?", False),
        ("Do we have to do homework 10? And if i want to, when is it due?", False),
        ("what day/time is the final exam and is it on paper or online again?", False),
        ("When is the proposal due? and do you reimburse parts we buy", False),
    ],
)
def test_what_else_a_post_asks_is_noticed(body: str, only: bool) -> None:
    assert asks_only_for_date(body) is only


def test_a_search_is_generous() -> None:
    assert asks_when("homework 3 due")
    assert not asks_when("how do I mix the dyes in homework 4?")


@pytest.mark.parametrize(
    "text", ["May 12", "12th of May", "2031-05-12", "5/12", "Am 12.5. um 10:00 Uhr", "jueves", "at 5 pm", "5月12日"]
)
def test_dates_and_times_are_read_in_many_forms(text: str) -> None:
    assert has_date(text)


@pytest.mark.parametrize("text", ["section 3.2", "version 1.10", "you may work in pairs", "question 12", "ratio 25/40"])
def test_other_numbers_are_no_dates(text: str) -> None:
    assert not has_date(text)


@pytest.mark.parametrize(
    "body",
    ["Which entity is kept when two overlap?", "when I run the cell it fails", "How do I sort when there are ties?"],
)
def test_a_condition_asks_for_no_date(body: str) -> None:
    assert not asks_for_date(body)


@pytest.mark.parametrize("body", ["does anyone know when the quiz is", "until when can I switch", "when hw 3 due?"])
def test_when_asks_before_its_verb_and_behind_words_of_knowing(body: str) -> None:
    assert asks_for_date(body)

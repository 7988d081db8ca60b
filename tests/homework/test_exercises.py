"""Exercises of a course, recognised by their wording."""

from __future__ import annotations

import pytest

from core.types import Passage, Source, Visibility
from homework.exercises import exercise_with_text, homework_task
from tests.pipelines.runs import passage

FARE = (
    "Exercise 1.1: Bus fare\n\nA ticket costs 1.20 euro plus 0.80 euro for each zone. Write a function `fare(zones)` "
    "that returns the price of a ticket, rounded to two decimals."
)
EXAMPLES = "\n\nExamples:\n\n```\n>>> fare(2)\n2.8\n```"
TASKS = [
    passage("fare", FARE + EXAMPLES, source=Source.ASSIGNMENT),
    passage("clock", "Exercise 1.2: Clock\n\nWrite a function `clock(minutes)` that returns the time as text, such as "
            "14:05. The hours have no leading zero, the minutes always have two digits.", source=Source.ASSIGNMENT),
]  # fmt: skip


def recognised(text: str, *tasks: Passage) -> str | None:
    found = exercise_with_text(tasks or TASKS, text)
    return found.block_id if found else None


@pytest.mark.parametrize(
    "text",
    [
        FARE,
        FARE + EXAMPLES,
        FARE.partition("\n\n")[2].replace("`", ""),
        f"# Week 1\n\n{FARE.replace('. ', '.  ')}\n\nSubmit before Sunday. Good luck with it, and ask on the forum!",
    ],
)
def test_an_exercise_is_recognised_by_its_text(text: str) -> None:
    assert recognised(text) == "fare"


@pytest.mark.parametrize(
    "text", ["", "fare", "Write a function that returns the price.", "Write a function `area(w, h)` that returns the "
             "area of a rectangle with the sides w and h, rounded to two decimals."]
)  # fmt: skip
def test_another_exercise_or_too_few_words_are_not_recognised(text: str) -> None:
    assert recognised(text) is None


def test_what_only_staff_may_read_is_not_recognised() -> None:
    assert recognised(FARE, TASKS[0].model_copy(update={"visibility": Visibility.STAFF})) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A stone falls for 3 s. (a) How fast is it then? (b) How far has it fallen?", 2),
        ("Solve:\n(a) x + 1 = 2\n(b) x^2 = 4\n(c) 2x = 6", 3),
        ("How fast is it then?", 1),
        ("Let f(x) = (a) x be given.", 1),
    ],
)
def test_parts_are_counted_at_the_beginning_of_lines_and_within_them(text: str, parts: int) -> None:
    task = passage("stone", text, source=Source.ASSIGNMENT)
    assert homework_task(task, [task], [task]).parts == parts

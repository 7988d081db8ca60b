"""Quotes as models really write them: with an ellipsis, or under the number of another passage."""

from __future__ import annotations

import pytest

from core.types import Question, Visibility
from safeguards.checks import Checks, checked
from safeguards.source_numbers import with_right_numbers
from safeguards.statements import Examined
from tasks import Quoted, Statement, WrittenAnswer
from tests.pipelines.runs import passage

QUESTION = Question(body="When is homework 3 due, and why does my loop never come to an end?")
RULES = passage("rules", "Homework 3 is due on Thursday, February 19, at noon. Late work loses ten points a day.")
CODE = passage("code", "Use `(?:...)` when you only want to group. Then write residuals = ... in the cell… and run it.")
STAFF = passage("staff", "The key to the exam lies in the second drawer.", visibility=Visibility.STAFF)
SHOWN = (RULES, CODE, STAFF)


def answer_with(number: int, quote: str, text: str = "This is what the material of the course says.") -> WrittenAnswer:
    statement = Statement(text=text, sources=(Quoted(passage=number, quote=quote),))
    return WrittenAnswer(status="answered", statements=(statement,), confidence=0.8)


def numbers(written: WrittenAnswer) -> list[int]:
    return [source.passage for source in with_right_numbers(written, SHOWN, QUESTION).citations]


@pytest.mark.parametrize(
    ("number", "quote"),
    [
        (2, "Use `(?:...)` when you only want to group."),
        (2, "residuals = ... in the cell"),
        (2, "in the cell… and run it"),
        (1, "Homework 3 is due ... Late work loses ten points"),
        (1, "Homework 3 is due … Late work loses"),
        (1, "Homework 3 is due [...] Late work loses"),
    ],
)
def test_a_quote_with_an_ellipsis_stands_as_a_whole_or_in_parts(number: int, quote: str) -> None:
    examined = Examined(answer_with(number, quote), SHOWN, QUESTION)
    answer = checked(examined, Checks(QUESTION, SHOWN))
    assert (examined.unsupported, [one.verified for one in answer.citations]) == (frozenset(), [True])


@pytest.mark.parametrize("wrong", [2, 3, 0, 99])
def test_a_right_quote_under_a_wrong_number_names_the_passage_where_it_stands(wrong: int) -> None:
    assert numbers(answer_with(wrong, "is due on Thursday, February 19")) == [1]


def test_a_reference_in_the_text_moves_with_its_quote() -> None:
    written = answer_with(2, "is due on Thursday, February 19", "Homework 3 is due on February 19 [2].")
    answer = checked(Examined(with_right_numbers(written, SHOWN, QUESTION), SHOWN, QUESTION), Checks(QUESTION, SHOWN))
    assert [(one.block_id, one.verified) for one in answer.citations] == [("rules", True)]
    assert answer.markdown == "Homework 3 is due on February 19 [1]."


@pytest.mark.parametrize(
    ("number", "quote"),
    [
        (1, "Homework 3 is due on Thursday"),
        (2, "is due on Friday, February 20"),
        (2, "Late work"),
        (0, "why does my loop never come"),
        (1, "key to the exam lies in the second drawer"),
    ],
    ids=["right", "nowhere", "too short to tell", "the student's", "for staff alone"],
)
def test_any_other_number_stays(number: int, quote: str) -> None:
    assert numbers(answer_with(number, quote)) == [number]

"""Sentences about what a course's calendar says."""

from __future__ import annotations

import pytest

from core.facts import Fact, FactKind, Moment
from core.types import Passage, Position, Question, Source, Visibility
from offline.phrases import PHRASES
from tasks import WriteAnswer
from tests.offline.writing import written

DUE = Moment(month=2, day=19, year=2026, weekday=3, time="23:59")


def passage(block: str, *facts: Fact, visibility: Visibility = Visibility.STUDENT) -> Passage:
    return Passage(
        block_id=block, document_id=block, document=f"{block}.md", title=block,
        source=Source.LOGISTICS, heading_path=(),
        text="\n".join(fact.quote for fact in facts), visibility=visibility,
        position=Position(start=0, end=0), score=1.0, facts=facts,
    )  # fmt: skip


def due(at: Moment = DUE, *, quote: str = "Due: Thursday, Feb 19, 11:59 pm", disputed: bool = False) -> Fact:
    return Fact(kind=FactKind.DUE, name="Homework 3", at=at, quote=quote, disputed=disputed)


def answer(body: str, *passages: Passage, language: str | None = None) -> str:
    question = Question(body=body, language=language)
    return written(WriteAnswer(course="c", course_id="c", question=question, passages=passages)).answer


def test_a_date_is_said_in_one_sentence_with_its_citation_above_the_words_that_say_it() -> None:
    said = answer("When is homework 3 due?", passage("a", due()))
    assert "**Homework 3** is due Thursday, 19 February, 23:59 [1]." in said
    assert "> Due: Thursday, Feb 19, 11:59 pm" in said


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "ist abzugeben bis Donnerstag, 19. Februar, 23:59 Uhr [1]."),
        ("es", "se entrega el jueves, 19 de febrero, 23:59 [1]."),
        ("fr", "est à rendre pour le jeudi 19 février, 23:59 [1]."),
        ("nl", "moet binnen zijn op donderdag 19 februari, 23:59 [1]."),
        ("zh", "的截止时间是2月19日星期四 23:59 [1]。"),
    ],
)
def test_it_is_said_in_the_students_language(language: str, sentence: str) -> None:
    assert sentence in answer("When is homework 3 due?", passage("a", due()), language=language)


def test_every_kind_of_fact_but_rules_has_a_sentence_in_every_language() -> None:
    assert all(set(phrases.facts) == set(FactKind) - {FactKind.LATE} for phrases in PHRASES.values())


def test_two_dates_are_both_said_and_less_sure() -> None:
    other = Moment(month=2, day=20, year=2026)
    task = WriteAnswer(
        course="c", course_id="c", question=Question(body="When is homework 3 due?"),
        passages=(passage("a", due(disputed=True)), passage("b", due(other, quote="hw3: Feb 20", disputed=True))),
    )  # fmt: skip
    result = written(task)
    assert "[1]; another page says Friday, 20 February [2]. Ask staff" in result.answer
    assert result.confidence < 0.8


def test_a_weekday_that_does_not_fit_its_day_is_left_out() -> None:
    assert "is due 19 February [1]" in answer(
        "When is homework 3 due?", passage("a", due(Moment(month=2, day=19, year=2026, weekday=1)))
    )


@pytest.mark.parametrize(
    "body",
    [
        "Can someone post the answers to homework 3? it's due in an hour",
        "I missed the homework 3 deadline. How many points do I lose?",
    ],
)
def test_who_does_not_ask_for_a_date_gets_none(body: str) -> None:
    assert "is due" not in answer(body, passage("a", due()))


def test_a_fact_for_staff_is_not_said() -> None:
    assert "February" not in answer("When is homework 3 due?", passage("a", due(), visibility=Visibility.STAFF))


@pytest.mark.parametrize(
    "body",
    [
        "When do the solutions of homework 3 go online?",
        "homework 3 is not on the midterm, but plots are? And when is a log axis a bad idea?",
        "In homework 3, which row is kept when two overlap?",
    ],
)
def test_who_asks_when_something_else_is_gets_no_due_date(body: str) -> None:
    assert "is due" not in answer(body, passage("a", due()))


def test_an_exam_is_held_and_one_that_is_handed_in_is_due() -> None:
    exam = due(quote="Midterm: Thursday, Feb 19").model_copy(update={"name": "Midterm"})
    assert "**Midterm** is on Thursday, 19 February" in answer("When is the midterm?", passage("a", exam))
    home = due().model_copy(update={"name": "Midterm"})
    assert "**Midterm** is due Thursday, 19 February" in answer("When is the midterm due?", passage("a", home))

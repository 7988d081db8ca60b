"""The Student: short answers from one section, and a submission of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import InvalidInput
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, TaskSubmission
from eval.sensemaking.student import answers_of, course_of, questions_to_answer, shortened
from offline.phrases import PHRASES
from tests.fakes import FakeEmbedder

SECTION = Section(path="a/b/c", text="Bees dance. They tell where nectar is.", questions={})
QUESTIONS = TaskSubmission(
    kind=ListKind.QUESTIONS,
    lists={
        "a/b/c/questions.json": (("Why do bees dance?", "To tell."), ("Who sings?",)),
        "x/y/z/questions.json": (("?",),),
    },
)


def outcome(*rows: tuple[int, Any, Any]) -> Any:
    """An outcome with these rows: number, output, error."""
    found = [
        SimpleNamespace(item=f"a/b/c/questions.json row {row}", seed=0, output=output, error=error)
        for row, output, error in rows
    ]
    return SimpleNamespace(rows=tuple(found))


def test_an_answer_loses_references_markup_and_the_names_of_places() -> None:
    markdown = "From section-1, page 2:\n\n> Bees **dance** to tell others. [1]\n\nSee also: section-1 [1]"
    assert shortened(markdown, "Why do bees dance?", FakeEmbedder(), 40) == "Bees dance to tell others."


def test_an_answer_does_not_say_that_it_is_extracted() -> None:
    markdown = f"{PHRASES['en'].preface}\n\nFrom **section-1** [1]:\n\n> Bees dance to tell others. Wasps do not."
    assert shortened(markdown, "Do wasps?", FakeEmbedder(), 40) == "Bees dance to tell others. Wasps do not."


def test_an_answer_has_at_most_its_words_but_one_sentence() -> None:
    text = "One two three four. Five six seven eight. Nine ten eleven twelve."
    assert len(shortened(text, "four?", FakeEmbedder(), 8).split()) == 8
    assert len(shortened(text, "four?", FakeEmbedder(), 2).split()) == 4
    assert shortened("", "four?", FakeEmbedder(), 8) == ""


def test_a_section_is_a_course_of_its_own_that_changes_with_its_text() -> None:
    other = SECTION.model_copy(update={"text": "Other."})
    assert course_of(SECTION).id == course_of(SECTION).id != course_of(other).id
    assert course_of(SECTION).abstain_below == 0


def test_questions_of_unknown_sections_are_named() -> None:
    dataset, problems = questions_to_answer(Sections(found=(SECTION,)), QUESTIONS)
    assert [item.question for item in dataset.items] == ["Why do bees dance?", "Who sings?"]
    assert problems == ["x/y/z/questions.json: the folder has no usable section x/y/z."]
    with pytest.raises(InvalidInput, match="no question to answer"):
        questions_to_answer(Sections(found=()), QUESTIONS)


def test_an_abstention_is_a_row_without_an_answer() -> None:
    given = answers_of(QUESTIONS, outcome((0, "To tell others.", None), (1, None, None)))
    assert given.lists == {"a/b/c/answers.json": (("Why do bees dance?", "To tell others."), ("Who sings?",))}
    assert given.problems == ()


def test_a_list_with_a_failure_is_named_and_left_out() -> None:
    given = answers_of(QUESTIONS, outcome((0, "To tell.", None), (1, None, {"detail": "The model is away."})))
    assert given.lists == {}
    assert given.problems == ("a/b/c/questions.json: 1 of 2 questions were not answered: The model is away.",)

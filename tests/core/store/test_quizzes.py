"""Quizzes in the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from core.access import LOCAL
from core.errors import NotFound, QuestionChanged
from core.store.quizzes import NewQuestion, QuestionReview
from core.store.store import Store
from core.store.tables import QuestionState, QuizRow
from core.types import Source


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    opened = await Store.open(database_url)
    for course in ("ds101", "other"):
        await opened.courses.put(course, {"id": course})
    yield opened
    await opened.aclose()


def new(question: str) -> NewQuestion:
    return NewQuestion("a.md", ("One", "Two"), "b1", "It is.", "definition", "rules", question, "It is.")


async def opened(store: Store) -> QuizRow:
    return await store.quizzes.open("ds101", Source.TEXTBOOK, "", LOCAL)


async def test_there_is_one_quiz_about_the_same_material(store: Store) -> None:
    both = await asyncio.gather(opened(store), opened(store))
    assert both[0].id == both[1].id
    part = await store.quizzes.open("ds101", Source.TEXTBOOK, "a.md", LOCAL)
    assert [one.id for one in await store.quizzes.of_course("ds101")] == [both[0].id, part.id]
    with pytest.raises(NotFound):
        await store.quizzes.get("other", part.id)


async def test_questions_are_numbered_on_and_asked_once(store: Store) -> None:
    quiz = await opened(store)
    assert await store.quizzes.add(quiz, [new("A?"), new("B?"), new("A?")], 5) == 2
    await store.quizzes.review(quiz, 1, QuestionReview(True, question="Another?"), LOCAL)
    assert await store.quizzes.add(quiz, [new("A?"), new("C?"), new("D?")], 1) == 1
    rows = await store.quizzes.questions(quiz)
    assert [(one.number, one.question, one.heading_path) for one in rows] == [
        (1, "Another?", ["One", "Two"]),
        (2, "B?", ["One", "Two"]),
        (3, "C?", ["One", "Two"]),
    ]


async def test_states_are_counted_and_decisions_are_in_the_audit_log(store: Store) -> None:
    quiz = await opened(store)
    await store.quizzes.add(quiz, [new(f"{letter}?") for letter in "ABCD"], 4)
    await store.quizzes.review(quiz, 1, QuestionReview(False), LOCAL)
    await store.quizzes.review(quiz, 2, QuestionReview(True, answer="Else."), LOCAL)
    assert await store.quizzes.keep_open(quiz, LOCAL) == 2
    states = {QuestionState.DROPPED: 1, QuestionState.EDITED: 1, QuestionState.KEPT: 2}
    assert await store.quizzes.counts("ds101") == {quiz.id: states}
    actions = [one.action for one in await store.audit.page()]
    assert sorted(actions) == ["quiz.create", "quiz.keep_open", "quiz.review", "quiz.review"]
    with pytest.raises(QuestionChanged):
        await store.quizzes.review(quiz, 3, QuestionReview(False, version=1), LOCAL)


async def test_a_deleted_quiz_takes_no_more_questions(store: Store) -> None:
    quiz = await opened(store)
    await store.quizzes.add(quiz, [new("A?")], 1)
    await store.quizzes.delete(quiz, LOCAL)
    assert await store.quizzes.questions(quiz) == []
    with pytest.raises(NotFound):
        await store.quizzes.add(quiz, [new("B?")], 1)
    assert (await opened(store)).id != quiz.id

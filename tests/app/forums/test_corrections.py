"""A text that was corrected after it was posted, on Discourse's double."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.forums.shape import Capabilities, ForumRefused, StaffDraft
from core.review import Outcome
from core.store.forums import mark_of
from core.store.store import Store
from core.store.tables import ForumPostKind, ForumPostState
from tests.app.forums.cases import discourse_engine, settle
from tests.doubles.board import BoardPost, Fault, Killed
from tests.doubles.discourse import DiscourseDouble
from tests.doubles.storm import COURSE


class Table:
    """A question that was answered in the forum."""

    def __init__(self, store: Store) -> None:
        self.store, self.double = store, DiscourseDouble()
        self.engine: Any = discourse_engine(store, self.double)

    async def answer(self) -> str:
        await settle(self.engine, self.double)
        self.question = self.double.board.ask(self.double.board.user("s_17", "Ada Byronson"), "HW3", "When is HW3 due?")
        await settle(self.engine, self.double)
        self.draft_id = list(self.engine.desk.asked)[-1]
        await self.engine.desk.decide(self.draft_id, Outcome.APPROVED)
        await settle(self.engine, self.double)
        return str(self.draft_id)

    async def correct(self, text: str = "It is due on Monday.") -> None:
        await self.engine.desk.correct(self.draft_id, text)

    @property
    def answers(self) -> list[BoardPost]:
        posts = self.double.board.thread(self.question.thread)
        return [post for post in posts if post.user is self.double.bot and not post.is_deleted]

    @property
    def edits(self) -> int:
        return sum(request.method == "PUT" for _, request in self.double.log)

    async def corrections(self) -> list[ForumPostState]:
        posts = await self.store.forums.posts(COURSE)
        return [post.state for post in posts if post.kind is ForumPostKind.CORRECTION]


@pytest.fixture
async def table(store: Store) -> Table:
    table = Table(store)
    await table.answer()
    return table


async def test_a_correction_changes_the_post_once(table: Table) -> None:
    await table.correct()
    for _ in range(3):
        await settle(table.engine, table.double, 400)
    (post,) = table.answers
    assert "Monday" in post.text
    assert "Friday" not in post.text
    assert table.edits == 1


async def test_a_correction_makes_its_course_due(table: Table) -> None:
    assert COURSE not in await table.store.forums.due([COURSE], table.double.board.now)
    await table.correct()
    assert COURSE in await table.store.forums.due([COURSE], table.double.board.now)


async def test_a_second_correction_changes_the_post_again(table: Table) -> None:
    for day in ("Monday", "Tuesday"):
        await table.correct(f"It is due on {day}.")
        await settle(table.engine, table.double)
    assert "Tuesday" in table.answers[0].text
    assert table.edits == 2


async def test_only_the_last_of_two_corrections_at_once_is_brought_there(table: Table) -> None:
    await table.correct()
    await table.correct("It is due on Tuesday.")
    await settle(table.engine, table.double)
    assert "Tuesday" in table.answers[0].text
    assert table.edits == 1


async def test_a_post_that_was_deleted_in_the_forum_is_not_made_again(table: Table) -> None:
    table.double.board.delete(table.answers[0])
    await table.correct()
    for _ in range(3):
        await settle(table.engine, table.double, 400)
    assert table.answers == []
    assert table.edits == 0
    assert await table.corrections() == [ForumPostState.CANCELLED]


async def test_an_answer_that_was_withdrawn_is_deleted_and_not_made_again(table: Table) -> None:
    await table.correct("")
    for _ in range(3):
        await settle(table.engine, table.double, 400)
    assert table.answers == []
    await table.correct("It is due on Monday after all.")
    await settle(table.engine, table.double, 400)
    assert table.answers == []


@pytest.mark.parametrize("fault", [Fault.LATE_AFTER, Fault.KILLED_AFTER, Fault.LATE, Fault.KILLED])
async def test_a_change_whose_call_ended_unsurely_is_looked_for_before_it_is_made_again(
    table: Table, fault: Fault
) -> None:
    await table.correct()
    table.double.faults.script = [None, None, fault]  # The post is found by two requests, and changed by the third.
    try:
        while await table.engine.step():
            pass
    except Killed:
        table.engine = discourse_engine(table.store, table.double)
    (correction,) = [p for p in await table.store.forums.posts(COURSE) if p.kind is ForumPostKind.CORRECTION]
    assert correction.state in (ForumPostState.SENDING, ForumPostState.UNSURE)
    for _ in range(4):
        await settle(table.engine, table.double, 400)
    (post,) = table.answers
    assert "Monday" in post.text
    assert correction.mark in post.text
    assert table.edits == (1 if fault in (Fault.LATE_AFTER, Fault.KILLED_AFTER) else 2)
    assert await table.corrections() == [ForumPostState.POSTED]


async def test_a_correction_while_the_answer_may_have_been_posted_changes_it_afterwards(store: Store) -> None:
    table = Table(store)
    await settle(table.engine, table.double)
    table.question = table.double.board.ask(table.double.board.user("s_17", "Ada Byronson"), "HW3", "When?")
    await settle(table.engine, table.double)
    table.draft_id = list(table.engine.desk.asked)[-1]
    await table.engine.desk.decide(table.draft_id, Outcome.APPROVED)
    table.double.board.now += timedelta(seconds=20)
    table.double.faults.script = [None, None, Fault.LATE_AFTER]
    while await table.engine.step():
        pass
    await table.correct()
    for _ in range(4):
        await settle(table.engine, table.double, 400)
    (post,) = table.answers
    assert "Monday" in post.text


class WithoutEdits:
    """A forum that cannot change posts."""

    capabilities = Capabilities(StaffDraft.NONE, edit=False, delete=False, threaded=True)

    def __init__(self, forum: Any) -> None:
        self._forum = forum

    def __getattr__(self, name: str) -> Any:
        return getattr(self._forum, name)


@pytest.mark.parametrize("text", ["It is due on Monday.", ""])
async def test_where_a_post_cannot_be_changed_staff_are_told_once(table: Table, text: str) -> None:
    table.engine.posting.forum = WithoutEdits(table.engine.forum)
    await table.correct(text)
    for _ in range(3):
        await settle(table.engine, table.double, 400)
    (told,) = table.engine.desk.handed_over
    assert "correct" in told.question.body
    assert f"/t/{table.question.thread}" in told.question.body
    assert "Friday" in table.answers[0].text


async def test_where_the_forum_refuses_a_change_staff_are_told(table: Table) -> None:
    async def refuse(*_: object) -> None:
        raise ForumRefused("The forum refused the request (HTTP 422).")

    table.engine.forum.edit = refuse
    await table.correct()
    for _ in range(12):
        await settle(table.engine, table.double, 4000)
    assert len(table.engine.desk.handed_over) == 1
    assert await table.corrections() == [ForumPostState.FAILED]


async def test_an_answer_that_moderators_hold_back_is_changed_when_it_shows(store: Store) -> None:
    table = Table(store)
    table.double.enqueues = True
    draft_id = await table.answer()
    assert table.answers == []
    decision = await store.decisions.of(draft_id)
    assert decision is not None
    table.double.write(table.question.thread, f"On Friday. ({mark_of(decision.id)})")
    await table.correct()
    await settle(table.engine, table.double)
    assert "Monday" in table.answers[0].text


async def test_staff_are_told_of_a_correction_to_an_answer_that_moderators_hold_back(store: Store) -> None:
    table = Table(store)
    table.double.enqueues = True
    await table.answer()
    await table.correct()
    await settle(table.engine, table.double)
    assert len(table.engine.desk.handed_over) == 1

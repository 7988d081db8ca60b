"""What one course's forum does in particular cases, on Discourse's double."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from app.forums.border import Border
from app.forums.http import ForumResponse, checked
from app.forums.registry import connect, demand_own
from app.forums.shape import ForumAuthor, ForumPost, ForumThread, Unsure
from core.course import Course, ForumCategory, ForumRules
from core.errors import DraftChanged, InvalidInput
from core.review import Outcome
from core.store.store import Store
from core.store.tables import DecisionRow
from core.types import BodyFormat
from tests.app.forums.cases import discourse_engine, settle
from tests.doubles.board import BoardPost, Fault
from tests.doubles.discourse import DiscourseDouble
from tests.doubles.storm import COURSE, TA, engine_of, rules_of


def ask(double: DiscourseDouble, text: str = "When is homework3 due?", name: str = "Ada Byronson") -> BoardPost:
    return double.board.ask(double.board.user("s_17", name), "HW3", text)


def answers(double: DiscourseDouble, question: BoardPost) -> list[BoardPost]:
    return [post for post in double.board.thread(question.thread) if post.user is double.bot]


async def approve(engine: Any) -> str:
    draft_id: str = list(engine.desk.asked)[-1]
    await engine.desk.decide(draft_id, Outcome.APPROVED)
    return draft_id


def test_names_that_a_forum_writes_with_entities_become_pseudonyms() -> None:
    rules = ForumRules.model_validate({"kind": "discourse", "url": "https://forum.example.edu"})
    zoe = ForumAuthor("1", "zoe_m", "Zo\u00eb M\u00fcllerova")
    text = "<p>I am Zo&euml; M&#xFC;llerova: 1 &lt; 2?</p>"
    thread = ForumThread("5", ForumPost("9", zoe, text, BodyFormat.HTML, "Why?"))
    request = Border("ds101", rules, b"secret", 1_000).request(thread, ForumAuthor("2"))
    assert "llerova" not in request.question.body
    assert "1 &lt; 2" in request.question.body


async def test_nothing_is_posted_once_the_thread_was_moved_to_another_category(store: Store) -> None:
    double = DiscourseDouble()
    engine = discourse_engine(store, double)
    await settle(engine, double)
    question = ask(double)
    await settle(engine, double)
    await approve(engine)
    question.category = "12"
    await settle(engine, double)
    assert answers(double, question) == []


async def test_a_draft_is_shown_in_another_forum_only_after_that_was_tested_there(store: Store) -> None:
    double = DiscourseDouble()
    room = double.board.ask(double.bot, "Staff room", "For staff.", "9")
    engine = discourse_engine(store, double, staff_draft=True, staff_thread=str(room.thread))
    await settle(engine, double)
    double.whispers, double.may_whisper = "old", False
    rules = rules_of(double, "discourse", staff_draft=True, staff_thread=str(room.thread), place="another")
    other = engine_of(double, rules, store, engine.desk)
    await settle(other, double)
    question = ask(double)
    await settle(other, double)
    assert answers(double, question) == []


async def test_a_post_is_found_however_the_course_file_spells_the_account(store: Store) -> None:
    double = DiscourseDouble()
    engine = discourse_engine(store, double, account="EduMod")
    await settle(engine, double)
    question = ask(double)
    await settle(engine, double)
    await approve(engine)
    double.board.now += timedelta(seconds=30)
    double.faults.script = [None, None, None, Fault.LATE_AFTER]
    for _ in range(4):
        await settle(engine, double, 400)
    assert len(answers(double, question)) == 1


class FaultyForum:
    """A forum, but for one thread that makes the adapter fail in a way that nobody thought of."""

    def __init__(self, forum: Any, thread_id: str) -> None:
        self._forum, self._thread_id = forum, thread_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._forum, name)

    async def thread(self, thread_id: str) -> Any:
        if thread_id == self._thread_id:
            raise KeyError("sender_id")
        return await self._forum.thread(thread_id)


async def test_an_answer_that_fails_in_an_unknown_way_holds_up_no_other(store: Store) -> None:
    double = DiscourseDouble()
    engine: Any = discourse_engine(store, double)
    await settle(engine, double)
    first, second = ask(double), ask(double)
    await settle(engine, double)
    for draft_id in list(engine.desk.asked):
        await engine.desk.decide(draft_id, Outcome.APPROVED)
    engine.posting.forum = FaultyForum(engine.forum, str(first.thread))
    await settle(engine, double)
    assert (len(answers(double, first)), len(answers(double, second))) == (0, 1)
    engine.posting.forum = engine.forum
    await settle(engine, double, 400)
    assert len(answers(double, first)) == 1


@pytest.mark.parametrize("status", [302, 307, 408])
def test_a_redirect_does_not_say_that_nothing_was_posted(status: int) -> None:
    with pytest.raises(Unsure):
        checked(ForumResponse(status))


async def test_a_decision_that_is_undone_after_an_edit_cannot_be_made_again(store: Store) -> None:
    double = DiscourseDouble()
    engine = discourse_engine(store, double)
    await settle(engine, double)
    question = ask(double)
    await settle(engine, double)
    draft_id = await approve(engine)
    double.board.edit(question, "When is homework4 due?")
    await engine.notice(str(question.thread))
    while await engine.step():
        pass
    await store.decisions.undo(draft_id, TA, double.board.now)
    with pytest.raises(DraftChanged):
        await engine.desk.decide(draft_id, Outcome.APPROVED)


def test_a_token_is_not_sent_in_the_clear() -> None:
    rules = ForumRules.model_validate({"kind": "discourse", "url": "http://forum.example.edu"})
    with pytest.raises(InvalidInput, match="https"):
        connect("ds101", rules, DiscourseDouble(), {"EDUMOD_FORUM_DS101_TOKEN": "x"}, ("forum.example.edu",))


async def test_a_course_is_due_when_it_has_something_to_do_and_only_then(store: Store) -> None:
    double = DiscourseDouble()
    engine = discourse_engine(store, double)

    async def is_due() -> bool:
        return COURSE in await store.forums.due([COURSE, "other"], double.board.now)

    assert await is_due()
    await settle(engine, double, 0)
    assert not await is_due()
    question = ask(double)
    await engine.notice(str(question.thread))
    assert await is_due()
    await settle(engine, double, 0)
    assert not await is_due()
    await approve(engine)
    double.board.now += timedelta(seconds=20)
    assert await is_due()
    while await engine.step():
        pass
    assert len(answers(double, question)) == 1
    assert not await is_due()
    double.board.now += timedelta(seconds=60)
    assert await is_due()


async def test_a_correction_is_no_second_post_while_the_first_may_have_been_made(store: Store) -> None:
    double = DiscourseDouble()
    engine = discourse_engine(store, double)
    await settle(engine, double)
    question = ask(double)
    await settle(engine, double)
    draft_id = await approve(engine)
    double.board.now += timedelta(seconds=20)
    double.faults.script = [None, None, Fault.LATE_AFTER]
    while await engine.step():
        pass
    assert len(answers(double, question)) == 1
    decision = await store.decisions.of(draft_id)
    assert decision is not None
    at = double.board.now
    changed = {"id": uuid4().hex, "text": "On Monday.", "corrects": decision.id, "decided_at": at, "final_at": at}
    await store.decisions.correct(DecisionRow(**{**decision.model_dump(), **changed}))
    for _ in range(4):
        await settle(engine, double, 400)
    assert len(answers(double, question)) == 1


@pytest.mark.parametrize(
    ("restricted", "categories", "is_learned"), [("7", (), False), ("8", (), True), ("7", ("7",), True)]
)
async def test_answers_that_not_everybody_can_read_are_no_past_questions(
    store: Store, restricted: str, categories: tuple[str, ...], is_learned: bool
) -> None:
    double = DiscourseDouble()
    double.restricted = frozenset({restricted})
    listed = tuple(ForumCategory(name=name) for name in categories)
    engine = discourse_engine(store, double, categories=listed)
    await settle(engine, double)
    question = ask(double)
    ta = double.board.user("ta_one", "Grace Teachington", is_staff=True)
    double.board.reply(question.thread, ta, "It is due on Friday at noon, as the page says.")
    await settle(engine, double)
    assert bool(engine.desk.learned) is is_learned


def course(name: str, *categories: str, **more: Any) -> Course:
    rules = {"kind": "discourse", "url": "https://forum.example.edu", "account": "edumod", **more}
    listed = [{"name": category} for category in categories]
    return Course(id=name, forum=ForumRules.model_validate({**rules, "categories": listed}))


@pytest.mark.parametrize(
    "other", [course("b"), course("b", "7", "9"), course("b", "9", url="https://Forum.example.edu/")]
)
def test_two_courses_do_not_answer_the_same_questions(other: Course) -> None:
    mine = course("a", *(["7"] if other.forum and len(other.forum.categories) != 1 else []))
    for first, second in ((mine, other), (other, mine)):
        with pytest.raises(InvalidInput, match="same forum"):
            demand_own(first, [first, second])


def test_courses_with_categories_accounts_or_places_of_their_own_share_a_forum() -> None:
    demand_own(course("a", "7"), [course("a", "7"), course("b", "8"), course("c", account="another")])
    demand_own(course("a", kind="ed", place="1"), [course("b", kind="ed", place="2")])

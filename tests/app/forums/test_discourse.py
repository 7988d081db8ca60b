"""Discourse: what its sources say, and what must not happen with it."""

from __future__ import annotations

import pytest

from app.forums.discourse import check_signature
from app.forums.registry import connect
from app.forums.shape import BadSignature, ForumRefused, Limited
from core.course import ForumRules
from core.errors import InvalidInput, SetupError
from core.store.store import Store
from tests.app.forums.cases import discourse_engine, settle
from tests.doubles.board import Fault, Seen
from tests.doubles.discourse import SECRET, DiscourseDouble
from tests.doubles.storm import COURSE, forum_of, rules_of


def test_a_signature_is_that_of_the_published_vector() -> None:
    right = "sha256=162f107f6b5022353274eb1a7197885cfd35744d8d08e5bcea025d309386b7d6"
    check_signature({"x-discourse-event-signature": right}, b'{"ping":"OK"}', SECRET)


@pytest.mark.parametrize("headers", [{}, {"x-discourse-event-signature": "sha256=162f"}])
def test_a_missing_or_wrong_signature_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        check_signature(headers, b'{"ping":"OK"}', SECRET)


def test_an_unsigned_event_is_refused_where_there_is_no_secret() -> None:
    with pytest.raises(BadSignature):
        check_signature({}, b"{}", "")


async def test_both_shapes_of_a_limit_say_how_long_to_wait() -> None:
    double = DiscourseDouble()
    forum = forum_of(double, rules_of(double, "discourse"))
    double.faults.script = [Fault.LIMITED, Fault.LIMITED_TOO]
    for seconds in (7.0, 30.0):
        with pytest.raises(Limited) as caught:
            await forum.me()
        assert caught.value.retry_after == seconds


async def test_an_old_forum_that_does_not_whisper_never_shows_a_draft(store: Store) -> None:
    double = DiscourseDouble()
    double.whispers, double.may_whisper = "old", False
    room = double.board.ask(double.bot, "Staff room", "For staff.", "9")
    mine = discourse_engine(store, double, staff_draft=True, staff_thread=str(room.thread))
    await settle(mine, double)
    double.board.ask(double.board.user("s_17", "Ada Byronson"), "HW3", "When is homework3 due?")
    await settle(mine, double)
    posts = double.board.seen_by_students(double.bot)
    assert [post.thread for post in posts if post.number > 1] == [room.thread]
    assert all(post.is_deleted for post in posts if post.number > 1)


async def test_a_draft_is_whispered_where_that_was_tested(store: Store) -> None:
    double = DiscourseDouble()
    room = double.board.ask(double.bot, "Staff room", "For staff.", "9")
    mine = discourse_engine(store, double, staff_draft=True, staff_thread=str(room.thread))
    await settle(mine, double)
    asked = double.board.ask(double.board.user("s_17", "Ada Byronson"), "HW3", "When is homework3 due?")
    await settle(mine, double)
    assert [post.seen for post in double.board.thread(asked.thread)] == [Seen.ALL, Seen.STAFF]


@pytest.mark.parametrize("number", [2_000])
async def test_a_thread_of_thousands_of_posts_takes_a_few_requests(store: Store, number: int) -> None:
    double = DiscourseDouble()
    ada = double.board.user("s_17", "Ada Byronson")
    asked = double.board.ask(ada, "HW3", "When is homework3 due?")
    for n in range(20):
        double.board.reply(asked.thread, ada, f"me too {n}")
    double.board.posts += [
        type(asked)(100_000 + n, asked.thread, 22 + n, ada, "me too", category="7") for n in range(number)
    ]
    forum = forum_of(double, rules_of(double, "discourse"))
    thread = await forum.thread(str(asked.thread))
    assert thread is not None
    assert len(thread.replies) <= 60
    assert len(double.log) == 3


async def test_a_private_or_delicate_post_goes_to_staff_once_and_without_its_text(store: Store) -> None:
    double = DiscourseDouble()
    mine = discourse_engine(store, double)
    await settle(mine, double)
    ada = double.board.user("s_17", "Ada Byronson")
    double.board.ask(ada, "Question", "I have a disability accommodation, and secretword.")
    await settle(mine, double)
    await mine.notice(str(double.board.questions[-1].thread))
    await settle(mine, double)
    assert mine.desk.asked == {}
    assert len(mine.desk.handed_over) == 1
    assert "secretword" not in mine.desk.handed_over[0].model_dump_json()


async def test_a_forum_that_was_down_for_a_day_loses_no_question(store: Store) -> None:
    double = DiscourseDouble()
    mine = discourse_engine(store, double)
    await settle(mine, double)
    double.faults.share, double.faults.kinds = 1.0, (Fault.LATE,)
    double.board.ask(double.board.user("s_17", "Ada Byronson"), "HW3", "When is homework3 due?")
    for _ in range(24):
        await settle(mine, double, 3600)
    assert len(double.log) < 60
    double.faults.share = 0.0
    await settle(mine, double, 3600)
    assert len(mine.desk.asked) == 1


async def test_a_revoked_token_discards_nothing(store: Store) -> None:
    double = DiscourseDouble()
    mine = discourse_engine(store, double)
    await settle(mine, double)
    double.board.ask(double.board.user("s_17", "Ada Byronson"), "HW3", "When is homework3 due?")
    await settle(mine, double)
    double.faults.share, double.faults.kinds = 1.0, (Fault.FORBIDDEN, Fault.UNAUTHORISED)
    await settle(mine, double, 4000)
    draft = await store.drafts.get(next(iter(mine.desk.asked)))
    assert (draft.state, draft.stale) == ("pending", None)
    row = await store.forums.get(COURSE)
    assert row is not None
    assert "token" in (row.error or "")


def test_what_a_forum_lacks_is_refused_and_secrets_come_from_the_environment() -> None:
    ed = ForumRules.model_validate({"kind": "ed", "url": "https://edstem.org", "staff_draft": True})
    with pytest.raises(InvalidInput, match="whoever asked can read"):
        connect("ds101", ed, DiscourseDouble(), {"EDUMOD_FORUM_DS101_TOKEN": "x"}, ("edstem.org",))
    plain = ed.model_copy(update={"staff_draft": False})
    with pytest.raises(SetupError, match="EDUMOD_FORUM_DS101_TOKEN"):
        connect("ds101", plain, DiscourseDouble(), {}, ("edstem.org",))
    with pytest.raises(InvalidInput, match="EDUMOD_FORUM_HOSTS"):
        connect("ds101", plain, DiscourseDouble(), {"EDUMOD_FORUM_DS101_TOKEN": "x"}, ())


async def test_a_forum_refuses_to_whisper_loudly() -> None:
    double = DiscourseDouble()
    double.may_whisper = False
    forum = forum_of(double, rules_of(double, "discourse"))
    asked = double.board.ask(double.board.user("s_17", "Ada"), "HW3", "When is homework3 due?")
    thread = await forum.thread(str(asked.thread))
    assert thread is not None
    with pytest.raises(ForumRefused):
        await forum.post_for_staff(thread, "A draft.")

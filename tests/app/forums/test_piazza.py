"""What only Piazza does, on its double."""

from __future__ import annotations

from typing import Any

import pytest

from app.forums.shape import Denied, Forum, ForumRefused, ForumThread
from tests.doubles.piazza import PiazzaDouble
from tests.doubles.storm import forum_of, rules_of


async def asked(double: PiazzaDouble, **more: Any) -> tuple[Forum, ForumThread]:
    forum = forum_of(double, rules_of(double, "piazza", place="5"))
    question = double.board.ask(double.board.user("ada_b", "Ada Byronson"), "HW3", "When is HW3 due?", **more)
    thread = await forum.thread(str(question.thread))
    assert thread is not None
    return forum, thread


async def test_a_wrong_password_is_denied_though_its_status_is_one_of_success() -> None:
    double = PiazzaDouble()
    double.password = "another"
    with pytest.raises(Denied):
        await forum_of(double, rules_of(double, "piazza", place="5")).me()


async def test_a_session_that_ended_is_begun_anew() -> None:
    double = PiazzaDouble()
    forum = forum_of(double, rules_of(double, "piazza", place="5"))
    await forum.me()
    double.signed_in.clear()
    assert (await forum.me()).id == str(double.bot.id)
    assert double.sessions == 2


async def test_an_answer_that_somebody_else_edited_is_found_but_not_overwritten() -> None:
    double = PiazzaDouble()
    forum, thread = await asked(double)
    post_id = await forum.post(thread, "On Friday. (edm-1)")
    double.versions[int(post_id)] = ["16", str(double.bot.id)]
    assert await forum.find(thread.id, "edm-1") == post_id
    with pytest.raises(ForumRefused):
        await forum.edit(thread.id, post_id, "On Monday. (edm-1)")
    assert "Friday" in double.board.posts[-1].text


async def test_a_second_answer_follows_up_and_overwrites_nothing() -> None:
    double = PiazzaDouble()
    forum, thread = await asked(double)
    for day in ("Friday", "Monday"):
        await forum.post(thread, f"On {day}.")
    assert [post.extra["type"] for post in double.board.posts[1:]] == ["i_answer", "followup"]


async def test_who_asks_anonymously_has_no_name() -> None:
    _, thread = await asked(PiazzaDouble(), anonymous=True)
    assert thread.question.author.id.startswith("anonymous-")
    assert thread.people == ()

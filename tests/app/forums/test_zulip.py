"""What only Zulip has: names of channels, which people write as they like, and a list of everybody."""

from __future__ import annotations

import asyncio

import pytest

from tests.doubles.storm import forum_of, rules_of
from tests.doubles.zulip import STAFF_CHANNEL, ZulipDouble


@pytest.mark.parametrize("spelling", [STAFF_CHANNEL, STAFF_CHANNEL.upper()])
def test_the_channel_for_staff_holds_no_question_however_it_is_spelt(spelling: str) -> None:
    double = ZulipDouble()
    question = double.board.ask(double.bot, "Marks", "Who was late?", STAFF_CHANNEL)
    forum = forum_of(double, rules_of(double, "zulip", staff_thread=spelling), "")
    assert asyncio.run(forum.thread(double.thread_id(question))) is None


def test_who_is_named_without_having_written_is_known_as_after_a_deleted_post() -> None:
    double = ZulipDouble()
    asker, other = double.board.user("ada", "Ada Byronson"), double.board.user("bo", "Bo Fitzwilliam")
    question = double.board.ask(other, "Homework 3", "When is it due?", "7")
    double.board.reply(question.thread, double.board.user("ta", "Tom Aldridge"), f"Dear {asker.name}, on Friday.")
    forum = forum_of(double, rules_of(double, "zulip"), "")
    thread = asyncio.run(forum.thread(double.thread_id(question)))
    assert thread is not None
    assert [person.name for person in thread.people] == ["Ada Byronson"]

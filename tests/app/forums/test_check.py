"""`edumod forum check`, on the doubles."""

from __future__ import annotations

from typing import Any

import pytest

from app.forums.check import CheckedForum, check_forum
from core.store.store import Store
from tests.app.forums.cases import CASES, Case, desk_of
from tests.doubles.board import Double, Seen
from tests.doubles.storm import engine_of, rules_of
from tests.doubles.zulip import STAFF_CHANNEL, ZulipDouble

ZULIP = next(case for case in CASES if case.kind == "zulip")
DISCOURSE = next(case for case in CASES if case.kind == "discourse")


async def check(case: Case, double: Double, store: Store, **more: Any) -> CheckedForum:
    rules = rules_of(double, case.kind, **{**case.rules, **more})
    return await check_forum(engine_of(double, rules, store, desk_of(store, double), case.secret), write=True)


def failed(checked: CheckedForum) -> list[str]:
    return [one.name for one in checked.checks if one.outcome == "failed"]


async def test_the_channel_for_staff_is_named_and_no_post_there_is_left(store: Store) -> None:
    double = ZulipDouble()
    checked = await check(ZULIP, double, store)
    assert failed(checked) == []
    assert {"A post is found by its mark", "A post is changed", "A post is deleted"} <= {c.name for c in checked.checks}
    assert [(post.category, post.seen, post.is_deleted) for post in double.board.posts] == [
        (STAFF_CHANNEL, Seen.STAFF, True)
    ]


async def test_a_channel_that_is_not_private_gets_no_post(store: Store) -> None:
    double = ZulipDouble()
    double.staff_is_private = False
    assert failed(await check(ZULIP, double, store)) == ["A post is found by its mark"]
    assert double.board.posts == []


@pytest.mark.parametrize("is_there", [True, False])
async def test_the_thread_for_staff_is_named_by_its_id(store: Store, is_there: bool) -> None:
    double = DISCOURSE.double()
    room = double.board.ask(double.bot, "Staff room", "For staff.", "8")
    checked = await check(DISCOURSE, double, store, staff_thread=str(room.thread if is_there else 99999))
    assert failed(checked) == ([] if is_there else ["The staff's thread is there"])

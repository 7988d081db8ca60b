"""The forums that the conformance tests run on: one entry each; and engines on their doubles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

from app.forums.engine import ForumEngine
from core.course import ForumCategory
from core.store.store import Store
from tests.doubles.board import Double
from tests.doubles.canvas import CanvasDouble
from tests.doubles.discourse import SECRET, DiscourseDouble
from tests.doubles.ed import EdDouble
from tests.doubles.mail import DOMAIN, MailDouble
from tests.doubles.moodle import MoodleDouble
from tests.doubles.piazza import PiazzaDouble
from tests.doubles.storm import StormDesk, engine_of, rules_of
from tests.doubles.zulip import STAFF_CHANNEL, ZulipDouble


@dataclass(frozen=True)
class Case:
    kind: str
    double: Callable[[], Double]
    secret: str = ""
    rules: dict[str, Any] = field(default_factory=dict)


CASES = (
    Case("discourse", DiscourseDouble, SECRET),
    Case("ed", EdDouble, rules={"place": "5", "bots": ("17",)}),
    Case("zulip", ZulipDouble, rules={"staff_thread": STAFF_CHANNEL}),
    Case(
        "email",
        MailDouble,
        rules={
            "place": "mx.example.edu",
            "staff": ("ta_one@example.edu",),
            "bots": ("helper_bot@example.edu",),
            "outgoing": "smtps://mail.example.edu",
            "categories": (ForumCategory(name=f"7@{DOMAIN}"), ForumCategory(name=f"8@{DOMAIN}", for_staff=True)),
        },
    ),
    Case("moodle", MoodleDouble, rules={"place": "5", "bots": ("17",)}),
    Case("piazza", PiazzaDouble, rules={"place": "5", "bots": ("17",)}),
    Case("canvas", CanvasDouble, rules={"place": "5", "bots": ("17",), "categories": ()}),
    Case("canvas", partial(CanvasDouble, by_entry=True), rules={"place": "5", "bots": ("17",)}),
)


def desk_of(store: Store, double: Double) -> StormDesk:
    return StormDesk(store, lambda: double.board.now, Random(0))


def discourse_engine(store: Store, double: DiscourseDouble, **rules: Any) -> Any:
    """An engine whose desk is a `StormDesk`."""
    return engine_of(double, rules_of(double, "discourse", **rules), store, desk_of(store, double), SECRET)


async def settle(engine: ForumEngine, double: Double, seconds: int = 61) -> None:
    """Time passes, and all is done that is due then."""
    double.board.now += timedelta(seconds=seconds)
    while await engine.step():
        pass

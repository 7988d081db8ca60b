"""One person cannot hold any number of connections that only wait."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from app.edge.long_polls import LongPolls
from core.errors import QuotaExceeded


def test_a_person_waits_only_so_often_and_others_are_not_held_up() -> None:
    polls = LongPolls(limit=2)
    with ExitStack() as waiting:
        for _ in range(2):
            waiting.enter_context(polls.hold("ada", 20))
        with pytest.raises(QuotaExceeded, match="2 requests of yours wait already"), polls.hold("ada", 20):
            pass
        with polls.hold("ada", 0), polls.hold("bob", 20):
            pass
    with polls.hold("ada", 20):
        pass

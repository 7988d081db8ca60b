"""Permits and the queue are shared between those who ask, whatever each of them sends."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from starlette.types import Message

from app.edge.admission import Admission
from app.edge.bodies import MAX_BODIES, Bodies
from app.edge.requester import STATE, requester_of
from core.access import LOCAL_ACCESS, NOBODY, Access, Person
from core.errors import Overloaded


async def settled() -> None:
    """Returns when every task has gone as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


class Crowd:
    """Requests of several people, and what became of them."""

    def __init__(self, **limits: int) -> None:
        self.admission = Admission(queue_seconds=60, **limits)
        self.begun: list[str] = []
        self.refused: Counter[str] = Counter()
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, person: str, times: int = 1) -> None:
        self._tasks += [asyncio.create_task(self._ask(person)) for _ in range(times)]
        await settled()

    async def end(self, person: str) -> None:
        self.admission.release(person)
        await settled()

    async def _ask(self, person: str) -> None:
        try:
            await self.admission.acquire(person)
        except Overloaded:
            self.refused[person] += 1
        else:
            self.begun.append(person)

    async def leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def test_a_request_takes_the_place_of_the_newest_one_that_a_greedy_person_has_in_a_full_queue() -> None:
    crowd = Crowd(max_answers=2, max_queue=3)
    await crowd.ask("greedy", 9)
    assert crowd.refused == {"greedy": 4}
    await crowd.ask("honest")
    assert crowd.refused == {"greedy": 5}
    await crowd.end("greedy")
    assert crowd.begun == ["greedy", "greedy", "honest"]
    await crowd.leave()


async def test_the_next_permit_goes_to_whoever_holds_the_fewest() -> None:
    crowd = Crowd(max_answers=3, max_queue=20)
    await crowd.ask("greedy", 10)
    for name in ("a", "b"):
        await crowd.ask(name)
    for _ in range(2):
        await crowd.end("greedy")
    assert crowd.begun == ["greedy"] * 3 + ["a", "b"]
    await crowd.leave()


async def test_with_a_single_permit_two_people_take_turns_though_one_of_them_always_waits() -> None:
    crowd = Crowd(max_answers=1, max_queue=20)
    await crowd.ask("greedy", 10)
    for _ in range(3):
        await crowd.ask("honest")
        await crowd.end("greedy")
        await crowd.end("honest")
    assert crowd.begun == ["greedy", "honest"] * 3 + ["greedy"]
    await crowd.leave()


async def test_nobody_holds_the_last_permits_while_answers_take_long() -> None:
    crowd = Crowd(max_answers=16, max_queue=0)
    await crowd.ask("greedy", 20)
    await crowd.ask("a")
    await crowd.ask("b")
    assert Counter(crowd.begun) == {"greedy": 14, "a": 1, "b": 1}
    await crowd.leave()


async def test_a_queue_that_is_shared_evenly_refuses_the_next_request_rather_than_a_waiting_one() -> None:
    crowd = Crowd(max_answers=1, max_queue=3)
    for name in "abcd":
        await crowd.ask(name)
    await crowd.ask("e")
    assert crowd.refused == {"e": 1}
    await crowd.leave()


async def test_a_wait_that_was_cancelled_a_moment_ago_gets_no_permit_and_is_not_evicted() -> None:
    admission = Admission(max_answers=1, max_queue=2, queue_seconds=60)
    await admission.acquire("a")
    waiting = [asyncio.create_task(admission.acquire("a")) for _ in range(2)]
    await settled()
    waiting[0].cancel()
    waiting[1].cancel()
    late = asyncio.create_task(admission.acquire("b"))
    admission.release("a")
    await late
    admission.release("b")
    await asyncio.gather(*waiting, return_exceptions=True)
    assert admission.is_free("a")


async def test_requests_of_one_sender_that_cannot_all_find_room_are_refused_before_anyone_looks_up_its_key() -> None:
    looked_up: Counter[bytes] = Counter()
    gate = asyncio.Event()

    admission = Admission(max_answers=2, max_queue=1, queue_seconds=60)

    async def send(key: bytes) -> bool:
        scope = {"type": "http", "method": "POST", "path": "/answer", "headers": [(b"authorization", key)]}
        try:
            with admission.count(scope):
                looked_up[key] += 1
                await gate.wait()
        except Overloaded:
            return False
        return True

    sent = [asyncio.create_task(send(key)) for key in [b"greedy"] * 9 + [b"honest"]]
    await settled()
    gate.set()
    assert [await one for one in sent] == [True] * 3 + [False] * 6 + [True]
    assert looked_up == {b"greedy": 3, b"honest": 1}
    assert await send(b"greedy")


@pytest.mark.parametrize(
    ("access", "client", "expected"),
    [(Access(Person("key-1", "bot")), "1.2.3.4", "key-1"), (NOBODY, "1.2.3.4", "1.2.3.4"),
     (LOCAL_ACCESS, "127.0.0.1", "127.0.0.1"), (None, "::ffff:1.2.3.4", "1.2.3.4"),
     (None, "2001:db8::1", "2001:db8::/64"), (None, "2001:db8::ffff:2", "2001:db8::/64"), (None, "::1", "::1"),
     (None, "a.socket", "a.socket"), (None, None, "")],
)  # fmt: skip
def test_a_request_counts_for_its_person_or_key_and_otherwise_for_its_address(
    access: Access | None, client: str | None, expected: str
) -> None:
    scope: dict[str, Any] = {"type": "http", "client": (client, 4711) if client else None}
    if access is not None:
        scope["state"] = {STATE: access}
    assert requester_of(scope) == expected


async def test_the_bodies_of_one_person_leave_memory_for_those_of_others() -> None:
    size, gate = 1024, asyncio.Event()

    bodies = Bodies(max_bytes=size)

    async def send(person: str) -> bool:
        async def receive() -> Message:
            return {"type": "http.request", "body": b" " * size, "more_body": False}

        headers = [(b"content-length", str(size).encode()), (b"content-type", b"text/plain")]
        try:
            async with bodies.read({"headers": headers, "path": "/"}, receive, person):
                await gate.wait()
        except Overloaded:
            return False
        return True

    greedy = [asyncio.create_task(send("greedy")) for _ in range(2 * MAX_BODIES)]
    await settled()
    honest = asyncio.create_task(send("honest"))
    await settled()
    gate.set()
    assert await honest
    assert 0 < sum(await asyncio.gather(*greedy)) < MAX_BODIES

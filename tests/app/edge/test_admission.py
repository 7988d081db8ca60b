"""How many answers are under way at once, how many wait, and for how long."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from app.edge.admission import Admission, starts_run
from core.errors import Overloaded
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Out, Task
from core.types import FunctionCall
from tasks import ChooseFunctions, Statement, WriteAnswer, WrittenAnswer
from tests.app.live import live, settings_in

QUESTION = {"course": "small", "question": {"body": "When is homework 3 due?"}}
CALLS = Choice(calls=(FunctionCall(id="1", name="logistics_retrieval", arguments={"query": "homework 3 due"}),))
WRITTEN = WrittenAnswer(status="answered", statements=(Statement(text="On February 19."),), confidence=0.9)


class Gated(ScriptedLLM):
    """Chooses functions, and writes when it may. `begun` counts the answers that were written or wait for that."""

    def __init__(self) -> None:
        super().__init__({ChooseFunctions: [CALLS], WriteAnswer: [WRITTEN]})
        self.begun = threading.Semaphore(0)
        self.gate = threading.Event()

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        if isinstance(task, WriteAnswer):
            self.begun.release()
            await asyncio.to_thread(self.gate.wait, 60)
        return await super().run(task, sampling)


@contextmanager
def busy(home: Path, **limits: Any) -> Iterator[tuple[httpx.Client, ThreadPoolExecutor, Gated]]:
    """A server with one answer under way, whose model waits for its gate."""
    llm = Gated()
    with live(settings_in(home, max_answers=1, **limits), llm) as client, ThreadPoolExecutor(8) as pool:
        try:
            pool.submit(client.post, "/answer?pipeline=fc", json=QUESTION)
            assert llm.begun.acquire(timeout=30)
            yield client, pool, llm
        finally:
            llm.gate.set()


@pytest.mark.parametrize("path", ["/answer", "/"])
def test_a_request_that_finds_no_room_is_refused_before_it_is_parsed(home: Path, path: str) -> None:
    with busy(home, max_queue=0) as (client, _, _):
        refused = client.post(path, content=b"{not json", headers={"content-type": "application/json"})
        assert client.get("/healthz").status_code == 200
    assert (refused.status_code, refused.json()["type"]) == (503, "urn:edumod:problem:overloaded")
    assert int(refused.headers["retry-after"]) > 0
    assert "EDUMOD_MAX_QUEUE" in refused.json()["detail"]


def test_a_request_that_waits_too_long_is_refused(home: Path) -> None:
    with busy(home, queue_seconds=0.2) as (client, _, _):
        refused = client.post("/answer", json=QUESTION)
    assert (refused.status_code, refused.json()["type"]) == (503, "urn:edumod:problem:overloaded")
    assert "EDUMOD_QUEUE_SECONDS" in refused.json()["detail"]


def test_a_request_that_waits_is_answered_when_its_turn_comes(home: Path) -> None:
    with busy(home, max_queue=1, queue_seconds=60) as (client, pool, llm):
        asked = [pool.submit(client.post, "/answer?pipeline=fc", json=QUESTION) for _ in range(2)]
        # There is room for one of the two. As soon as the other is refused, that one waits.
        refused = next(as_completed(asked, 60))
        assert refused.result().status_code == 503
        assert not llm.begun.acquire(blocking=False)
        llm.gate.set()
        assert sorted(one.result(60).status_code for one in asked) == [200, 503]


def test_a_stream_holds_its_permit_until_it_ends(home: Path) -> None:
    llm = Gated()
    headers = {"Accept": "text/event-stream"}
    with live(settings_in(home, max_answers=1, max_queue=0), llm) as client:
        with client.stream("POST", "/answer?pipeline=fc", json=QUESTION, headers=headers) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("event: usage")
            assert client.post("/answer", json=QUESTION).status_code == 503
            llm.gate.set()
            assert "event: done" in list(lines)
        # The permit comes back a moment after the last event.
        assert _until_admitted(client).status_code == 200


def _until_admitted(client: httpx.Client) -> httpx.Response:
    until = time.monotonic() + 60
    while (response := client.post("/answer?pipeline=fc", json=QUESTION)).status_code == 503:
        assert time.monotonic() < until, "No permit came back."
    return response


def test_pages_and_health_need_no_permit(home: Path) -> None:
    with busy(home, max_queue=0) as (client, _, _):
        for path in ("/", "/healthz", "/courses", "/pipelines", "/docs"):
            assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [("POST", "/answer", True), ("POST", "/", True), ("POST", "/drafts/abc/retry", True), ("GET", "/answer", False),
     ("POST", "/answers", False), ("POST", "/drafts/a/b/retry", False), ("GET", "/", False),
     ("GET", "/courses/small?q=speed", True),
     ("GET", "/courses/small?as=staff&%71=speed", True), ("GET", "/courses/small?q=", False),
     ("GET", "/courses/small?q=+%20", False), ("GET", "/courses/small", False), ("GET", "/courses?q=speed", False)],
)  # fmt: skip
def test_what_asks_a_model_or_searches_starts_a_run(method: str, path: str, expected: bool) -> None:
    address, _, query = path.partition("?")
    assert starts_run({"method": method, "path": address, "query_string": query.encode()}) is expected


@pytest.mark.parametrize("path", ["/drafts/abc/retry%0A", "/answer%0a", "/%0A"])
def test_an_address_with_a_line_feed_at_its_end_is_none(home: Path, path: str) -> None:
    with live(settings_in(home)) as client:
        missing = client.post(path, json=QUESTION)
    assert (missing.status_code, "line feed" in missing.json()["detail"]) == (404, True)


class Requests:
    """What stands behind admission: requests that are answered when they may be, in the order in which they began."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self.order: list[str] = []
        self.gate = asyncio.Event()

    async def ask(self, name: str, left: asyncio.Event | None = None, by: str = "somebody") -> None:
        """One request of a person. Its client leaves when `left` is set."""

        async def receive() -> Message:
            await (left or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        try:
            self._admission.check_room(by)
            async with self._admission.permit(by, receive):
                self.order.append(f"{name} begun")
                await self.gate.wait()
        except Overloaded:
            self.order.append(f"{name} refused")


async def full(admission: Admission) -> None:
    """Returns as soon as there is no room."""
    while True:
        try:
            admission.check_room("somebody")
        except Overloaded:
            return
        await asyncio.sleep(0)


async def test_of_a_burst_those_that_find_no_room_are_refused_before_the_others_begin() -> None:
    requests = Requests(Admission(max_answers=2, max_queue=0, queue_seconds=60))
    asked = [asyncio.create_task(requests.ask(name)) for name in "abcd"]
    requests.gate.set()
    await asyncio.gather(*asked)
    assert requests.order == ["c refused", "d refused", "a begun", "b begun"]


async def test_no_two_answers_begin_without_a_chance_for_others_between() -> None:
    requests = Requests(Admission(max_answers=5, max_queue=0, queue_seconds=60))
    asked = [asyncio.create_task(requests.ask(name)) for name in "abcde"]
    begun = [0]
    while begun[-1] < 5:
        await asyncio.sleep(0)
        begun.append(len(requests.order))
    assert max(later - earlier for earlier, later in pairwise(begun)) == 1
    requests.gate.set()
    await asyncio.gather(*asked)


async def test_a_client_that_leaves_the_queue_makes_room_in_it() -> None:
    admission = Admission(max_answers=1, max_queue=1, queue_seconds=60)
    requests, left = Requests(admission), asyncio.Event()
    await admission.acquire("somebody")
    leaver = asyncio.create_task(requests.ask("leaver", left))
    await full(admission)
    left.set()
    with pytest.raises(ClientDisconnect):
        await leaver
    admission.check_room("somebody")
    next_one = asyncio.create_task(requests.ask("next"))
    await full(admission)
    requests.gate.set()
    admission.release("somebody")
    await next_one
    assert requests.order == ["next begun"]
    assert admission.is_free("somebody")


async def test_a_request_that_is_cancelled_before_it_begins_gives_its_permit_back() -> None:
    admission = Admission(max_answers=1, max_queue=0, queue_seconds=60)
    asked = asyncio.create_task(Requests(admission).ask("a"))
    await full(admission)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert admission.is_free("somebody")


async def test_permits_are_given_in_the_order_of_arrival() -> None:
    admission = Admission(max_answers=1, max_queue=10, queue_seconds=60)
    order: list[int] = []

    async def enter(number: int) -> None:
        await admission.acquire("somebody")
        order.append(number)
        admission.release("somebody")

    await admission.acquire("somebody")
    waiting = []
    for number in range(5):
        waiting.append(asyncio.create_task(enter(number)))
        await asyncio.sleep(0)
    waiting[1].cancel()
    admission.release("somebody")
    late = asyncio.create_task(enter(9))
    await asyncio.gather(*waiting, late, return_exceptions=True)
    assert order == [0, 2, 3, 4, 9]


async def test_a_permit_is_not_lost_if_a_waiting_request_is_cancelled() -> None:
    admission = Admission(max_answers=1, max_queue=10, queue_seconds=60)
    for _ in range(3):
        await admission.acquire("somebody")
        waiting = asyncio.create_task(admission.acquire("somebody"))
        await asyncio.sleep(0)
        admission.release("somebody")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    await admission.acquire("somebody")
    admission.release("somebody")


async def test_a_permit_goes_on_where_the_one_it_was_meant_for_is_cancelled() -> None:
    admission = Admission(max_answers=1, max_queue=10, queue_seconds=60)
    await admission.acquire("somebody")
    first, second = (asyncio.create_task(admission.acquire("somebody")) for _ in range(2))
    await asyncio.sleep(0)
    admission.release("somebody")
    first.cancel()
    await second
    admission.release("somebody")
    assert admission.is_free("somebody")


async def test_a_full_queue_refuses_at_once() -> None:
    admission = Admission(max_answers=1, max_queue=1, queue_seconds=60)
    await admission.acquire("somebody")
    waiting = asyncio.create_task(admission.acquire("somebody"))
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await admission.acquire("somebody")
    admission.release("somebody")
    await waiting

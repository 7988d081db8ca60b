"""`POST /answer` with `Accept: text/event-stream`, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from app.answering.events import EVENTS
from app.answering.fallback import WatchRun
from app.answering.streaming import stream
from app.response import AnswerResponse
from core.errors import ModelUnavailable
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Out, Task
from core.types import FunctionCall
from pipelines import PIPELINES
from safeguards import WITHHELD, CourseSecrets
from tasks import ChooseFunctions, Quoted, Statement, WriteAnswer, WrittenAnswer
from tests.app.live import live, settings_in
from tests.pipelines.runs import call, passage, run_with
from tests.servers.homes import rows

ON_EACH_DATABASE = True

QUESTION = {"course": "small", "question": {"body": "When is homework 3 due, and can I use slip days?"}}
STREAM = {"Accept": "text/event-stream"}
CALLS = Choice(
    calls=(FunctionCall(id="c", name="logistics_retrieval", arguments={"query": "slip days for homework in February"}),)
)
WRITTEN = WrittenAnswer(
    status="answered",
    statements=(
        Statement(text="You have slip days.", sources=(Quoted(passage=1, quote="6 slip days"),)),
        Statement(text="Use them well."),
        Statement(text="\nHomework 3 is due in February.", sources=(Quoted(passage=2, quote="Homework 3"),)),
    ),
    confidence=0.9,
)


def events(response: httpx.Response) -> list[tuple[str, int, Any]]:
    """Name, id and data of each event."""
    assert response.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in response.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if lines:
            found.append((lines["event"], int(lines["id"]), json.loads(lines["data"])))
    return found


def test_what_is_done_comes_as_it_is_done_and_the_answer_at_the_end(client: httpx.Client) -> None:
    found = events(client.post("/answer?pipeline=fc_forced", json=QUESTION, headers=STREAM))
    names = [name for name, _, _ in found]
    assert set(names) <= set(EVENTS)
    assert [number for _, number, _ in found] == list(range(1, len(found) + 1))
    assert names[0] == "usage"
    assert names.index("call") < names.index("retrieval") < names.index("delta") < names.index("done") == len(names) - 1
    *_, (_, _, answer) = found
    assert "".join(data["text"] for name, _, data in found if name == "delta") == answer["answer"]
    assert [data for name, _, data in found if name == "citation"] == answer["citations"]
    assert client.get(f"/traces/{answer['trace_id']}").status_code == 200


@pytest.mark.parametrize("pipeline", [one.name for one in PIPELINES])
def test_every_pipeline_streams_the_answer_that_it_gives(client: httpx.Client, pipeline: str) -> None:
    streamed = events(client.post(f"/answer?pipeline={pipeline}", json=QUESTION, headers=STREAM))[-1][2]
    plain = client.post(f"/answer?pipeline={pipeline}", json=QUESTION).json()
    assert streamed["answer"] == plain["answer"]
    assert streamed["configuration"] == plain["configuration"]


SECRET = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."


class WatchedSecrets(CourseSecrets):
    """A course's secrets that keep the threads in which answers were compared with them."""

    threads: ClassVar[list[threading.Thread]] = []

    def holds(self, text: str) -> bool:
        self.threads.append(threading.current_thread())
        return super().holds(text)


async def streamed_searches(queries: Sequence[str]) -> list[tuple[str, int, Any]]:
    """Events of a run that makes one search after the other, and fails in the end."""
    material = {"dice": [passage("1", "Two dice.", solution=SECRET)]}

    async def work(watch: WatchRun) -> AnswerResponse:
        run = run_with(ScriptedLLM([]), material, secrets=WatchedSecrets.of(["Another text for staff."], []))
        run.watch(partial(watch, run))
        for query in queries:
            await run.search([call(query)])
        raise ModelUnavailable("It is down.")

    response = await stream(work, "/answer")
    body = b"".join([part async for part in response.body_iterator if isinstance(part, bytes)])
    return events(httpx.Response(200, content=body, headers=dict(response.headers)))


async def test_events_of_a_run_are_checked_in_threads_and_arrive_in_order() -> None:
    hostile = b64encode(" ".join(reversed(SECRET.split())).encode()).decode()
    found = await streamed_searches(["dice", hostile, f"So? {SECRET}", "cards"])
    assert [(name, data["arguments"]["query"]) for name, _, data in found[:-1]] == [
        (name, query) for query in ("dice", WITHHELD, "So?", "cards") for name in ("call", "retrieval")
    ]  # fmt: skip
    assert found[-1][0] == "error"
    assert WatchedSecrets.threads
    assert threading.main_thread() not in WatchedSecrets.threads


async def test_events_of_a_run_are_checked_against_the_passages_found_by_then() -> None:
    found = await streamed_searches([SECRET, "dice", f"So? {SECRET}"])
    assert [data["arguments"]["query"] for name, _, data in found if name == "call"] == [SECRET, "dice", "So?"]


def test_a_citation_follows_the_piece_that_refers_to_it_first(home: Path) -> None:
    with live(settings_in(home), ScriptedLLM([CALLS, WRITTEN])) as client:
        found = events(client.post("/answer?pipeline=fc", json=QUESTION, headers=STREAM))
    told = [(name, data.get("text") or data.get("number")) for name, _, data in found if name in ("delta", "citation")]
    assert told == [
        ("delta", "You have slip days [1]. "), ("citation", 1), ("delta", "Use them well.\n\n"),
        ("delta", "Homework 3 is due in February [2]."), ("citation", 2),
    ]  # fmt: skip


def test_a_request_that_is_wrong_is_a_problem_and_no_stream(client: httpx.Client) -> None:
    for query, change, status in (("pipeline=nope", {}, 422), ("", {"course": "nowhere"}, 422)):
        response = client.post(f"/answer?{query}", json={**QUESTION, **change}, headers=STREAM)
        assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")


def test_an_error_after_the_first_event_is_the_last_event(home: Path) -> None:
    with live(settings_in(home), ScriptedLLM([CALLS, ModelUnavailable("It is down.")])) as client:
        found = events(client.post("/answer?pipeline=fc", json=QUESTION, headers=STREAM))
    name, _, data = found[-1]
    assert (name, data["status"], data["draft_id"] is not None) == ("error", ModelUnavailable.status, True)
    assert data["detail"] == ModelUnavailable.sentence
    assert "done" not in [name for name, _, _ in found]


def test_a_repeated_request_with_its_key_streams_the_stored_answer(client: httpx.Client) -> None:
    headers = {**STREAM, "Idempotency-Key": "stream-1"}
    first = events(client.post("/answer", json=QUESTION, headers=headers))[-1][2]
    again = events(client.post("/answer", json=QUESTION, headers=headers))
    assert again[-1][2] == first
    assert {name for name, _, _ in again} == {"delta", "citation", "done"}


class Hanging(ScriptedLLM):
    """Chooses functions, then writes for ever."""

    def __init__(self) -> None:
        super().__init__({ChooseFunctions: [CALLS]})
        self.writing, self.stopped = threading.Event(), threading.Event()

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        if not isinstance(task, WriteAnswer):
            return await super().run(task, sampling)
        self.writing.set()
        try:
            await asyncio.sleep(3600)
        finally:
            self.stopped.set()
        raise AssertionError


def test_when_the_client_leaves_the_work_stops_and_its_trace_is_kept(home: Path) -> None:
    llm = Hanging()
    with live(settings_in(home), llm) as client:
        with client.stream("POST", "/answer?pipeline=fc", json=QUESTION, headers=STREAM) as response:
            # On a busy machine a sign of life comes before the first event.
            lines = (line for line in response.iter_lines() if line and not line.startswith(":"))
            assert next(lines).startswith("event: usage")
            assert llm.writing.wait(30)
        assert llm.stopped.wait(20)
    # Read when the server is down: opening SQLite in its process would take its locks away.
    _, steps = _failed(home)
    assert [step["kind"] for step in steps] == ["choose", "search", "write"]


def _failed(home: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Error of the newest failed draft, as soon as it is there, and the steps of its trace."""
    query = (
        "SELECT CAST(draft.error AS TEXT), CAST(trace.steps AS TEXT) FROM draft "
        "JOIN trace ON trace.draft_id = draft.id WHERE draft.state = 'failed' ORDER BY draft.created_at DESC LIMIT 1"
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = next(iter(rows(home, query)), None)
        if found and json.loads(found[0])["code"] == "interrupted":
            assert "connection was closed" in json.loads(found[0])["detail"]
            return json.loads(found[0]), json.loads(found[1])
        time.sleep(0.1)
    raise AssertionError("No interrupted draft was stored.")


class Thinking(ScriptedLLM):
    """Never gets as far as its first choice."""

    def __init__(self) -> None:
        super().__init__([])
        self.asked, self.stopped = threading.Event(), threading.Event()

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        self.asked.set()
        try:
            await asyncio.sleep(3600)
        finally:
            self.stopped.set()
        raise AssertionError


def test_a_stream_shows_that_it_lives_before_the_model_has_chosen_anything(home: Path) -> None:
    llm = Thinking()
    with live(settings_in(home), llm) as client:
        with client.stream("POST", "/answer?pipeline=fc", json=QUESTION, headers=STREAM, timeout=60) as response:
            assert response.status_code == 200
            lines = response.iter_lines()  # The response is closed with them.
            assert next(lines).startswith(":")
            assert not llm.stopped.is_set()
        assert llm.stopped.wait(60), "the model works on for a client that has left"


def test_a_client_that_leaves_before_the_stream_begins_stops_the_model(home: Path) -> None:
    llm = Thinking()
    with live(settings_in(home), llm) as client:
        connection = HTTPConnection(client.base_url.host, client.base_url.port)
        headers = {**STREAM, "Content-Type": "application/json"}
        connection.request("POST", "/answer?pipeline=fc", json.dumps(QUESTION), headers)
        assert llm.asked.wait(60)
        connection.close()
        assert llm.stopped.wait(60), "the model works on for a client that has left"

"""What students, operators and probes see of a model endpoint that misbehaves."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.answering.fallback import EXTRACTED
from app.doctor.check import CheckState
from app.doctor.models import model_checks
from core.course import Course, WhenModelFails
from core.errors import ModelUnavailable
from core.llm.breaker import MAX_FAILURES
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.store.store import Store
from core.types import FunctionCall
from tasks import ChooseFunctions, WriteAnswer
from tests.app.commands import edumod
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.servers.faults import Act, FaultServer, called, completed, failed, said, sent, serving, unused_url
from tests.sweeps import sweep

KEY = "sk-this-must-never-be-shown"
SAID = "The solution is six of thirty-six"
WORDS = ("solution", "thirty-six", "127.0.0.1", "http:", "EDUMOD", "sk-", KEY[3:], "Traceback", ".py")
"""Words of the endpoint, and of the installation, that no student reads."""
CHOICE = called(("logistics_retrieval", {"query": "homework 3 due"}))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    """A home with the courses `small`, and `lasting`, which allows offline answers."""
    folder = tmp_path_factory.mktemp("home")
    lasting = Course(id="lasting", title="Lasting", when_model_fails=WhenModelFails.OFFLINE)
    asyncio.run(ingest_all(settings_in(folder), material, Course(id="small", title="Small"), lasting))
    return folder


@contextmanager
def endpoint(*acts: Act) -> Iterator[FaultServer]:
    """A server that plays these acts, in a thread of its own."""
    started, stopping = threading.Event(), asyncio.Event()
    servers: list[tuple[FaultServer, asyncio.AbstractEventLoop]] = []

    async def serve() -> None:
        async with serving(*acts) as server:
            servers.append((server, asyncio.get_running_loop()))
            started.set()
            await stopping.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert started.wait(30)
    server, loop = servers[0]
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(timeout=20)


@contextmanager
def service(home: Path, url: str, **settings: Any) -> Iterator[httpx.Client]:
    values = {"llm_base_url": url, "llm_api_key": KEY, "llm_cache": False, "llm_max_retries": 0, **settings}
    with live(settings_in(home, **values)) as client:
        yield client


def asked(course: str = "small") -> dict[str, Any]:
    return {"course": course, "question": {"body": "When is homework 3 due?"}}


def kept(home: Path, draft_id: str) -> str:
    """All that is stored of a draft and its last trace."""

    async def read() -> str:
        store = await Store.open(settings_in(home).url)
        try:
            draft, trace = await store.drafts.get(draft_id), await store.drafts.latest_trace(draft_id)
            return json.dumps([draft.error, draft.response, trace.steps])
        finally:
            await store.aclose()

    return asyncio.run(read())


def answer(markdown: str = "On February 19 [1].", **fields: Any) -> Act:
    value = {"status": "answered", "statements": [{"text": markdown}], "confidence": 0.9, **fields}
    return said(json.dumps(value))


FAULTS = {
    "refusal": failed(400, f"{SAID}, at http://10.0.0.7/v1, key {KEY}"),
    "wrong key": failed(401, f"Incorrect API key: {KEY[:9]}***{KEY[-6:]}. {SAID}"),
    "overload": failed(503, SAID),
    "quota": failed(429, f"quota: {SAID}", code="insufficient_quota"),
    "overflow": failed(400, f"context length exceeded: {SAID}"),
    "no model": failed(404, f"The model does not exist. {SAID}"),
    "error in reply": sent({"error": {"message": SAID}}),
    "declined": said(None, refusal=SAID),
    "odd status": Act(f"HTTP/1.1 {SAID}".encode(), raw=f"HTTP/1.1 {SAID}\r\n\r\n".encode()),
    "not JSON": Act(SAID.encode(), content_type=SAID),
    "malformed": completed({"content": {SAID: SAID}}),
    "redirect": Act(status=302, headers=(("Location", f"http://10.0.0.7/{SAID.replace(' ', '-')}"),)),
    "cut": said(SAID, "length"),
}


@pytest.mark.parametrize("fault", sweep(FAULTS, every=3))
def test_no_student_reads_the_words_of_an_endpoint(home: Path, fault: Act, caplog: pytest.LogCaptureFixture) -> None:
    stream = {"Accept": "text/event-stream"}
    with endpoint(CHOICE, fault) as server, service(home, server.base_url) as client, caplog.at_level(logging.DEBUG):
        response = client.post("/answer?pipeline=fc", json=asked())
        streamed = client.post("/answer?pipeline=fc_forced", json=asked(), headers=stream).text
        page = client.post("/", data={"course": "small", "body": "When is homework 3 due?"}).text
        draft_id = response.json()["draft_id"]
        trace_id = json.loads(edumod(home, "trace", draft_id, "--json").stdout)["id"]
        trace = client.get(f"/traces/{trace_id}").text
    seen = {"answer": response.text, "stream": streamed, "trace": trace, "draft": kept(home, draft_id)}
    found = [(where, word) for where, text in seen.items() for word in WORDS if word in text]
    assert found == []
    assert not [word for word in (SAID, KEY, server.base_url) if word in page]
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("edumod")]
    assert any("The model 'gpt-4.1-mini' at http" in line for line in ours)
    assert KEY not in caplog.text


def test_the_log_and_the_terminal_quote_the_endpoint_without_the_key(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with endpoint(failed(400, f"{SAID}. Your key {KEY} is odd")) as server:
        with service(home, server.base_url) as client:
            client.post("/answer", json=asked())
        environment = {"EDUMOD_LLM_BASE_URL": server.base_url, "EDUMOD_LLM_API_KEY": KEY}
        shown = edumod(home, "ask", "--course", "small", "When is homework 3 due?", **environment)
    assert SAID in caplog.text
    assert KEY not in caplog.text
    assert SAID in " ".join(shown.stderr.split())
    assert KEY not in shown.stderr + shown.stdout


def test_a_reply_names_no_model_in_the_trace(home: Path) -> None:
    choice, text = (json.loads(act.body) | {"model": SAID} for act in (CHOICE, answer()))
    with endpoint(sent(choice), sent(text)) as server, service(home, server.base_url) as client:
        body = client.post("/answer?pipeline=fc", json=asked()).json()
    assert {step["model"] for step in body["trace"] if step["model"]} == {"gpt-4.1-mini"}
    assert SAID not in json.dumps(body)


def test_calls_that_cannot_be_run_leave_nothing_of_theirs_in_the_trace(home: Path) -> None:
    ids = (f"id {SAID}", SAID)
    mixed = called((SAID, {SAID: 1}), ("logistics_retrieval", {"query": "homework 3", SAID: 1}),
                   ("logistics_retrieval", {"query": "homework 3 due"}), ids=(*ids, "x"))  # fmt: skip
    with endpoint(mixed, answer(confidence=0.123456789)) as server, service(home, server.base_url) as client:
        body = client.post("/answer?pipeline=fc", json=asked()).json()
    assert [call["id"] for call in body["function_calls"]] == ["call_2", "call_3"]
    assert "1 of 3 calls were dropped" in body["trace"][0]["note"]
    assert body["confidence"] == 0.123
    assert "thirty-six" not in json.dumps(body)


def test_an_answer_of_millions_of_letters_is_refused(home: Path) -> None:
    for length in (30_000, 10_800_000):
        with endpoint(CHOICE, answer("x " * (length // 2))) as server, service(home, server.base_url) as client:
            response = client.post("/answer?pipeline=fc", json=asked())
        assert (response.status_code, response.json()["type"]) == (502, "urn:edumod:problem:bad-reply")


def test_a_query_too_long_to_search_for_is_not_run(home: Path) -> None:
    long = called(("logistics_retrieval", {"query": "x" * 2_001}))
    with endpoint(long, CHOICE, answer()) as server, service(home, server.base_url) as client:
        body = client.post("/answer?pipeline=fc", json=asked()).json()
    assert [call["arguments"] for call in body["function_calls"]] == [{"query": "homework 3 due"}]


def test_a_dead_endpoint_gets_no_requests_and_readiness_reports_it(home: Path) -> None:
    with endpoint(failed(503, SAID)) as server, service(home, server.base_url) as client:
        assert client.get("/readyz").json()["checks"]["model"] == "ok"
        responses = [client.post("/answer", json=asked()) for _ in range(30)]
        ready = client.get("/readyz")
        assert len(server.requests) <= MAX_FAILURES + 5
    assert {response.status_code for response in responses} == {503}
    assert int(responses[-1].headers["retry-after"]) >= 1
    checks = ready.json()["checks"]
    assert (ready.status_code, checks["model"] == "ok") in [(503, False), (200, True)]
    assert not [word for word in WORDS if word in ready.text]


def test_a_course_may_go_on_offline_and_says_so(home: Path) -> None:
    with service(home, unused_url()) as client:
        assert client.post("/answer", json=asked("small")).status_code == 503
        bodies = [client.post(f"/answer?pipeline={name}", json=asked("lasting")).json()
                  for name in ("edison", "fc", "fc_forced", "fc_multihop", "fc_feedback", "fc_iterative")]  # fmt: skip
    for body in bodies:
        assert (body["status"], body["warnings"][0]) == ("answered", EXTRACTED)
        assert "19 February" in body["answer"]
        assert body["configuration"]["model"] == "gpt-4.1-mini"
        assert {step["model"] for step in body["trace"] if step["model"]} == {"offline"}
    assert bodies[1]["usage"]["calls"] > sum((step["usage"] or {"calls": 0})["calls"] for step in bodies[1]["trace"])


def test_an_offline_answer_takes_over_nothing_that_the_model_made_of_a_solution(home: Path) -> None:
    dice = "Compute the probability that two dice sum to seven"
    secret = "There are six of thirty-six outcomes, hence one sixth."
    choices = [Choice(calls=(FunctionCall(id="1", name="assignment_retrieval", arguments={"query": query}),))
               for query in (dice, secret)]  # fmt: skip
    llm = ScriptedLLM({ChooseFunctions: [*choices, Choice()], WriteAnswer: [ModelUnavailable(secret)]})
    with live(settings_in(home), llm) as client:
        response = client.post("/answer?pipeline=fc_iterative", json=asked("lasting"))
    assert response.json()["warnings"][0] == EXTRACTED
    assert "thirty-six" not in response.text


async def test_the_doctor_quotes_the_endpoint_without_the_key(tmp_path: Path) -> None:
    async with serving(failed(401, f"{SAID}: {KEY}")) as server:
        settings = settings_in(tmp_path, llm_base_url=server.base_url, llm_api_key=KEY)
        (found,) = await model_checks(settings)
    assert found.state is CheckState.ERROR
    assert SAID in found.finding
    assert KEY not in found.finding

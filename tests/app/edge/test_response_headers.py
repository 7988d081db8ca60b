"""What every response carries: a request id, and what tells browsers to be careful."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import httpx
import pytest

from app.operation.logs import WithIds
from core.errors import ModelUnavailable
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.types import FunctionCall
from tests.app.live import live, settings_in
from tests.app.pages import submit

QUESTION = {"course": "small", "question": {"body": "When is homework 3 due?"}}
CALLS = Choice(calls=(FunctionCall(id="c", name="logistics_retrieval", arguments={"query": "homework 3"}),))
REQUEST_ID = re.compile(r"[0-9a-f]{16}")


def responses(client: httpx.Client) -> list[httpx.Response]:
    """Of every kind: pages, JSON, events, problems of the app and of the edge, the description."""
    return [
        client.get("/"),
        client.post("/", data={"course": "small", "body": "When is homework 3 due?"}),
        client.get("/traces/nope/page"),
        client.get("/healthz"),
        client.get("/nope"),
        client.post("/answer", json={}),
        client.post("/answer", content=b"x" * 9_000_000),
        client.post("/answer", json=QUESTION),
        client.post("/answer", json=QUESTION, headers={"Accept": "text/event-stream"}),
        client.get("/", headers={"Host": "evil.example"}),
        client.post("/answer", json=QUESTION, headers={"Origin": "null"}),
        client.get("/docs"),
        client.get("/nope", headers={"Accept": "text/html"}),
        client.get("/openapi.json"),
    ]


def test_every_response_has_a_request_id_of_its_own_and_is_careful(client: httpx.Client) -> None:
    found = responses(client)
    assert all(REQUEST_ID.fullmatch(one.headers["x-request-id"]) for one in found)
    assert len({one.headers["x-request-id"] for one in found}) == len(found)
    for response in found:
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-opener-policy"] == "same-origin"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert response.headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
        assert "server" not in response.headers
        if response.headers.get("content-type") == "application/problem+json":
            assert response.json()["request_id"] == response.headers["x-request-id"]


def test_pages_allow_their_own_script_and_style_alone(client: httpx.Client) -> None:
    first, second = (client.get("/traces/nope/page") for _ in range(2))
    policy = first.headers["content-security-policy"]
    nonce = re.search(r"style-src 'self' 'nonce-([\w-]+)'", policy)
    assert nonce
    assert f'<style nonce="{nonce[1]}">' in first.text
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert nonce[1] not in second.text


def test_pages_have_no_inline_style_or_script(client: httpx.Client) -> None:
    answered = submit(client)
    trace = re.search(r"/traces/\w+/page", answered.text)
    assert trace
    for page in (answered, client.get(trace[0])):
        assert page.status_code == 200
        assert not re.search(r"<[^>]* style=|<script(?! src=\"/assets/)|<[^>]* on\w+=", page.text)


def test_a_clients_own_request_id_is_not_taken(client: httpx.Client) -> None:
    response = client.get("/healthz", headers={"X-Request-ID": "0123456789abcdef"})
    assert response.headers.get_list("x-request-id") != ["0123456789abcdef"]
    assert len(response.headers.get_list("x-request-id")) == 1


def logged_requests(caplog: pytest.LogCaptureFixture) -> set[str | None]:
    """The ids that errors in the log name, where the log adds ids as the service's does."""
    return {record.__dict__["request_id"] for record in caplog.records if record.levelno >= logging.ERROR}


def test_an_error_in_a_stream_and_in_the_log_names_the_request(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    down = ModelUnavailable("It is down.")
    caplog.handler.addFilter(WithIds())
    with caplog.at_level(logging.ERROR, "edumod"), live(settings_in(home), ScriptedLLM([CALLS, down, down])) as client:
        streamed = client.post("/answer?pipeline=fc", json=QUESTION, headers={"Accept": "text/event-stream"})
        plain = client.post("/answer?pipeline=fc", json=QUESTION)
    last = streamed.text.strip().split("\n\n")[-1]
    error = json.loads(next(line for line in last.split("\n") if line.startswith("data: ")).removeprefix("data: "))
    assert error["request_id"] == streamed.headers["x-request-id"]
    assert plain.status_code == 503
    assert plain.headers["x-request-id"] in logged_requests(caplog)


def test_an_unexpected_error_is_a_problem_that_names_its_request(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(WithIds())
    with live(settings_in(home), ScriptedLLM([ZeroDivisionError("secret")])) as client:
        response = client.post("/answer?pipeline=fc", json=QUESTION)
    assert (response.status_code, response.json()["type"]) == (500, "urn:edumod:problem:internal-error")
    assert response.json()["request_id"] == response.headers["x-request-id"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-request-id"] in logged_requests(caplog)
    assert "secret" not in response.text
    assert caplog.text.count("ZeroDivisionError: secret") == 1

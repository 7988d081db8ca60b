"""`/metrics` counts what the service does, by names that the installation knows."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.errors import ModelTimeout
from core.llm.breaker import MAX_FAILURES
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.types import FunctionCall
from tasks import ChooseFunctions, Statement, WriteAnswer, WrittenAnswer
from tests.app.edge.test_admission import busy
from tests.app.live import live, settings_in
from tests.servers.faults import unused_url

QUESTION = {"course": "small", "question": {"body": "When is homework 3 due, asks Violet?"}}
CALLS = Choice(calls=(FunctionCall(id="1", name="logistics_retrieval", arguments={"query": "homework 3 due"}),))
WRITTEN = WrittenAnswer(status="answered", statements=(Statement(text="On February 19."),), confidence=0.9)


def figures(text: str) -> dict[str, float]:
    """`name{labels}` -> value."""
    lines = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


@pytest.fixture
def service(home: Path) -> Iterator[httpx.Client]:
    """A server whose model answers the first question, and is too slow for the second."""
    llm = ScriptedLLM({ChooseFunctions: [CALLS, CALLS], WriteAnswer: [WRITTEN, ModelTimeout("slow")]}, model="quick")
    with live(settings_in(home, llm_prices={"quick": {"input": 1e6, "output": 0}}), llm) as client:
        yield client


def test_requests_are_counted_by_the_template_of_their_address_and_their_status(service: httpx.Client) -> None:
    for path in ("/healthz", "/healthz", "/v1/healthz", "/traces/violet", "/no/such/address"):
        service.get(path)
    service.head("/healthz")
    found = figures(service.get("/metrics").text)
    counted = "edumod_http_requests_total{method=%s,route=%s,status=%s}"
    assert found[counted % ('"GET"', '"/healthz"', '"200"')] == 3
    assert found[counted % ('"HEAD"', '"/healthz"', '"200"')] == 1
    assert found[counted % ('"GET"', '"/traces/{trace_id}"', '"404"')] == 1
    assert found[counted % ('"GET"', '"other"', '"404"')] == 1
    assert found['edumod_http_request_seconds_count{route="/healthz"}'] == 4


def test_answers_steps_and_model_calls_are_counted_with_their_outcome(service: httpx.Client) -> None:
    assert [service.post("/answer?pipeline=fc", json=QUESTION).status_code for _ in range(2)] == [200, 504]
    text = service.get("/metrics").text
    found = figures(text)
    answers = "edumod_answers_total{course=%s,outcome=%s,pipeline=%s}"
    assert found[answers % ('"small"', '"answered"', '"fc"')] == 1
    assert found[answers % ('"small"', '"model-timeout"', '"fc"')] == 1
    assert found['edumod_answer_seconds_count{pipeline="fc"}'] == 2
    assert found['edumod_model_calls_total{model="quick",outcome="ok"}'] == 3
    assert found['edumod_model_calls_total{model="quick",outcome="model-timeout"}'] == 1
    assert found['edumod_retrieval_seconds_count{retriever="tree"}'] == 2
    assert found['edumod_writing_seconds_count{model="quick"}'] == 2
    assert found['edumod_choosing_seconds_count{model="quick"}'] == 2
    assert (found["edumod_answers_under_way"], found["edumod_requests_waiting"]) == (0, 0)
    assert "Violet" not in text


def test_tokens_and_dollars_are_counted_by_model(service: httpx.Client) -> None:
    service.post("/answer?pipeline=fc", json=QUESTION)
    found = figures(service.get("/metrics").text)
    prompt = found['edumod_model_tokens_total{kind="prompt",model="quick"}']
    assert prompt > 0
    # A dollar for each token of a prompt.
    assert found['edumod_model_cost_dollars_total{model="quick"}'] == pytest.approx(prompt)


def test_a_model_that_keeps_failing_is_seen_by_its_breaker(home: Path) -> None:
    down = {"llm_base_url": unused_url(), "llm_model": "down", "llm_cache": False, "llm_max_retries": 0}
    with live(settings_in(home, **down)) as client:
        for _ in range(MAX_FAILURES):
            assert client.post("/answer?pipeline=fc&retriever=bm25", json=QUESTION).status_code == 503
        found = figures(client.get("/metrics").text)
    assert found['edumod_model_breaker_open{model="down"}'] == 1
    assert found['edumod_model_calls_total{model="down",outcome="model-unavailable"}'] == MAX_FAILURES
    assert found['edumod_model_requests_total{model="down"}'] == MAX_FAILURES


def test_requests_refused_for_want_of_room_are_counted(home: Path) -> None:
    with busy(home, max_queue=0) as (client, _, _):
        assert client.post("/answer", json=QUESTION).status_code == 503
        found = figures(client.get("/metrics").text)
    assert (found["edumod_refused_requests_total"], found["edumod_answers_under_way"]) == (1, 1)


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_clients_of_a_proxy_need_a_key_for_metrics(client: httpx.Client, header: str) -> None:
    refused = client.get("/metrics", headers={header: "203.0.113.1"})
    assert (refused.status_code, "edumod_" in refused.text) == (401, False)


def test_metrics_that_are_off_are_nowhere(home: Path) -> None:
    with live(settings_in(home, metrics="off")) as client:
        assert client.get("/metrics").status_code == 404


def test_metrics_on_an_address_of_their_own_are_there_alone(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with live(settings_in(home, metrics=address)) as client:
        client.get("/healthz")
        assert client.get("/metrics").status_code == 404
        shown = httpx.get(f"http://{address}/metrics")
    assert re.search(r'^edumod_http_requests_total\{.*route="/healthz".*\} 1', shown.text, re.MULTILINE)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://{address}/metrics")


@pytest.mark.parametrize("wrong", ["yes", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", ":9464", "http://a:9464"])
def test_a_setting_that_names_no_address_is_refused(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(ValueError, match="neither `local` nor `off` nor an address"):
        settings_in(tmp_path, metrics=wrong)

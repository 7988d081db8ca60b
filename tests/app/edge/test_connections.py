"""Connections that send or read slowly, and too many of them, are closed."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from app.edge.protocol import MAX_AHEAD
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Out, Task
from tasks import ChooseFunctions, WriteAnswer, WrittenAnswer
from tests.app.edge.raw import Raw
from tests.app.live import live, settings_in

QUICK = {"header_seconds": 0.4, "body_seconds": 0.6, "send_seconds": 0.6}
QUESTION = b'{"course": "small", "question": {"body": "When is homework 3 due?"}}'


@pytest.fixture(scope="module")
def quick(home: Path) -> Iterator[httpx.Client]:
    """A server that waits for clients less than a second."""
    with live(settings_in(home, **QUICK)) as client:
        yield client


def assert_times_out(raw: Raw) -> None:
    reply = raw.reply()
    assert (reply.status, reply.headers["content-type"]) == (408, "application/problem+json")
    assert reply.json()["type"] == "urn:edumod:problem:request-timeout"
    assert reply.json()["request_id"] == reply.headers["x-request-id"]
    assert reply.headers["connection"] == "close"
    assert raw.is_closed()


def test_a_client_that_sends_nothing_is_closed(quick: httpx.Client) -> None:
    with Raw(quick) as raw:
        assert raw.is_closed()


@pytest.mark.parametrize("half", [b"G", b"GET / HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nx: "])
def test_half_a_header_is_answered_with_a_timeout(quick: httpx.Client, half: bytes) -> None:
    with Raw(quick) as raw:
        raw.send(half)
        assert_times_out(raw)


def test_a_header_that_trickles_does_not_gain_time(quick: httpx.Client) -> None:
    with Raw(quick) as raw:
        raw.socket.settimeout(0.05)
        raw.send(b"GET /healthz HTTP/1.1\r\n")
        for _ in range(600):
            try:
                raw.send(b"x: y\r\n")
                if raw.socket.recv(12).startswith(b"HTTP/1.1 408"):
                    return
            except TimeoutError:
                continue
    raise AssertionError("The connection was not closed.")


def test_empty_lines_do_not_keep_a_connection_open(quick: httpx.Client) -> None:
    with Raw(quick) as raw:
        raw.request("GET", "/healthz")
        assert raw.reply().status == 200
        raw.socket.settimeout(0.05)
        for _ in range(600):
            try:
                raw.send(b"\r\n")
                if not raw.socket.recv(1):
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
    raise AssertionError("The connection was not closed.")


@pytest.mark.parametrize("body", [b"", QUESTION[:20]])
def test_half_a_body_is_answered_with_a_timeout(quick: httpx.Client, body: bytes) -> None:
    with Raw(quick) as raw:
        raw.send(
            b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n"
        )
        raw.send(body)
        assert_times_out(raw)


def test_half_a_chunked_body_is_answered_with_a_timeout(quick: httpx.Client) -> None:
    with Raw(quick) as raw:
        raw.send(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbody=\r\n")
        assert_times_out(raw)


def test_the_next_request_of_a_connection_has_the_same_time(quick: httpx.Client) -> None:
    with Raw(quick) as raw:
        raw.request("GET", "/healthz")
        assert raw.reply().status == 200
        raw.send(b"GET /healthz HTT")
        assert_times_out(raw)


def test_a_request_in_two_pieces_is_answered(client: httpx.Client) -> None:
    with Raw(client) as raw:
        head = b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        raw.send(head[:30])
        raw.send(head[30:] + b"Content-Length: %d\r\n\r\n" % len(QUESTION) + QUESTION[:9])
        raw.send(QUESTION[9:])
        assert raw.reply().status == 200


def test_a_client_that_never_reads_is_closed(quick: httpx.Client) -> None:
    with Raw(quick) as raw:
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # Far more than the buffers between both take: 400 times a long document.
        with suppress(ConnectionError):  # It may be closed before all are sent.
            for _ in range(400):
                raw.request("GET", "/openapi.json")
        ours = raw.socket.getsockname()[1]
        until = time.monotonic() + 60
        while is_held_by_server(ours):
            assert time.monotonic() < until, "The server still holds the connection."
            time.sleep(0.05)


def is_held_by_server(client_port: int) -> bool:
    """True while the server, which runs in this process, has its end of the connection open."""
    connections = psutil.Process().net_connections("tcp")
    return any(one.raddr and one.raddr.port == client_port for one in connections)


def test_a_connection_more_takes_the_place_of_the_one_that_has_been_idle_longest(home: Path) -> None:
    with live(settings_in(home, max_connections=3, header_seconds=60)) as client:
        idle = []
        for _ in range(3):
            idle.append(Raw(client))
            idle[-1].request("GET", "/healthz")
            assert idle[-1].reply().status == 200
        for raw in idle[1:]:
            raw.request("GET", "/healthz")
            assert raw.reply().status == 200
        with Raw(client) as newcomer:
            newcomer.request("GET", "/healthz")
            assert newcomer.reply().status == 200
            assert idle[0].is_closed()
            idle[2].request("GET", "/healthz")
            assert idle[2].reply().status == 200
        for raw in idle:
            raw.__exit__()


@pytest.mark.parametrize(
    "half", [b"", b"GET / HT", b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"]
)
def test_hundreds_of_idle_or_slow_connections_lock_nobody_out(home: Path, half: bytes) -> None:
    with live(settings_in(home, max_connections=20, header_seconds=60, body_seconds=60)) as client:
        held = []
        for _ in range(200):
            held.append(Raw(client))
            held[-1].send(half)
        for _ in range(5):
            assert httpx.get(f"{client.base_url}/healthz", timeout=10).status_code == 200
        for raw in held:
            raw.__exit__()


def test_a_connection_whose_answer_is_under_way_is_not_closed_for_others(home: Path) -> None:
    llm = Gated()
    with live(settings_in(home, max_connections=2), llm) as client:
        busy = [Raw(client) for _ in range(2)]
        for raw in busy:
            raw.request("POST", "/answer?pipeline=fc", "Content-Type: application/json", body=QUESTION)
        for _ in busy:
            assert llm.begun.acquire(timeout=30)
        with Raw(client) as one_too_many:
            reply = one_too_many.reply()
            assert (reply.status, reply.json()["type"]) == (503, "urn:edumod:problem:overloaded")
            assert "EDUMOD_MAX_CONNECTIONS" in reply.json()["detail"]
            assert int(reply.headers["retry-after"]) > 0
            assert one_too_many.is_closed()
        llm.gate.set()
        assert [raw.reply().status for raw in busy] == [200, 200]
        for raw in busy:
            raw.__exit__()


def test_what_is_not_http_is_a_problem_with_a_request_id(quick: httpx.Client) -> None:
    with Raw(quick) as raw:
        raw.send(b"this is not HTTP\r\n\r\n")
        reply = raw.reply()
        assert (reply.status, reply.headers["content-type"]) == (400, "application/problem+json")
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert len(reply.headers["x-request-id"]) == 16
        assert raw.is_closed()


class Gated(ScriptedLLM):
    """Answers when it may."""

    def __init__(self) -> None:
        written = WrittenAnswer(status="abstained", statements=(), confidence=0)
        super().__init__({ChooseFunctions: [Choice()], WriteAnswer: [written]})
        self.begun, self.gate = threading.Semaphore(0), threading.Event()

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        self.begun.release()
        await asyncio.to_thread(self.gate.wait, 30)
        return await super().run(task, sampling)


@pytest.mark.parametrize("next_request", [b"", b"GET /healthz HTTP/1.1\r\nHo"])
def test_an_answer_takes_its_time_whatever_the_client_sends_meanwhile(home: Path, next_request: bytes) -> None:
    llm: Any = Gated()
    with live(settings_in(home, **QUICK), llm) as client, Raw(client) as raw:
        raw.request("POST", "/answer?pipeline=fc", "Content-Type: application/json", body=QUESTION)
        assert llm.begun.acquire(timeout=30)
        raw.send(next_request)
        # Longer than any of the limits: whoever waits for an answer is not slow.
        raw.socket.settimeout(1.5)
        with pytest.raises(TimeoutError):
            raw.socket.recv(1)
        raw.socket.settimeout(30)
        llm.gate.set()
        with Raw(client) as other:
            other.request("GET", "/healthz")
            assert other.reply().status == 200
        assert raw.reply().status == 200


def test_requests_sent_ahead_without_end_are_cut_off(client: httpx.Client) -> None:
    ahead = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with Raw(client) as raw:
        raw.send(ahead * 3)
        assert [raw.reply().status for _ in range(3)] == [200] * 3
    with Raw(client) as raw:
        raw.send(ahead * 2_000)
        received = bytearray()
        try:
            while piece := raw.socket.recv(65_536):
                received += piece
        except ConnectionError:
            pass  # What was not read any more resets the connection.
        assert received.count(b"HTTP/1.1 200") <= 2 * MAX_AHEAD

"""Which of two media types an Accept header asks for."""

from __future__ import annotations

import httpx
import pytest

from app.edge.accept import asks_for

STREAM, JSON = "text/event-stream", "application/json"


@pytest.mark.parametrize(
    ("accept", "asked"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream; charset=utf-8", True),
        ("application/json, text/event-stream;q=0.1", False),
        ("application/json;q=0.5, text/event-stream;q=0.9", True),
        ("application/json, text/event-stream", True),
        ("text/event-stream;q=0", False),
        ("text/event-stream;q=0.000", False),
        ("text/event-stream;q=0.5, */*;q=0.8", False),
        ("text/event-stream;q=0.5, */*;q=0.1", True),
        ("text/event-stream;q=0.5, application/*;q=0.8, */*;q=0.1", False),
        ("application/json;q=0.2, text/event-stream;q=0.5, */*", True),
        ("text/event-stream;q=high", False),
        ("text/event-stream-like", False),
        ("*/*", False),
        ("text/*", False),
        ("", False),
    ],
)
def test_a_stream_is_sent_where_it_is_named_and_liked_as_well_as_json(accept: str, asked: bool) -> None:
    assert asks_for(STREAM, accept, rather_than=JSON) is asked


def test_an_answer_follows_the_quality_values(client: httpx.Client) -> None:
    body = {"course": "small", "question": {"body": "When is homework 3 due?"}}
    headers = {"Accept": "application/json, text/event-stream;q=0.1"}
    assert client.post("/answer", json=body, headers=headers).headers["content-type"] == "application/json"

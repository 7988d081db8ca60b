"""Streams that break, stall, or are left early."""

from __future__ import annotations

import asyncio

import pytest

from core.errors import (
    BadReply,
    ContextOverflow,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from core.llm.openai import OpenAILLM
from tests.core.llm.endpoint import RETRIES, Say, served
from tests.servers.faults import FAULTS, Act, failed, said, streamed


async def text_of(llm: OpenAILLM) -> str:
    return "".join([text async for text in llm.stream(Say())])


async def test_a_stream_yields_its_texts() -> None:
    async with served(streamed("B", "-", "tree")) as (llm, server):
        assert [text async for text in llm.stream(Say())] == ["B", "-", "tree"]
        assert server.requests[0]["stream"] is True


OVERFLOW = '{"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error"}}'
BROKEN_STREAMS: dict[str, tuple[Act, type[ModelError], int]] = {
    "no finish reason": (streamed("B", finish_reason=None), BadReply, 1),
    "no end at all": (streamed("B", finish_reason=None, extra=()), BadReply, 1),
    "no events": (Act(b"", content_type="text/event-stream"), BadReply, 1),
    "no text": (streamed(), BadReply, 1),
    "cut at the length limit": (streamed("B", finish_reason="length"), BadReply, 1),
    "filtered": (streamed("B", finish_reason="content_filter"), BadReply, 1),
    "error event": (streamed("B", finish_reason=None, extra=('{"error": {"message": "boom"}}',)), BadReply, 1),
    "error event for a long prompt": (streamed(finish_reason=None, extra=(OVERFLOW,)), ContextOverflow, 1),
    "chunk that is not JSON": (streamed("B", finish_reason=None, extra=("{half",)), BadReply, 1),
    "chunk that is a list": (streamed("B", finish_reason=None, extra=("[1]",)), BadReply, 1),
    "HTML": (FAULTS["HTML with status 200"], BadReply, 1),
    "error with status 200": (FAULTS["error with status 200"], BadReply, 1),
    "wrong key": (failed(401), ModelRefused, 1),
    "too long": (failed(400, "too long", code="context_length_exceeded"), ContextOverflow, 1),
    "overloaded": (failed(503), ModelUnavailable, 1 + RETRIES),
    "reset at once": (FAULTS["reset at once"], ModelUnavailable, 1 + RETRIES),
    "closed at once": (FAULTS["closed at once"], ModelUnavailable, 1 + RETRIES),
    "reset after a text": (streamed("B", "-", "tree", reset_after=350), ModelUnavailable, 1),
}


@pytest.mark.parametrize("fault", BROKEN_STREAMS)
async def test_a_broken_stream_ends_in_a_typed_error(fault: str) -> None:
    act, error, requests = BROKEN_STREAMS[fault]
    async with served(act) as (llm, server):
        with pytest.raises(error):
            await text_of(llm)
        assert len(server.requests) == requests


@pytest.mark.parametrize("act", [failed(429, retry_after="0"), failed(500), FAULTS["reset at once"]])
async def test_a_stream_that_did_not_begin_is_tried_again(act: Act) -> None:
    async with served(act, streamed("fine")) as (llm, server):
        assert await text_of(llm) == "fine"
        assert len(server.requests) == 2


async def test_a_server_that_does_not_stream_is_read_whole() -> None:
    async with served(said("all at once")) as (llm, _):
        assert await text_of(llm) == "all at once"


async def test_a_stream_ends_well_where_the_connection_breaks_after_the_finish_reason() -> None:
    body = streamed("fine", extra=()).body
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {len(body) + 99}\r\n\r\n"
    async with served(Act(raw=head.encode() + body)) as (llm, _):
        assert await text_of(llm) == "fine"


async def test_the_deadline_ends_a_slow_stream() -> None:
    async with served(streamed(*"abcdefghij" * 10, drip=0.2), seconds=3.0) as (llm, server):
        with pytest.raises(ModelTimeout):
            await text_of(llm)
        await asyncio.wait_for(server.hung_up.wait(), 30)
        assert len(server.requests) == 1


async def test_a_consumer_that_stops_early_hangs_up() -> None:
    async with served(streamed(*"abcdefghij" * 10, drip=0.1), concurrency=1) as (llm, server):
        texts = llm.stream(Say())
        assert await anext(texts) == "a"
        await texts.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(server.hung_up.wait(), 30)

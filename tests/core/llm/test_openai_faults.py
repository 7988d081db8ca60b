"""Every way in which an endpoint can fail ends in a typed error or in a repaired call, after few requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import perf_counter
from typing import Any, ClassVar, Literal

import pytest
from pydantic import BaseModel

from core.errors import (
    BadReply,
    ContextOverflow,
    MissingCapability,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    SetupError,
)
from core.llm.base import Sampling
from core.llm.openai import OpenAILLM
from core.llm.task import CallResult, Choice, Task, ToolTask, YesNoTask
from core.types import FunctionCall, FunctionSpec
from tests.servers.faults import (
    FAULTS,
    Act,
    FaultServer,
    called,
    completed,
    failed,
    said,
    sent,
    serving,
    streamed,
    unused_url,
)

KEY = "sk-this-must-never-be-shown"
RETRIES = 1


class Say(Task[str]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Say something."
    text: str = "hello"


class Grade(BaseModel):
    mark: Literal["pass", "fail"]
    reasons: tuple[str, ...]


class GiveGrade(Task[Grade]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Grade the text."
    text: str = "2 + 2 = 4"


class IsRelevant(YesNoTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = 'Is the text relevant? Answer "yes" or "no".'
    text: str = "B-trees"


SEARCH = FunctionSpec(
    name="textbook_retrieval",
    description="Search the textbook.",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string"}, "top_k": {"type": "integer", "minimum": 1}},
        "required": ["query"],
        "additionalProperties": False,
    },
)


class Choose(ToolTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Choose functions."
    functions: tuple[FunctionSpec, ...] = (SEARCH,)
    text: str = "What is a B-tree?"


GOOD_CALL = called(("textbook_retrieval", {"query": "B-tree"}))


def model_at(base_url: str, *, seconds: float = 20.0, concurrency: int = 8) -> OpenAILLM:
    return OpenAILLM(
        base_url=base_url,
        api_key=KEY,
        model="faulty",
        deadline_seconds=seconds,
        max_retries=RETRIES,
        concurrency=concurrency,
    )


@asynccontextmanager
async def served(*acts: Act, **options: Any) -> AsyncIterator[tuple[OpenAILLM, FaultServer]]:
    async with serving(*acts) as server:
        llm = model_at(server.base_url, **options)
        try:
            yield llm, server
        finally:
            await llm.aclose()


async def text_of(llm: OpenAILLM) -> str:
    return "".join([text async for text in llm.stream(Say())])


BAD = [name for name in FAULTS if not name.startswith(("HTML with status 5", "busy", "not gzip"))]
LOST = [name for name in BAD if name.startswith(("reset", "closed", "not HTTP"))]
SLOW = [name for name in BAD if name.startswith("slow")]
UNUSABLE = [name for name in BAD if name not in (*LOST, *SLOW)]
PASSING = [*LOST, *(name for name in FAULTS if name not in BAD)]


@pytest.mark.parametrize("fault", UNUSABLE)
async def test_an_unusable_reply_is_a_bad_reply_after_one_request(fault: str) -> None:
    async with served(FAULTS[fault]) as (llm, server):
        with pytest.raises(BadReply, match="The model 'faulty' at http"):
            await llm.run(Say())
        assert len(server.requests) == 1


@pytest.mark.parametrize("fault", PASSING)
async def test_a_passing_fault_is_retried_and_then_makes_the_model_unavailable(fault: str) -> None:
    async with served(FAULTS[fault]) as (llm, server):
        with pytest.raises(ModelUnavailable):
            await llm.run(Say())
        assert len(server.requests) == 1 + RETRIES


@pytest.mark.parametrize("fault", PASSING)
async def test_a_passing_fault_that_passes_does_no_harm(fault: str) -> None:
    async with served(FAULTS[fault], said("fine")) as (llm, server):
        assert (await llm.run(Say())).value == "fine"
        assert len(server.requests) == 2


@pytest.mark.parametrize("fault", SLOW)
async def test_the_deadline_ends_a_slow_reply(fault: str) -> None:
    async with served(FAULTS[fault], seconds=0.5) as (llm, server):
        started = perf_counter()
        with pytest.raises(ModelTimeout, match="EDUMOD_LLM_DEADLINE_SECONDS"):
            await llm.run(Say())
        assert len(server.requests) == 1
        # The first use of the client loads it, outside of the deadline.
        assert perf_counter() - started < 15


async def test_the_deadline_covers_retries_and_repairs() -> None:
    slow = Act(failed(500).body, status=500, wait=0.4)
    async with served(slow, slow, said("fine"), seconds=0.6) as (llm, server):
        with pytest.raises((ModelTimeout, ModelUnavailable)):
            await llm.run(Say())
        assert len(server.requests) <= 2


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    llm = model_at(unused_url())
    with pytest.raises(ModelUnavailable, match="EDUMOD_LLM_BASE_URL"):
        await llm.run(Say())
    await llm.aclose()


REFUSALS: list[tuple[Act, type[ModelError], str]] = [
    (failed(401, f"Incorrect API key provided: {KEY}"), ModelRefused, "EDUMOD_LLM_API_KEY"),
    (failed(403), ModelRefused, "EDUMOD_LLM_API_KEY"),
    (failed(404, "The model `faulty` does not exist"), ModelRefused, "EDUMOD_LLM_MODEL"),
    (sent({"detail": "Not Found"}, status=404), ModelRefused, "EDUMOD_LLM_BASE_URL ends in /v1"),
    (failed(400, "temperature is out of range"), ModelRefused, "temperature is out of range"),
    (sent({"error": "bad request"}, status=400), ModelRefused, "bad request"),
    (failed(402), ModelRefused, "no credit"),
    (failed(429, "You exceeded your quota", code="insufficient_quota"), ModelRefused, "no credit"),
    (failed(400, "too long", code="context_length_exceeded"), ContextOverflow, "Send less text"),
    (failed(400, "request (9 tokens) exceeds it", type="exceed_context_size_error"), ContextOverflow, "Send less"),
    (failed(400, "This model's maximum context length is 4096 tokens."), ContextOverflow, "4096"),
    (failed(413), ContextOverflow, "Send less text"),
]


@pytest.mark.parametrize(("act", "error", "words"), REFUSALS, ids=[f"{a.status}-{w}" for a, _, w in REFUSALS])
async def test_a_refusal_is_not_retried_and_names_the_remedy(act: Act, error: type[ModelError], words: str) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(error, match=words):
            await llm.run(Say())
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
async def test_a_transient_status_is_retried(status: int) -> None:
    async with served(failed(status), said("fine")) as (llm, server):
        assert (await llm.run(Say())).value == "fine"
        assert len(server.requests) == 2


async def test_a_call_is_retried_as_often_as_allowed() -> None:
    async with serving(failed(500, retry_after="0")) as server:
        llm = OpenAILLM(base_url=server.base_url, api_key=KEY, model="faulty", max_retries=5)
        with pytest.raises(ModelUnavailable):
            await llm.run(Say())
        await llm.aclose()
        assert len(server.requests) == 6


async def test_the_key_is_sent_but_shown_nowhere() -> None:
    async with served(failed(401, f"wrong key {KEY}"), said(f"{KEY} {{", refusal=f"no: {KEY}")) as (llm, server):
        for _ in range(2):
            with pytest.raises(ModelError) as caught:
                await llm.run(Say())
            shown = [repr(caught.value), str(caught.value), repr(caught.value.__cause__)]
            assert not [text for text in shown if KEY in text]
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_a_query_in_the_url_is_not_shown() -> None:
    llm = model_at(f"{unused_url()}?key=secret")
    with pytest.raises(ModelUnavailable) as caught:
        await llm.run(Say())
    assert "secret" not in str(caught.value)
    await llm.aclose()


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000/v1", "ftp://host/v1", "https:///v1", "http://[half/v1", "http://h:x/v1", "http://me:pw@h/v1"],
)
def test_a_base_url_that_cannot_be_used_is_refused_at_once(url: str) -> None:
    with pytest.raises(SetupError, match="EDUMOD_LLM_BASE_URL") as caught:
        model_at(url)
    assert "pw@" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-küche", "sk-two\nlines", "sk-a b"])
def test_a_key_that_fits_no_header_is_refused_at_once(key: str) -> None:
    with pytest.raises(SetupError, match="EDUMOD_LLM_API_KEY") as caught:
        OpenAILLM(base_url="http://localhost/v1", api_key=key, model="m")
    assert key not in str(caught.value)


async def test_retry_after_is_waited_for() -> None:
    async with served(failed(429, retry_after="0.5"), said("fine")) as (llm, _):
        await llm._connected()
        started = perf_counter()
        await llm.run(Say())
        assert perf_counter() - started >= 0.5


@pytest.mark.parametrize(
    "retry_after", ["3600", format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)], ids=["s", "date"]
)
async def test_a_retry_after_beyond_the_deadline_fails_at_once_and_is_passed_on(retry_after: str) -> None:
    async with served(failed(503, retry_after=retry_after)) as (llm, server):
        with pytest.raises(ModelUnavailable) as caught:
            await llm.run(Say())
        assert caught.value.retry_after == pytest.approx(3600, abs=120)
        assert len(server.requests) == 1


@pytest.mark.parametrize("retry_after", ["soon", "", "-5", "nan", "inf", "Wed, 21 Oct 2015 07:28:00 GMT"])
async def test_an_odd_retry_after_does_not_stop_the_retry(retry_after: str) -> None:
    async with served(failed(503, retry_after=retry_after), said("fine")) as (llm, _):
        assert (await llm.run(Say())).value == "fine"


@pytest.mark.parametrize("usage", [None, "much", {"prompt_tokens": None}, {"prompt_tokens": -3}, {}])
async def test_usage_that_is_missing_or_odd_counts_as_no_tokens(usage: object) -> None:
    reply = json.loads(said("fine").body) | {"usage": usage}
    async with served(sent(reply)) as (llm, _):
        usage_read = (await llm.run(Say())).usage
        assert (usage_read.calls, usage_read.prompt_tokens, usage_read.completion_tokens) == (1, 0, 0)


async def test_a_reply_says_which_model_served_it_and_what_it_took() -> None:
    async with served(said("fine")) as (llm, server):
        reply = await llm.run(Say(), Sampling(model="other", temperature=0.5, seed=7))
        assert reply.model == "faulty-2025"
        assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (10, 5)
        assert reply.usage.model_ms > 0
        body = server.requests[0]
        assert (body["model"], body["temperature"], body["seed"]) == ("other", 0.5, 7)


async def test_no_more_calls_are_under_way_than_allowed() -> None:
    async with served(Act(said("fine").body, wait=0.1), concurrency=2) as (llm, server):
        await asyncio.gather(*(llm.run(Say()) for _ in range(6)))
        assert server.most_under_way == 2


async def test_waiting_for_a_place_does_not_count_towards_the_deadline() -> None:
    async with served(Act(said("fine").body, wait=0.3), concurrency=1, seconds=2.0) as (llm, server):
        await asyncio.gather(*(llm.run(Say()) for _ in range(8)))
        assert len(server.requests) == 8


async def test_a_cancelled_call_hangs_up_and_gives_its_place_back() -> None:
    async with served(Act(said("late").body, wait=30), said("fine"), concurrency=1) as (llm, server):
        call = asyncio.create_task(llm.run(Say()))
        await server.asked.wait()
        call.cancel()
        await asyncio.wait_for(server.hung_up.wait(), 10)
        assert (await llm.run(Say())).value == "fine"


# Functions


BROKEN_CALLS = {
    "unknown function": called(("grep", {"query": "B-tree"})),
    "no name": called(("", {"query": "B-tree"})),
    "cut arguments": called(("textbook_retrieval", '{"query": "B-tr')),
    "arguments are a list": called(("textbook_retrieval", "[1]")),
    "arguments missing": called(("textbook_retrieval", "")),
    "wrong type": called(("textbook_retrieval", {"query": 7})),
    "out of bounds": called(("textbook_retrieval", {"query": "B-tree", "top_k": 0})),
    "extra argument": called(("textbook_retrieval", {"query": "B-tree", "page": 3})),
    "not a number": called(("textbook_retrieval", '{"query": "B-tree", "top_k": NaN}')),
    "one good, one bad": called(("textbook_retrieval", {"query": "B-tree"}), ("grep", {})),
    "no function": said(None, tool_calls=[{"id": "1", "type": "custom"}]),
}


@pytest.mark.parametrize("broken", BROKEN_CALLS.values(), ids=BROKEN_CALLS)
async def test_a_broken_call_is_repaired(broken: Act) -> None:
    async with served(broken, GOOD_CALL) as (llm, server):
        reply = await llm.run(Choose(required=True))
        assert [call.arguments for call in reply.value.calls] == [{"query": "B-tree"}]
        assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (2, 20, 10)
        *_, asked, first = [m for m in server.requests[1]["messages"] if m["role"] in ("assistant", "tool")][:2]
        assert first["tool_call_id"] == asked["tool_calls"][0]["id"]
        assert [json.loads(call["function"]["arguments"]) for call in asked["tool_calls"]]


@pytest.mark.parametrize("broken", BROKEN_CALLS.values(), ids=BROKEN_CALLS)
async def test_a_call_that_stays_broken_is_a_bad_reply_that_says_why(broken: Act) -> None:
    async with served(broken) as (llm, server):
        with pytest.raises(BadReply, match=r"there is no function|the arguments of textbook_retrieval"):
            await llm.run(Choose())
        assert len(server.requests) == 3


@pytest.mark.parametrize("prose", [said("A B-tree is ..."), said(None), said("")], ids=["prose", "null", "empty"])
async def test_a_required_call_that_never_comes_is_a_missing_capability(prose: Act) -> None:
    async with served(prose) as (llm, server):
        with pytest.raises(MissingCapability, match="tool_choice") as caught:
            await llm.run(Choose(required=True))
        assert caught.value.capability == "tools"
        assert len(server.requests) == 3
        assert {request["tool_choice"] for request in server.requests} == {"required"}


async def test_a_required_call_may_come_late() -> None:
    async with served(said("Let me see."), GOOD_CALL) as (llm, _):
        assert len((await llm.run(Choose(required=True))).value.calls) == 1


@pytest.mark.parametrize("content", ["Nothing to look up.", "", None])
async def test_calling_nothing_is_a_choice_where_no_call_is_required(content: str | None) -> None:
    async with served(said(content)) as (llm, server):
        assert (await llm.run(Choose())).value == Choice(text=content or "")
        assert server.requests[0]["tool_choice"] == "auto"


async def test_fifty_calls_at_once_become_sixteen() -> None:
    calls = called(*(("textbook_retrieval", {"query": f"topic {n}"}) for n in range(50)))
    async with served(calls) as (llm, _):
        found = (await llm.run(Choose())).value.calls
        assert [call.arguments["query"] for call in found] == [f"topic {n}" for n in range(16)]


async def test_calls_for_the_same_are_merged_whatever_the_order_of_their_arguments() -> None:
    twice = ("textbook_retrieval", '{"query": "a", "top_k": 2}'), ("textbook_retrieval", '{"top_k": 2, "query": "a"}')
    async with served(called(*twice)) as (llm, _):
        assert len((await llm.run(Choose())).value.calls) == 1


@pytest.mark.parametrize("ids", [("", ""), (None, None), ("same", "same"), ("old", "old")])
async def test_calls_get_ids_of_their_own(ids: tuple[str | None, ...]) -> None:
    old = CallResult(call=FunctionCall(id="old", name="textbook_retrieval", arguments={"query": "x"}))
    calls = called(("textbook_retrieval", {"query": "a"}), ("textbook_retrieval", {"query": "b"}), ids=ids)
    async with served(calls) as (llm, _):
        found = (await llm.run(Choose(history=((old,),)))).value.calls
        assert len({"old", "", *(call.id for call in found)}) == 4


async def test_arguments_may_come_as_an_object_instead_of_text() -> None:
    raw = {"id": "1", "function": {"name": "textbook_retrieval", "arguments": {"query": "a"}}}
    async with served(said(None, tool_calls=[raw])) as (llm, _):
        assert (await llm.run(Choose())).value.calls[0].arguments == {"query": "a"}


async def test_calls_cut_at_the_length_limit_are_a_bad_reply() -> None:
    async with served(called(("textbook_retrieval", '{"query": "B'), finish_reason="length")) as (llm, server):
        with pytest.raises(BadReply, match="truncated"):
            await llm.run(Choose())
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "act",
    [
        failed(400, '"auto" tool choice requires --enable-auto-tool-choice'),
        sent({"error": "faulty does not support tools"}, status=400),
        failed(404, "No endpoints found that support tool use"),
        failed(501),
    ],
)
async def test_a_server_that_refuses_functions_lacks_a_capability(act: Act) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(MissingCapability) as caught:
            await llm.run(Choose())
        assert caught.value.capability == "tools"
        assert len(server.requests) == 1


# Structured output


GOOD_GRADE = said('{"mark": "pass", "reasons": ["right"]}')
BAD_GRADES = {
    "not JSON": said("I would say: pass"),
    "half": said('{"mark": "pass", "reas'),
    "wrong value": said('{"mark": "maybe", "reasons": []}'),
    "missing field": said('{"mark": "pass"}'),
    "a list": said("[1]"),
    "half a surrogate pair": said('{"mark": "pass", "reasons": ["\\ud800"]}'),
}


@pytest.mark.parametrize("bad", BAD_GRADES.values(), ids=BAD_GRADES)
async def test_a_reply_that_breaks_the_schema_is_repaired(bad: Act) -> None:
    async with served(bad, bad, GOOD_GRADE) as (llm, server):
        reply = await llm.run(GiveGrade())
        assert reply.value == Grade(mark="pass", reasons=("right",))
        assert (reply.usage.calls, reply.usage.prompt_tokens) == (3, 30)
        assert "does not fit the schema" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("bad", BAD_GRADES.values(), ids=BAD_GRADES)
async def test_a_reply_that_keeps_breaking_the_schema_is_a_bad_reply(bad: Act) -> None:
    async with served(bad) as (llm, server):
        with pytest.raises(BadReply, match="does not fit the schema"):
            await llm.run(GiveGrade())
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    "text", ['```json\n{"mark": "pass", "reasons": []}\n```', 'So: {"mark": "pass", "reasons": []}']
)
async def test_the_object_is_found_in_a_fence_or_behind_words(text: str) -> None:
    async with served(said(text)) as (llm, server):
        assert (await llm.run(GiveGrade())).value.mark == "pass"
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 404, 422, 501])
async def test_json_mode_stands_in_for_json_schema_and_is_remembered(status: int) -> None:
    async with served(failed(status, "unknown response_format"), GOOD_GRADE) as (llm, server):
        for _ in range(2):
            assert (await llm.run(GiveGrade())).value.mark == "pass"
        formats = [request["response_format"]["type"] for request in server.requests]
        assert formats == ["json_schema", "json_object", "json_object"]
        assert '"additionalProperties": false' in server.requests[1]["messages"][0]["content"]


async def test_what_one_model_lacks_is_not_held_against_another() -> None:
    async with served(failed(400), GOOD_GRADE) as (llm, server):
        await llm.run(GiveGrade())
        await llm.run(GiveGrade(), Sampling(model="other"))
        assert server.requests[-1]["response_format"]["type"] == "json_schema"


async def test_a_server_without_json_mode_lacks_a_capability() -> None:
    async with served(failed(400, "unknown response_format")) as (llm, server):
        with pytest.raises(MissingCapability, match="unknown response_format") as caught:
            await llm.run(GiveGrade())
        assert caught.value.capability == "json_schema"
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (failed(404, "The model `faulty` does not exist"), ModelRefused),
        (failed(400, "too long", code="context_length_exceeded"), ContextOverflow),
        (failed(401), ModelRefused),
    ],
)
async def test_json_mode_is_not_tried_where_the_format_was_not_the_reason(act: Act, error: type[ModelError]) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(error):
            await llm.run(GiveGrade())
        assert len(server.requests) == 1


async def test_a_task_for_a_bare_truth_value_is_a_mistake_of_the_caller() -> None:
    async with served(said("yes")) as (llm, _):
        with pytest.raises(TypeError, match="IsRelevant"):
            await llm.run(IsRelevant())


# Streams


async def test_a_stream_yields_its_texts() -> None:
    async with served(streamed("B", "-", "tree")) as (llm, server):
        assert [text async for text in llm.stream(Say())] == ["B", "-", "tree"]
        assert server.requests[0]["stream"] is True


BROKEN_STREAMS: dict[str, tuple[Act, type[ModelError], int]] = {
    "no finish reason": (streamed("B", finish_reason=None), BadReply, 1),
    "no end at all": (streamed("B", finish_reason=None, extra=()), BadReply, 1),
    "no events": (Act(b"", content_type="text/event-stream"), BadReply, 1),
    "no text": (streamed(), BadReply, 1),
    "cut at the length limit": (streamed("B", finish_reason="length"), BadReply, 1),
    "filtered": (streamed("B", finish_reason="content_filter"), BadReply, 1),
    "error event": (streamed("B", finish_reason=None, extra=('{"error": {"message": "boom"}}',)), BadReply, 1),
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


@pytest.mark.parametrize("act", [failed(429, retry_after="0"), failed(500), *(FAULTS[name] for name in LOST[:1])])
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
    async with served(streamed(*"abcdefghij" * 10, drip=0.2), seconds=1.0) as (llm, server):
        with pytest.raises(ModelTimeout):
            await text_of(llm)
        await asyncio.wait_for(server.hung_up.wait(), 10)
        assert len(server.requests) == 1


async def test_a_consumer_that_stops_early_hangs_up() -> None:
    async with served(streamed(*"abcdefghij" * 10, drip=0.1), concurrency=1) as (llm, server):
        texts = llm.stream(Say())
        assert await anext(texts) == "a"
        await texts.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(server.hung_up.wait(), 10)


# Probabilities


def judged(*tokens: tuple[str, float | None], sampled: tuple[str, float] = ("Maybe", -1.0)) -> Act:
    top = [{"token": token, "logprob": logprob} for token, logprob in tokens]
    content = [{"token": sampled[0], "logprob": sampled[1], "top_logprobs": top}]
    return completed({"role": "assistant", "content": sampled[0]}, "length", logprobs={"content": content})


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (judged(("yes", -0.6931), ("no", -1.3863)), 2 / 3),
        (judged(("Yes", -1.3863), (" yes", -1.3863), ("NO", -1.3863)), 2 / 3),
        (judged(("Ġyes", -1.0), ("▁No", -1.0)), 0.5),
        (judged(("yes", -1.0), ("yesterday", -0.1)), 1.0),
        (judged(("no", -1.0), ("yes", None)), 0.0),
        (judged(sampled=("No", -0.1)), 0.0),
        (judged(("No", -0.6931), ("yes", -0.6931), sampled=("No", -0.6931)), 0.5),
    ],
)
async def test_the_probability_sums_all_spellings(act: Act, expected: float) -> None:
    async with served(act) as (llm, server):
        reply = await llm.probability(IsRelevant())
        assert reply.value == pytest.approx(expected, abs=1e-3)
        assert (server.requests[0]["max_tokens"], server.requests[0]["top_logprobs"]) == (1, 20)


@pytest.mark.parametrize("act", [judged(("Maybe", -0.1)), judged(("yes", -9999.0)), FAULTS["no choices"]])
async def test_neither_yes_nor_no_is_a_bad_reply(act: Act) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(BadReply):
            await llm.probability(IsRelevant())
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "act",
    [
        said("yes", "length"),
        completed({"content": "yes"}, logprobs={"content": []}),
        failed(400, "logprobs is not supported by this model"),
        failed(422, "unknown field top_logprobs"),
        failed(501),
    ],
)
async def test_a_server_without_logprobs_lacks_a_capability(act: Act) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(MissingCapability) as caught:
            await llm.probability(IsRelevant())
        assert caught.value.capability == "logprobs"
        assert len(server.requests) == 1

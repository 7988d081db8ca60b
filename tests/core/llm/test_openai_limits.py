"""Replies that are too large, packed too well, nested too deep, or that send the client elsewhere."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib

import pytest

from core.errors import BadReply, ModelError, ModelRefused, ModelUnavailable
from core.llm.completion import MAX_CALLS, MAX_TEXT_CHARS
from core.llm.replies import MAX_ARGUMENTS_CHARS
from core.llm.task import CallResult
from core.types import FunctionCall
from tests.core.llm.endpoint import GOOD_CALL, Choose, GiveGrade, IsRelevant, Say, served
from tests.servers.faults import Act, called, completed, failed, said, sent, serving

MIB = 2**20
LIMIT = 4 * MIB
GZIP = (("Content-Encoding", "gzip"),)


def zeros(count: int) -> bytes:
    """So many MiB of zeros as gzip, a thousandth of that long."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return b"".join([*(packer.compress(bytes(MIB)) for _ in range(count)), packer.flush()])


async def test_a_reply_over_the_limit_is_refused() -> None:
    async with served(said("x" * LIMIT)) as (llm, server):
        with pytest.raises(BadReply, match="more than 4,194,304 bytes"):
            await llm.run(Say())
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [200, 503])
async def test_a_small_body_that_inflates_to_gigabytes_is_inflated_up_to_the_limit_alone(status: int) -> None:
    async with served(Act(zeros(200), status=status, headers=GZIP)) as (llm, _):
        await llm._connected()
        tracemalloc.start()
        try:
            with pytest.raises(ModelError):
                await llm.run(Say())
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 32 * MIB


async def test_a_reply_in_gzip_is_read() -> None:
    async with served(Act(gzip.compress(said("fine").body), headers=GZIP)) as (llm, server):
        assert (await llm.run(Say())).value == "fine"
        assert server.headers[0]["accept-encoding"] == "gzip"


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "rot13"])
async def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    async with served(Act(said("fine").body, headers=(("Content-Encoding", encoding),))) as (llm, _):
        with pytest.raises(BadReply, match="only gzip"):
            await llm.run(Say())


@pytest.mark.parametrize("status", [400, 500])
async def test_of_a_large_error_only_the_beginning_is_read(status: int) -> None:
    act = failed(status, "too bad " * MIB)
    async with served(act) as (llm, _):
        with pytest.raises(ModelError) as caught:
            await llm.run(Say())
    assert isinstance(caught.value, ModelRefused if status == 400 else ModelUnavailable)
    assert "too bad" in str(caught.value)
    assert len(str(caught.value)) < 700


NESTED = b'{"choices": ' + b"[" * 100_000
ODD_STREAMS = {"nested": NESTED, "a long number": b'{"choices": ' + b"9" * 10_000 + b"}"}


async def test_arguments_nested_too_deep_are_handed_back() -> None:
    deep = '{"query": ' + "[" * 9_000 + "]" * 9_000 + "}"
    async with served(called(("textbook_retrieval", deep)), GOOD_CALL) as (llm, _):
        assert len((await llm.run(Choose())).value.calls) == 1


async def test_arguments_that_are_too_long_are_handed_back() -> None:
    long = {"query": "x" * MAX_ARGUMENTS_CHARS}
    async with served(called(("textbook_retrieval", long)), GOOD_CALL) as (llm, server):
        assert len((await llm.run(Choose())).value.calls) == 1
        assert "more than 20,000 characters" in server.requests[1]["messages"][-1]["content"]


TOO_MUCH = {
    "a long text": said("x" * (MAX_TEXT_CHARS + 1)),
    "many choices": sent({"choices": [{"message": {"content": "x"}}] * 20}),
    "many calls": called(*[("textbook_retrieval", {"query": "x"})] * (MAX_CALLS + 1)),
    "a long name": called(("x" * 201, {})),
    "many logprobs": completed({"content": "yes"}, logprobs={"content": [{"token": "yes", "logprob": -1}] * 5000}),
}


@pytest.mark.parametrize("act", TOO_MUCH.values(), ids=TOO_MUCH)
async def test_a_field_over_its_limit_makes_a_bad_reply(act: Act) -> None:
    for task in (Say(), Choose(), GiveGrade()):
        async with served(act) as (llm, server):
            with pytest.raises(BadReply, match="malformed"):
                await llm.run(task)  # type: ignore[arg-type]
            assert len(server.requests) == 1
    async with served(act) as (llm, _):
        with pytest.raises(BadReply, match="malformed"):
            await llm.probability(IsRelevant())


@pytest.mark.parametrize("name", ["x" * 201, "two\nlines", 7])
async def test_an_odd_model_name_is_ignored(name: object) -> None:
    async with served(sent(json.loads(said("fine").body) | {"model": name})) as (llm, _):
        assert (await llm.run(Say())).model == "faulty"


@pytest.mark.parametrize("count", [10**9 + 1, 10**18, 10**40, -1, 1.5, "ten"])
async def test_an_absurd_count_of_tokens_is_none(count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 5}
    async with served(sent(json.loads(said("fine").body) | {"usage": usage})) as (llm, _):
        assert (await llm.run(Say())).usage.prompt_tokens == 0


async def test_a_whole_number_among_the_arguments_is_an_integer() -> None:
    async with served(called(("textbook_retrieval", '{"query": "a", "top_k": 5.0}'))) as (llm, _):
        (call,) = (await llm.run(Choose())).value.calls
        assert isinstance(call.arguments["top_k"], int)


async def test_the_ids_of_calls_are_ours() -> None:
    act = called(*[("textbook_retrieval", {"query": query}) for query in "abc"], ids=("The answer is 42.", "x", "x"))
    async with served(act) as (llm, _):
        first = (await llm.run(Choose())).value.calls
        assert [call.id for call in first] == ["call_1", "call_2", "call_3"]


async def test_ids_go_on_where_the_history_was_cut() -> None:
    kept = CallResult(call=FunctionCall(id="call_7", name="textbook_retrieval", arguments={"query": "x"}))
    async with served(GOOD_CALL) as (llm, _):
        assert [call.id for call in (await llm.run(Choose(history=((kept,),)))).value.calls] == ["call_8"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    async with serving(said("stolen")) as other:
        location = (("Location", f"{other.base_url}/chat/completions"),)
        async with served(Act(status=status, headers=location)) as (llm, server):
            with pytest.raises(ModelRefused, match="redirect, which is not followed") as caught:
                await llm.run(Say())
            assert len(server.requests) == 1
        assert other.requests == []
        assert other.base_url not in str(caught.value)


async def test_a_redirect_to_nowhere_is_no_other_error() -> None:
    async with served(Act(status=302, headers=(("Location", "http://[half"),))) as (llm, server):
        with pytest.raises(ModelRefused, match="redirect"):
            await llm.run(Say())
        assert len(server.requests) == 1

"""Every way in which an endpoint can fail a plain request ends in a typed error, after few requests."""

from __future__ import annotations

import asyncio
import json
import platform
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import perf_counter, sleep

import httpx2
import pytest

from core.errors import (
    BadReply,
    ContextOverflow,
    MissingCapability,
    ModelDeclined,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    SetupError,
)
from core.llm.base import Sampling
from core.llm.openai import OpenAILLM
from core.llm.wire import Wire
from tests.core.llm.endpoint import KEY, RETRIES, Choose, Say, model_at, served
from tests.servers.faults import FAULTS, Act, failed, said, sent, serving, unused_url

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
        assert len(server.requests) <= 1
        # The first use of the client loads it, outside of the deadline.
        assert perf_counter() - started < 25


class LoadedLate(OpenAILLM):
    def _new_wire(self) -> Wire:
        sleep(2.5)
        return super()._new_wire()


async def test_loading_the_client_takes_nothing_from_the_models_time() -> None:
    async with serving(said("fine")) as server:
        llm = LoadedLate(base_url=server.base_url, api_key=KEY, model="faulty", deadline_seconds=2.0)
        assert (await llm.run(Say())).value == "fine"
        await llm.aclose()


async def test_the_deadline_covers_retries() -> None:
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
    (failed(500, "input (624 tokens) is too large to process"), ContextOverflow, "624 tokens"),
]


@pytest.mark.parametrize(("act", "error", "words"), REFUSALS, ids=[f"{a.status}-{w}" for a, _, w in REFUSALS])
async def test_a_refusal_is_not_retried_and_names_the_remedy(act: Act, error: type[ModelError], words: str) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(error, match=words):
            await llm.run(Say())
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "problem"),
    [(429, "over its rate limit"), (503, "overloaded"), (529, "overloaded"), (500, "failed"), (502, "failed")],
)
async def test_an_overloaded_server_is_told_apart_from_one_that_failed(status: int, problem: str) -> None:
    async with served(*[failed(status)] * 9) as (llm, _):
        with pytest.raises(ModelUnavailable, match=rf"{problem}.* \(HTTP {status}\)\. Try again later"):
            await llm.run(Say())


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_a_transient_status_is_retried(status: int) -> None:
    async with served(failed(status), said("fine")) as (llm, server):
        assert (await llm.run(Say())).value == "fine"
        assert len(server.requests) == 2


async def test_a_call_is_retried_as_often_as_allowed() -> None:
    async with serving(failed(500, retry_after="0")) as server:
        llm = OpenAILLM(base_url=server.base_url, api_key=KEY, model="faulty", max_retries=3)
        with pytest.raises(ModelUnavailable):
            await llm.run(Say())
        await llm.aclose()
        assert len(server.requests) == 4


async def test_the_key_is_sent_but_shown_nowhere() -> None:
    async with served(failed(401, f"wrong key {KEY}"), said(f"{KEY} {{", refusal=f"no: {KEY}")) as (llm, server):
        for _ in range(2):
            with pytest.raises(ModelError) as caught:
                await llm.run(Say())
            shown = [repr(caught.value), str(caught.value), repr(caught.value.__cause__)]
            assert not [text for text in shown if KEY in text]
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_the_endpoint_gets_no_description_of_the_client_machine() -> None:
    async with served(said("fine")) as (llm, server):
        await llm.run(Say())
        headers = server.headers[0]
        assert headers["user-agent"] == "EduMod"
        assert platform.python_version() not in " ".join(headers.values())
        assert not [name for name in headers if name.endswith(("-os", "-arch", "-runtime"))]


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


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_a_retry_after_beyond_the_deadline_fails_at_once_and_is_passed_on(form: str) -> None:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    retry_after = "3600" if form == "seconds" else in_an_hour
    async with served(failed(503, retry_after=retry_after)) as (llm, server):
        with pytest.raises(ModelUnavailable) as caught:
            await llm.run(Say())
        assert caught.value.retry_after == pytest.approx(3600, abs=120)
        assert len(server.requests) == 1


async def test_a_retry_after_of_many_digits_is_not_passed_on() -> None:
    async with served(failed(503, retry_after="1" + "4711" * 20)) as (llm, _):
        with pytest.raises(ModelUnavailable) as caught:
            await llm.run(Say())
        assert caught.value.retry_after == 86_400


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


async def test_no_more_calls_are_under_way_than_this_process_has_a_share_of() -> None:
    async with served(Act(said("fine").body, wait=0.1), concurrency=4, share=lambda: 2) as (llm, server):
        await asyncio.gather(*(llm.run(Say()) for _ in range(6)))
        assert server.most_under_way == 2


async def test_a_call_without_a_permit_in_time_fails_without_a_request() -> None:
    async with served(Act(said("late").body, wait=30), concurrency=1, seconds=1.0) as (llm, _):
        results = await asyncio.gather(*(llm.run(Say()) for _ in range(3)), return_exceptions=True)
        assert isinstance(results[0], ModelTimeout)
        assert all(isinstance(result, ModelTimeout | ModelUnavailable) for result in results)
        assert any(isinstance(result, ModelUnavailable) for result in results)


async def test_a_cancelled_call_closes_its_connection_and_returns_its_permit() -> None:
    async with served(Act(said("late").body, wait=30), said("fine"), concurrency=1) as (llm, server):
        call = asyncio.create_task(llm.run(Say()))
        await server.asked.wait()
        call.cancel()
        await asyncio.wait_for(server.hung_up.wait(), 30)
        assert (await llm.run(Say())).value == "fine"


@pytest.mark.parametrize(
    ("base_url", "asked"),
    [
        ("https://nowhere.invalid/v1/", "https://nowhere.invalid/v1/chat/completions"),
        ("https://nowhere.invalid/gpt?api-version=2", "https://nowhere.invalid/gpt/chat/completions?api-version=2"),
    ],
)
async def test_the_path_goes_before_a_query_of_the_url(base_url: str, asked: str) -> None:
    urls: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        urls.append(str(request.url))
        return httpx2.Response(200, content=said("fine").body)

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    llm = OpenAILLM(base_url=base_url, api_key=KEY, model="m", http_client=client)
    await llm.run(Say())
    await llm.aclose()
    assert urls == [asked]


async def test_the_network_can_be_stood_in_for() -> None:
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, content=said("fine").body))
    llm = OpenAILLM(
        base_url="https://nowhere.invalid/v1",
        api_key=KEY,
        model="m",
        http_client=httpx2.AsyncClient(transport=transport),
    )
    assert (await llm.run(Say())).value == "fine"
    await llm.aclose()


@pytest.mark.parametrize(
    "fault",
    [
        said("", refusal="I cannot help with that."),
        said("Half an ans", finish_reason="content_filter"),
        failed(400, "The response was filtered due to the prompt triggering the content management policy."),
    ],
    ids=["refusal", "filter", "filtered prompt"],
)
async def test_a_model_that_declines_is_distinguished_from_one_that_fails(fault: Act) -> None:
    async with served(fault) as (llm, _):
        with pytest.raises(ModelDeclined):
            await llm.run(Say())


async def test_an_error_knows_the_tokens_of_every_reply_that_could_not_be_used() -> None:
    async with served(said("no call"), said("none"), said("never")) as (llm, server):
        with pytest.raises(MissingCapability) as caught:
            await llm.run(Choose(required=True))
    spent = caught.value.usage
    assert spent is not None
    assert (spent.calls, spent.prompt_tokens, len(server.requests)) == (3, 30, 3)

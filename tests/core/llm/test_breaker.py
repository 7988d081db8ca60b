"""An endpoint that fails again and again is left alone, until one request finds it back."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from core.errors import BadReply, ModelError, ModelRefused, ModelTimeout, ModelUnavailable
from core.llm.breaker import HANG_SECONDS, MAX_FAILURES, MAX_PAUSE_SECONDS, Breaker
from core.llm.failures import CircuitOpen, Dropped, Rejected, Unusable
from core.llm.openai import OpenAILLM
from tests.core.llm.endpoint import KEY, RETRIES, Say, model_at, served
from tests.servers.faults import FAULTS, Act, failed, said, serving, unused_url


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def request(breaker: Breaker, failure: Exception | None = None) -> None:
    with suppress(Dropped, Rejected, Unusable), breaker.request():
        if failure:
            raise failure


def opened() -> tuple[Breaker, Clock]:
    clock = Clock()
    breaker = Breaker(clock)
    for _ in range(MAX_FAILURES):
        request(breaker, Dropped("refused"))
    return breaker, clock


def test_failures_in_a_row_open_it() -> None:
    breaker, _ = opened()
    assert breaker.state == "open"
    with pytest.raises(CircuitOpen) as caught, breaker.request():
        pass
    assert 0 < caught.value.seconds <= 1


@pytest.mark.parametrize("reply", [None, Rejected(429, None), Rejected(401, None), Unusable("sent nonsense")])
def test_any_reply_ends_the_row(reply: Exception | None) -> None:
    breaker = Breaker()
    for _ in range(3):
        for _ in range(MAX_FAILURES - 1):
            request(breaker, Rejected(503, None))
        request(breaker, reply)
    assert breaker.state == "closed"


@pytest.mark.parametrize("status", [500, 503, 529])
def test_server_errors_are_failures(status: int) -> None:
    breaker = Breaker()
    for _ in range(MAX_FAILURES):
        request(breaker, Rejected(status, None))
    assert breaker.state == "open"


@pytest.mark.parametrize("words", ["the context length is exceeded", "tools are not supported"])
def test_a_server_that_says_what_it_cannot_do_is_there(words: str) -> None:
    breaker = Breaker()
    for _ in range(MAX_FAILURES):
        request(breaker, Rejected(501 if "tools" in words else 500, {"message": words}))
    assert breaker.state == "closed"


def test_requests_sent_before_it_opened_do_not_open_it_again() -> None:
    clock = Clock()
    breaker = Breaker(clock)
    early = [breaker.request() for _ in range(3)]
    for one in early:
        one.__enter__()
    for _ in range(MAX_FAILURES):
        request(breaker, Dropped("refused"))
    clock.now += 1
    for one in early:
        one.__exit__(Dropped, Dropped("late"), None)
    assert breaker.state == "half-open"
    request(breaker)
    assert breaker.state == "closed"


@pytest.mark.parametrize(("seconds", "state"), [(HANG_SECONDS, "open"), (0.2, "closed")])
def test_a_request_that_its_caller_gave_up_is_a_failure_where_it_hung(seconds: float, state: str) -> None:
    clock = Clock()
    breaker = Breaker(clock)
    for _ in range(MAX_FAILURES):
        waiting = breaker.request()
        waiting.__enter__()
        clock.now += seconds
        waiting.__exit__(asyncio.CancelledError, asyncio.CancelledError(), None)
    assert breaker.state == state


def test_half_open_one_request_goes_through_and_closes_it() -> None:
    breaker, clock = opened()
    clock.now += 1
    assert breaker.state == "half-open"
    with breaker.request(), pytest.raises(CircuitOpen), breaker.request():
        pass
    assert breaker.state == "closed"
    request(breaker)


def test_a_request_that_was_cancelled_leaves_the_next_one_to_find_out() -> None:
    breaker, clock = opened()
    clock.now += 1
    with pytest.raises(asyncio.CancelledError), breaker.request():
        raise asyncio.CancelledError
    assert breaker.state == "half-open"
    request(breaker)
    assert breaker.state == "closed"


def test_the_pause_doubles_up_to_a_limit_and_starts_anew_after_a_success() -> None:
    breaker, clock = opened()
    pauses = []
    for _ in range(9):
        clock.now += breaker.seconds_left
        request(breaker, Dropped("refused"))
        assert breaker.state == "open"
        pauses.append(breaker.seconds_left)
    assert all(0.75 * 2**n <= pause <= 2**n for n, pause in enumerate(pauses[:5], 1))
    assert 0.75 * MAX_PAUSE_SECONDS <= pauses[-1] <= MAX_PAUSE_SECONDS
    clock.now += breaker.seconds_left
    request(breaker)
    for _ in range(MAX_FAILURES):
        request(breaker, Dropped("refused"))
    assert breaker.seconds_left <= 1


async def outcomes(llm: OpenAILLM, count: int) -> list[ModelError | str]:
    found: list[ModelError | str] = []
    for _ in range(count):
        try:
            found.append((await llm.run(Say())).value)
        except ModelError as error:
            found.append(error)
    return found


DEAD: list[Act] = [failed(500), failed(503, retry_after="0"), failed(529), FAULTS["reset at once"]]


@pytest.mark.parametrize("dead", DEAD, ids=["500", "503", "529", "reset"])
async def test_two_hundred_questions_to_a_dead_endpoint_make_few_requests(dead: Act) -> None:
    async with served(dead) as (llm, server):
        errors = await outcomes(llm, 200)
        # The pauses that a slow run of this test outlives each allow one more.
        assert len(server.requests) < 15
    assert all(isinstance(error, ModelUnavailable) for error in errors)
    last = errors[-1]
    assert isinstance(last, ModelUnavailable)
    assert last.retry_after is not None
    assert last.usage is not None
    assert last.usage.calls <= 1


async def test_many_questions_at_once_stop_retrying_together() -> None:
    async with served(failed(503), concurrency=8) as (llm, server):
        await asyncio.gather(*(llm.run(Say()) for _ in range(200)), return_exceptions=True)
        assert len(server.requests) < 30


async def test_an_endpoint_that_refuses_connections_opens_the_breaker() -> None:
    llm = model_at(unused_url())
    errors = await outcomes(llm, 20)
    await llm.aclose()
    assert any("no requests are sent" in str(error) for error in errors)


async def test_an_endpoint_that_never_answers_opens_the_breaker() -> None:
    breaker = Breaker()
    async with serving(Act(said("late").body, wait=60)) as server:
        llm = OpenAILLM(base_url=server.base_url, api_key=KEY, model="m", deadline_seconds=0.2, breaker=breaker)
        errors = await outcomes(llm, MAX_FAILURES + 1)
        await llm.aclose()
    assert [type(error) for error in errors] == [ModelTimeout] * MAX_FAILURES + [ModelUnavailable]


@pytest.mark.parametrize(
    ("act", "error"),
    [(failed(401), ModelRefused), (failed(400), ModelRefused), (failed(429, retry_after="3600"), ModelUnavailable),
     (said(""), BadReply)],
)  # fmt: skip
async def test_an_endpoint_that_refuses_is_asked_every_time(act: Act, error: type[ModelError]) -> None:
    async with served(act) as (llm, server):
        errors = await outcomes(llm, 10)
        assert {type(one) for one in errors} == {error}
        assert len(server.requests) == 10


async def test_the_endpoint_is_used_again_once_it_is_back() -> None:
    clock = Clock()
    dead = [failed(500)] * MAX_FAILURES
    async with serving(*dead, said("back")) as server:
        llm = OpenAILLM(base_url=server.base_url, api_key=KEY, model="m", max_retries=0, breaker=Breaker(clock))
        await outcomes(llm, MAX_FAILURES + 3)
        assert len(server.requests) == MAX_FAILURES
        clock.now += 1
        assert await outcomes(llm, 2) == ["back", "back"]
        await llm.aclose()


async def test_every_request_counts_as_a_call() -> None:
    async with served(failed(529), said("fine")) as (llm, server):
        usage = (await llm.run(Say())).usage
        assert (usage.calls, usage.prompt_tokens) == (len(server.requests), 10) == (2, 10)
    llm = model_at(unused_url())
    with pytest.raises(ModelUnavailable) as caught:
        await llm.run(Say())
    await llm.aclose()
    assert caught.value.usage is not None
    assert (caught.value.usage.calls, caught.value.usage.prompt_tokens) == (1 + RETRIES, 0)


async def test_a_patient_caller_waits_until_the_endpoint_may_be_asked_again() -> None:
    dead = [failed(500)] * MAX_FAILURES
    async with serving(*dead, said("back")) as server:
        breaker = Breaker(patient=True)
        llm = OpenAILLM(base_url=server.base_url, api_key=KEY, model="m", max_retries=0, breaker=breaker)
        await outcomes(llm, MAX_FAILURES)
        assert breaker.state == "open"
        values = await asyncio.gather(*(llm.run(Say()) for _ in range(20)))
        await llm.aclose()
    assert {reply.value for reply in values} == {"back"}


async def test_a_patient_caller_does_not_wait_beyond_its_deadline() -> None:
    breaker, _ = opened()
    breaker.patient = True
    async with serving(said("back")) as server:
        llm = OpenAILLM(base_url=server.base_url, api_key=KEY, model="m", deadline_seconds=0.5, breaker=breaker)
        assert [type(error) for error in await outcomes(llm, 1)] == [ModelUnavailable]
        assert server.requests == []
        await llm.aclose()

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.errors import BadReply, ModelError, ModelTimeout, ModelUnavailable
from core.llm.base import Sampling
from core.llm.cached import Cached
from core.llm.metered import Metered
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.settings import ModelPrice
from core.types import Usage
from tests.core.llm.endpoint import IsRelevant, Say

PRICES = {"scripted": ModelPrice(input=2.0, output=10.0)}
COST = (100 * 2.0 + 10 * 10.0) / 1e6


async def test_a_call_costs_its_tokens_at_the_models_price() -> None:
    metered = Metered(ScriptedLLM(["one"], seconds=0.01), PRICES)
    usage = (await metered.run(Say())).usage
    assert usage.cost_usd == pytest.approx(COST)
    assert usage.model_ms >= 10


async def test_a_model_without_a_price_has_an_unknown_cost_that_makes_the_total_unknown() -> None:
    metered = Metered(ScriptedLLM({Say: ["one"]}), PRICES)
    await metered.run(Say())
    assert (await metered.run(Say(), Sampling(model="other"))).usage.cost_usd is None
    assert metered.total.cost_usd is None
    assert metered.total.calls == 2


async def test_the_total_adds_up_calls_and_probabilities() -> None:
    metered = Metered(ScriptedLLM({Say: ["one"], IsRelevant: [0.5]}), PRICES)
    await metered.run(Say())
    await metered.run(Say())
    reply = await metered.probability(IsRelevant())
    assert (reply.value, reply.usage.cost_usd) == (0.5, 0.0)
    assert reply.usage.model_ms > 0
    assert (metered.total.calls, metered.total.prompt_tokens) == (3, 200)
    assert metered.total.cost_usd == pytest.approx(2 * COST)


async def test_a_cached_call_is_free_whether_the_model_has_a_price_or_not(tmp_path: Path) -> None:
    for prices in (PRICES, {}):
        metered = Metered(Cached(ScriptedLLM({Say: ["one"]}), tmp_path), prices)
        await metered.run(Say())
        again = (await metered.run(Say())).usage
        assert (again.cached_calls, again.cost_usd, again.model_ms) == (1, 0.0, 0.0)


async def test_the_offline_model_is_free() -> None:
    metered = Metered(OfflineLLM({Say: lambda task: "one"}), {})
    assert (await metered.run(Say())).usage.cost_usd == 0.0
    assert (metered.total.calls, metered.total.cost_usd) == (1, 0.0)


async def test_a_call_whose_error_knows_of_no_request_is_not_counted() -> None:
    metered = Metered(ScriptedLLM([BadReply("no")]), PRICES)
    with pytest.raises(BadReply):
        await metered.run(Say())
    assert metered.total.calls == 0


async def test_a_failed_call_counts_with_what_its_error_knows() -> None:
    failed = BadReply("not JSON, three times")
    failed.usage = Usage(calls=3, prompt_tokens=2_000_000, completion_tokens=0)
    metered = Metered(ScriptedLLM([failed]), PRICES)
    with pytest.raises(BadReply):
        await metered.run(Say())
    assert (metered.total.calls, metered.total.prompt_tokens) == (3, 2_000_000)
    assert metered.total.cost_usd == 4.0


@pytest.mark.parametrize(
    ("error", "known", "counted"),
    [(ModelTimeout("late"), 1, 1), (ModelUnavailable("hung up"), 4, 4), (ModelUnavailable("left alone"), 0, 0),
     (BadReply("not JSON"), 3, 3)],
)  # fmt: skip
async def test_a_failed_task_counts_the_requests_that_were_sent(error: ModelError, known: int, counted: int) -> None:
    error.usage = Usage(calls=known, prompt_tokens=100 * known)
    metered = Metered(ScriptedLLM([error]), PRICES)
    with pytest.raises(type(error)):
        await metered.run(Say())
    assert (metered.total.calls, metered.total.prompt_tokens) == (counted, 100 * known)


async def test_a_call_that_was_cancelled_counts() -> None:
    metered = Metered(ScriptedLLM({Say: ["one"], IsRelevant: [0.5]}, seconds=5), PRICES)
    for call in (metered.run(Say()), metered.probability(IsRelevant())):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await call
    assert (metered.total.calls, metered.total.prompt_tokens) == (2, 0)
    assert metered.total.model_ms >= 20

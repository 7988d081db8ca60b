from __future__ import annotations

import pytest

from core.errors import MissingCapability
from core.llm.offline import OFFLINE_MODEL, OfflineLLM
from tests.core.llm.endpoint import IsRelevant, Say


async def test_a_task_is_done_by_its_rule_and_costs_nothing() -> None:
    llm = OfflineLLM({Say: lambda task: task.text.upper()})
    reply = await llm.run(Say())
    assert (reply.value, reply.model, reply.usage.cost_usd, reply.usage.calls) == ("HELLO", OFFLINE_MODEL, 0.0, 1)


async def test_a_task_without_a_rule_names_the_remedy() -> None:
    with pytest.raises(MissingCapability, match=r"Say.*EDUMOD_LLM_BASE_URL"):
        await OfflineLLM({}).run(Say())


async def test_there_are_no_probabilities_offline() -> None:
    with pytest.raises(MissingCapability) as caught:
        await OfflineLLM({}).probability(IsRelevant())
    assert caught.value.capability == "logprobs"

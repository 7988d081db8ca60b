from __future__ import annotations

import pytest

from core.errors import BadReply
from core.llm.base import Sampling
from core.llm.scripted import ScriptedLLM
from tests.core.llm.endpoint import IsRelevant, Say


async def test_lines_are_played_in_order_and_tasks_remembered() -> None:
    llm = ScriptedLLM(["one", lambda task: task.text.upper(), 0.25])
    assert (await llm.run(Say())).value == "one"
    assert (await llm.run(Say(), Sampling(model="other"))).model == "other"
    assert (await llm.probability(IsRelevant())).value == 0.25
    assert [task.name() for task in llm.tasks] == ["Say", "Say", "IsRelevant"]
    assert llm.samplings[1].model == "other"


async def test_an_exception_in_the_script_is_raised() -> None:
    with pytest.raises(BadReply, match="no"):
        await ScriptedLLM([BadReply("no")]).run(Say())


async def test_a_single_line_of_a_task_type_is_repeated() -> None:
    llm = ScriptedLLM({Say: ["one"], IsRelevant: [0.1, 0.9]})
    assert [(await llm.run(Say())).value for _ in range(3)] == ["one"] * 3
    assert [(await llm.probability(IsRelevant())).value for _ in range(2)] == [0.1, 0.9]


async def test_an_ended_script_is_a_failure_of_the_test() -> None:
    for llm in (ScriptedLLM([]), ScriptedLLM({})):
        with pytest.raises(AssertionError, match="Say"):
            await llm.run(Say())

"""A model with a limit gets prompts within it: fewer and shorter passages, the best first."""

from __future__ import annotations

import pytest

from core.llm.profile import ModelLimits, PromptSize, Speed
from core.llm.prompt import render
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.types import Question
from pipelines.running.answer_limits import AnswerLimits
from tasks import ChooseFunctions, WriteAnswer
from tests.pipelines.runs import call, passage, run_with, written

LONG = "The sample mean is an unbiased estimate. " * 100
FOUND = [passage(f"b{number}", f"Passage {number}. {LONG}") for number in range(12)]
SMALL = AnswerLimits().of_model(ModelLimits(prompt_tokens=2_500, passages=5))


async def writer(limits: AnswerLimits, body: str = "Why is the mean unbiased?") -> WriteAnswer:
    """What the writer is given."""
    llm = ScriptedLLM({WriteAnswer: [written()]})
    run = run_with(llm, {"a": FOUND}, question=Question(body=body), limits=limits)
    await run.search([call("a")])
    await run.draft()
    (task,) = llm.tasks
    assert isinstance(task, WriteAnswer)
    return task


async def test_a_prompt_is_within_the_limit_and_holds_the_best_passages_shortened() -> None:
    task = await writer(SMALL)
    assert PromptSize.of(task).tokens <= 2_500
    assert [one.block_id for one in task.passages] == ["b0", "b1"]
    assert all(len(one.text) < len(LONG) for one in task.passages)
    assert (await writer(AnswerLimits())).passages[0].text == FOUND[0].text


@pytest.mark.parametrize("tokens", [1_900, 2_500, 4_000, 8_000])
async def test_more_room_never_shows_less(tokens: int) -> None:
    def chars(task: WriteAnswer) -> int:
        return sum(len(one.text) for one in task.passages)

    limits = AnswerLimits().of_model(ModelLimits(prompt_tokens=tokens))
    task, larger = await writer(limits), await writer(AnswerLimits().of_model(ModelLimits(prompt_tokens=2 * tokens)))
    assert PromptSize.of(task).tokens <= tokens
    assert 0 < chars(task) <= chars(larger)


async def test_a_long_question_is_shortened_too_and_keeps_its_beginning() -> None:
    task = await writer(SMALL, "Why? " + "I tried this. " * 2_000)
    assert PromptSize.of(task).tokens <= 2_500
    assert task.question.body.startswith("Why? ")


async def test_results_of_earlier_rounds_are_within_the_limit_of_a_choice() -> None:
    llm = ScriptedLLM({ChooseFunctions: [Choice()]})
    run = run_with(llm, {"a": FOUND}, limits=SMALL)
    await run.search([call("a")])
    await run.choose()
    assert PromptSize.of(llm.tasks[0]).tokens <= 2_500
    assert "Passage 0." in str(render(llm.tasks[0]))


def test_a_slow_model_gets_time_by_its_speed_and_a_fast_one_the_usual() -> None:
    slow, fast = Speed(reading=50, writing=8), Speed(reading=2_000, writing=60)
    assert slow.call_seconds(2_500, 700) == pytest.approx(2 * (50 + 87.5))
    assert fast.call_seconds(2_500, 700) == 30
    assert AnswerLimits().of_model(ModelLimits(answer_seconds=1_100)).deadline_seconds == 1_100
    assert AnswerLimits().of_model(ModelLimits(answer_seconds=20)).deadline_seconds == 120

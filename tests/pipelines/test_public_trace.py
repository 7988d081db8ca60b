"""What of a run is stored and shown."""

from __future__ import annotations

from typing import Any

from core.errors import ModelTimeout
from core.llm.scripted import ScriptedLLM
from core.types import FunctionCall, Step, StepKind
from pipelines.public_trace import public_event, public_trace
from pipelines.run import Run
from safeguards import WITHHELD
from tests.pipelines.runs import call, passage, run_with

SECRET = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."
SOLVED = passage("1", "Compute the probability.", solution=SECRET)


async def searched(*queries: Any) -> Run:
    run = run_with(ScriptedLLM([]), {"dice": [SOLVED], "gone": ModelTimeout(f"No reply to {SECRET}")})
    await run.search([query if isinstance(query, FunctionCall) else call(query) for query in queries])
    return run


async def test_texts_that_repeat_nothing_secret_stay_as_they_are() -> None:
    run = await searched("dice", "cards")
    shown = public_trace(run)
    assert shown.steps == tuple(run.steps)
    assert shown.calls == run.calls


async def test_secret_texts_are_withheld_at_any_depth_of_the_arguments() -> None:
    run = await searched("dice", call("cards", hints=["fair", {"all": SECRET}], top_k=3))
    shown = public_trace(run)
    arguments = {"query": "cards", "hints": ["fair", {"all": WITHHELD}], "top_k": 3}
    assert shown.calls[1].arguments == shown.steps[1].arguments == arguments
    assert run.calls[1].arguments["hints"][1] == {"all": SECRET}


async def test_invisible_characters_are_no_part_of_what_is_shown() -> None:
    run = await searched("dice", "is\u200b this\U000e0041 so\ufe0f?")
    assert public_trace(run).calls[1].arguments == {"query": "is this so?"}


async def test_what_surrounds_a_secret_sentence_stays() -> None:
    run = await searched("dice", f"Is this so? {SECRET}")
    assert public_trace(run).calls[1].arguments == {"query": "Is this so?"}


async def test_a_sentence_spread_over_the_calls_of_a_run_is_withheld() -> None:
    words = SECRET.split()
    slices = [" ".join(words[start : start + 4]) for start in range(0, len(words), 4)]
    run = await searched("dice", *slices, "cards")
    queries = [call.arguments["query"] for call in public_trace(run).calls]
    assert queries == ["dice", *[WITHHELD] * len(slices), "cards"]


async def test_a_call_that_completes_a_sentence_is_withheld_while_a_run_goes_on() -> None:
    words = SECRET.split()
    run = await searched("dice", *(" ".join(words[start : start + 4]) for start in range(0, 12, 4)))
    completing = call(" ".join(words[12:]))
    shown = public_event(run.public(), run.steps, completing)
    assert isinstance(shown, FunctionCall)
    assert shown.arguments == {"query": WITHHELD}


async def test_errors_notes_and_chosen_calls_are_public_too() -> None:
    run = await searched("dice", "gone")
    chosen = FunctionCall(id="1", name="qa_retrieval", arguments={"query": SECRET})
    run.steps.append(run.steps[0].model_copy(update={"kind": StepKind.REVIEW, "note": f"Good: {SECRET}"}))
    run.steps.append(run.steps[0].model_copy(update={"kind": StepKind.CHOOSE, "calls": (chosen,)}))
    steps = public_trace(run).steps
    assert "thirty-six" not in "".join(step.model_dump_json() for step in steps)
    assert [step.error for step in steps[:2]] == [None, ModelTimeout.sentence]


async def test_staff_only_passages_are_in_no_step_while_a_run_goes_on_and_after() -> None:
    staff = passage("staff", SECRET, visibility="staff", heading_path=("Homework 3",), path=("Homework 3 (0.75)",))
    run = run_with(ScriptedLLM([]), {"dice": [staff, SOLVED]})
    told: list[FunctionCall | Step] = []
    run.watch(told.append)
    await run.search([call("dice")])
    for step in (told[-1], public_trace(run).steps[0]):
        assert isinstance(step, Step)
        assert [(one.block_id, one.heading_path) for one in step.passages] == [("1", SOLVED.heading_path)]
    assert [one.block_id for one in run.passages] == ["staff", "1"]

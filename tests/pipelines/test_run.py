"""The verbs of a run, and its trace."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from core.errors import BadReply, ModelUnavailable, NoMaterial, RunTimeout
from core.llm.base import LLM, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Task
from core.types import FunctionCall, Passage, Question, StepKind, Usage
from pipelines.fc_feedback import FcFeedback
from pipelines.fc_multihop import FcMultihop
from pipelines.run import HURRIED
from pipelines.running.answer_limits import MAX_PASSAGES, AnswerLimits
from tasks import ChooseFunctions, ReviewDraft, SelectFunctions, Selection, WriteAnswer
from tests.pipelines.runs import Material, call, passage, review, run_with, written

ANSWER = written("Yes [1].", (1, "Some text"))


async def test_what_was_found_is_merged_best_first_without_repetition() -> None:
    run = run_with(ScriptedLLM([]), {"a": [passage("1"), passage("2")], "b": [passage("3"), passage("1")]})
    await run.search([call("a"), call("b")])
    assert [found.block_id for found in run.passages] == ["1", "3", "2"]


async def test_calls_of_one_round_run_at_the_same_time() -> None:
    run = run_with(ScriptedLLM([]), material=Material(seconds=0.2))
    await run.search([call(str(n)) for n in range(5)])
    assert max(step.started_ms for step in run.steps) < min(step.started_ms + step.ms for step in run.steps)


async def test_searches_that_are_cut_short_by_a_client_that_left_are_in_the_trace() -> None:
    under_way = asyncio.Semaphore(0)

    async def search(wanted: FunctionCall, llm: LLM) -> Sequence[Passage]:
        under_way.release()
        # Like a retriever that asks a model several things at once.
        await asyncio.gather(asyncio.sleep(30), asyncio.sleep(30))
        return []

    run = run_with(ScriptedLLM([]), search=search)
    searching = asyncio.create_task(run.search([call(str(n)) for n in range(4)]))
    for _ in range(4):
        await under_way.acquire()
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert [step.arguments["query"] for step in run.steps if step.arguments] == ["0", "1", "2", "3"]


async def test_a_repeated_call_is_answered_from_the_run() -> None:
    run = run_with(ScriptedLLM([]), {"a": [passage("1")]})
    await run.search([call("a")])
    await run.search([call("a")])
    assert len(run.steps) == 1
    assert [found.block_id for found in run.passages] == ["1"]


async def test_the_model_sees_earlier_rounds_and_is_not_guided_by_the_category() -> None:
    llm = ScriptedLLM({ChooseFunctions: [Choice(calls=(call("a"),)), Choice()]})
    run = run_with(llm, {"a": [passage("1")]})
    await run.search(await run.choose(required=True))
    assert await run.choose() == ()
    first, second = llm.tasks
    assert isinstance(first, ChooseFunctions)
    assert isinstance(second, ChooseFunctions)
    assert (first.required, first.history, first.category) == (True, (), "")
    assert second.history[0][0].passages[0].block_id == "1"
    assert [sampling.seed for sampling in llm.samplings] == [7, 7]


async def test_the_writer_is_given_a_bounded_number_of_passages() -> None:
    llm = ScriptedLLM([ANSWER])
    run = run_with(llm, {"a": [passage(str(n)) for n in range(50)]})
    await run.search([call("a")])
    await run.write()
    task = llm.tasks[0]
    assert isinstance(task, WriteAnswer)
    assert len(task.passages) == MAX_PASSAGES


async def test_the_trace_names_every_step_with_model_prompt_and_tokens() -> None:
    llm = ScriptedLLM([Choice(calls=(call("a"),)), ANSWER])
    run = run_with(llm, {"a": [passage("1")]})
    await run.search(await run.choose())
    await run.write()
    assert [step.kind for step in run.steps] == [StepKind.CHOOSE, StepKind.SEARCH, StepKind.WRITE]
    choose, search, write = run.steps
    assert (choose.task, choose.model, choose.calls) == ("ChooseFunctions", "scripted", (call("a"),))
    assert (search.function, search.arguments, search.retriever) == ("textbook_retrieval", {"query": "a"}, "hybrid")
    assert [found.block_id for found in search.passages] == ["1"]
    assert write.prompt_version == WriteAnswer.version
    assert (run.usage.calls, run.usage.prompt_tokens) == (2, 200)


async def test_a_failed_model_call_stands_in_the_trace_and_is_raised() -> None:
    run = run_with(ScriptedLLM([BadReply("nonsense")]))
    with pytest.raises(BadReply):
        await run.write()
    assert run.steps[0].error == BadReply.sentence


async def test_model_calls_of_a_search_count_in_its_step_and_in_the_run() -> None:
    async def search(call: FunctionCall, llm: LLM) -> list[Passage]:
        await llm.run(SelectFunctions(course="c", question=Question(body="?"), functions=()))
        if call.arguments["query"] == "b":
            raise BadReply("nonsense")
        return [passage("1", path=("Doc (0.90)",))]

    run = run_with(ScriptedLLM({SelectFunctions: [Selection(functions=())]}), search=search)
    await run.search([call("a")])
    await run.search([call("b")])
    assert [step.usage and step.usage.calls for step in run.steps] == [1, 1]
    assert (run.usage.prompt_tokens, run.notes) == (200, [f"A search failed: {BadReply.sentence}"])
    assert run.steps[0].passages[0].path == ("Doc (0.90)",)


async def test_a_search_that_fails_is_raised_where_nothing_was_found_at_all() -> None:
    run = run_with(ScriptedLLM([]), {"a": BadReply("nonsense")})
    with pytest.raises(BadReply):
        await run.search([call("a")])


async def test_failed_calls_count_with_the_usage_their_error_knows() -> None:
    failed = BadReply("not JSON")
    failed.usage = Usage(calls=3, prompt_tokens=300)
    run = run_with(ScriptedLLM([failed]))
    with pytest.raises(BadReply):
        await run.choose()
    assert (run.usage.calls, run.usage.prompt_tokens) == (3, 300)
    assert run.steps[0].usage is not None


async def test_identical_calls_at_once_are_searched_once() -> None:
    material = Material({"a": [passage("1")]}, seconds=0.05)
    run = run_with(ScriptedLLM([]), material=material)
    assert await run.search([call("a"), call("a"), call("a")])
    assert not await run.search([call("a")])
    assert len(material.searched) == 1


async def test_a_course_without_documents_of_a_kind_tells_the_model_so() -> None:
    llm = ScriptedLLM([Choice()])
    run = run_with(llm, {"a": NoMaterial("This course has no textbook documents to search.")})
    await run.search([call("a")])
    await run.choose()
    task = llm.tasks[0]
    assert isinstance(task, ChooseFunctions)
    assert task.history[0][0].error == "This course has no textbook documents to search."
    assert (run.calls, run.notes, run.steps[0].error) == ((call("a"),), [], None)


async def test_calls_over_the_limit_of_a_turn_are_dropped_and_noted() -> None:
    many = Choice(calls=tuple(call(str(n)) for n in range(50)))
    run = run_with(ScriptedLLM([many]))
    assert [made.id for made in await run.choose()] == [str(n) for n in range(8)]
    assert "42 of 50 calls were dropped" in (run.steps[0].note or "")


async def test_a_run_makes_no_more_calls_than_its_limit() -> None:
    def new(task: Task[Choice]) -> Choice:
        return Choice(calls=tuple(call(f"{len(llm.tasks)}.{n}") for n in range(8)))

    llm = ScriptedLLM({ChooseFunctions: [new]})
    run = run_with(llm, limits=AnswerLimits(calls_per_run=20))
    while await run.search(await run.choose()):
        pass
    assert len(run.calls) == 20
    assert len(llm.tasks) == 3
    assert run.notes == ["No further search was made after 20 calls."]


@pytest.mark.parametrize(
    "wrong",
    [
        call("a", "wiki_retrieval"),
        FunctionCall(id="a", name="textbook_retrieval", arguments={}),
        call("a", course="secret-course"),
        call("a", "qa_retrieval", top_k=10_000),
    ],
    ids=["unknown function", "truncated arguments", "another course", "out of range"],
)
async def test_calls_that_cannot_be_run_are_handed_back_twice_with_the_reason(wrong: FunctionCall) -> None:
    llm = ScriptedLLM([Choice(calls=(wrong,)), Choice(calls=(wrong,)), Choice(calls=(call("good"),))])
    run = run_with(llm)
    assert await run.choose(required=True) == (call("good"),)
    task = llm.tasks[-1]
    assert isinstance(task, ChooseFunctions)
    assert [result.error is not None for round_ in task.history for result in round_] == [True, True]
    assert run.calls == ()

    always = run_with(ScriptedLLM({ChooseFunctions: [Choice(calls=(wrong,))]}))
    with pytest.raises(BadReply, match="no call that can be run"):
        await always.choose(required=True)
    assert len(always.steps) == 3


async def test_good_calls_are_run_though_others_beside_them_are_not() -> None:
    run = run_with(ScriptedLLM([Choice(calls=(call("x", "wiki_retrieval"), call("good")))]))
    assert await run.choose() == (call("good"),)
    assert run.steps[0].note == "1 of 2 calls were dropped: 1 of unknown functions."


async def test_a_model_that_fails_later_on_leaves_what_was_found() -> None:
    run = run_with(ScriptedLLM([ModelUnavailable("down"), ANSWER]), {"a": [passage("1")]})
    await run.search([call("a")])
    assert await run.choose() == ()
    assert (await run.write()).markdown == "Yes [1]."
    assert run.notes == [f"No further search was made, since choosing one failed: {ModelUnavailable.sentence}"]


async def test_the_category_guides_the_choice_only_where_it_is_meant_to() -> None:
    llm = ScriptedLLM({ChooseFunctions: [Choice()]})
    run = run_with(llm)
    await run.choose(guided=True)
    await run.choose()
    assert [task.category for task in llm.tasks if isinstance(task, ChooseFunctions)] == ["Lecture", ""]


async def test_when_time_runs_short_the_run_writes_from_what_it_has() -> None:
    llm = ScriptedLLM([ANSWER])
    material = Material({"slow": [passage("2")]}, seconds=60)
    run = run_with(llm, material=material, limits=AnswerLimits(deadline_seconds=2, writing_share=0.5))
    await run.search([call("slow")])
    assert await run.choose(required=True) == ()
    await run.write()
    task = llm.tasks[0]
    assert isinstance(task, WriteAnswer)
    assert (task.passages, run.notes) == ((), [HURRIED])


async def test_a_choice_that_takes_too_long_is_cut_off() -> None:
    llm = ScriptedLLM({ChooseFunctions: [Choice(calls=(call("a"),))]}, seconds=60)
    run = run_with(llm, limits=AnswerLimits(deadline_seconds=1))
    assert await run.choose(required=True) == ()
    assert (run.notes, run.steps[0].error) == ([HURRIED], "TimeoutError")


async def test_a_selection_that_takes_too_long_says_so_in_its_step() -> None:
    llm = ScriptedLLM({SelectFunctions: [Selection(functions=())], WriteAnswer: [ANSWER]}, seconds=60)
    run = run_with(llm, limits=AnswerLimits(deadline_seconds=1))
    with pytest.raises(RunTimeout):
        await FcMultihop().answer(run)
    assert (run.notes, run.steps[0].error) == ([HURRIED], "TimeoutError")


async def test_a_call_that_was_cut_off_counts_and_its_step_names_the_model() -> None:
    run = run_with(ScriptedLLM([Choice()], seconds=60), limits=AnswerLimits(deadline_seconds=1))
    await run.choose()
    assert run.usage.calls == 1
    assert (run.steps[0].model, run.steps[0].usage and run.steps[0].usage.calls) == ("scripted", 1)


async def test_the_step_of_a_call_that_failed_names_the_model_it_was_asked_of() -> None:
    run = run_with(ScriptedLLM([BadReply("nonsense")]), sampling=Sampling(model="other"))
    with pytest.raises(BadReply):
        await run.write()
    assert run.steps[0].model == "other"


async def test_no_model_is_asked_where_no_time_is_left() -> None:
    llm = ScriptedLLM([ANSWER])
    run = run_with(llm, limits=AnswerLimits(deadline_seconds=0.0))
    with pytest.raises(RunTimeout):
        await run.write()
    assert (llm.tasks, run.usage.calls) == ([], 0)


async def test_an_answer_that_cannot_be_written_in_time_is_a_typed_error() -> None:
    run = run_with(ScriptedLLM([ANSWER], seconds=60), limits=AnswerLimits(deadline_seconds=1))
    with pytest.raises(RunTimeout, match=r"EDUMOD_DEADLINE_SECONDS"):
        await run.write()
    assert run.steps[0].kind is StepKind.WRITE


async def test_a_judge_that_fails_gives_no_verdict_but_a_note() -> None:
    run = run_with(ScriptedLLM([Choice(calls=(call("a"),)), ANSWER, BadReply("nonsense")]), {"a": [passage("1")]})
    assert (await FcFeedback().answer(run)).reviewed is False
    assert run.notes == [f"A draft was not reviewed: {BadReply.sentence}"]


async def test_the_judge_sees_quotes_under_the_numbers_the_draft_gives_them() -> None:
    found = {"a": [passage("1", "First one."), passage("2", "Second two.")]}
    llm = ScriptedLLM([Choice(calls=(call("a"),)), written("So [2]."), review(0.5, accepted=True)])
    run = run_with(llm, found)
    draft = await FcFeedback().answer(run)
    assert draft.markdown == "So [1]."
    task = llm.tasks[2]
    assert isinstance(task, ReviewDraft)
    assert [quote[:3] for quote in task.quotes] == ["[1]"]
    assert len(task.others) == 1
    assert run.steps[-1].note == "Accepted, score 0.5: Worth 0.5."


async def test_a_second_draft_keeps_the_numbers_of_the_first() -> None:
    found = {"a": [passage(str(n), f"Passage number {n}.") for n in range(1, 14)]}
    lines = [Choice(calls=(call("a"),)), written("So [9].", (9, "Passage number 9")), review(0.2), Choice()]
    llm = ScriptedLLM([*lines, written("Better [1]."), review(0.9, accepted=True)])
    draft = await FcFeedback().answer(run_with(llm, found))
    second = llm.tasks[4]
    assert isinstance(second, WriteAnswer)
    assert second.passages[0].text == "Passage number 9."
    assert [citation.block_id for citation in draft.citations] == ["9"]


async def test_a_message_that_asks_for_nothing_is_not_reviewed() -> None:
    nothing = written("").model_copy(update={"status": "no_response_needed", "statements": ()})
    llm = ScriptedLLM([Choice(calls=(call("a"),)), nothing])
    draft = await FcFeedback().answer(run_with(llm, {"a": [passage("1")]}))
    assert (draft.status, draft.reviewed) == ("no_response_needed", True)

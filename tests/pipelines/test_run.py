"""The verbs of a run, and its trace."""

from __future__ import annotations

import asyncio

import pytest

from core.errors import BadReply
from core.llm.base import Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.types import FunctionCall, FunctionSpec, Passage, Position, Question, Source, StepKind, Usage, Visibility
from pipelines.run import MAX_PASSAGES, Run
from pipelines.tasks import ChooseFunctions, Quoted, WriteAnswer, WrittenAnswer


def passage(block_id: str, text: str = "Some text.", **fields: object) -> Passage:
    values = {
        "block_id": block_id, "document_id": "d", "document": "d.md", "title": "Doc", "source": Source.TEXTBOOK,
        "visibility": Visibility.STUDENT, "heading_path": ("Doc",), "text": text, "position": Position(start=0, end=9),
        "score": 1.0,
    }  # fmt: skip
    return Passage.model_validate({**values, **fields})


def call(query: str, name: str = "textbook_retrieval") -> FunctionCall:
    return FunctionCall(id=query, name=name, arguments={"query": query})


ANSWER = WrittenAnswer(
    status="answered", answer="Yes [1].", citations=(Quoted(passage=1, quote="Some text"),), confidence=0.9
)
FUNCTIONS = (FunctionSpec(name="textbook_retrieval", description="Books.", parameters={"type": "object"}),)


def run_with(llm: ScriptedLLM, found: dict[str, list[Passage]] | None = None, seconds: float = 0.0) -> Run:
    async def search(call: FunctionCall) -> list[Passage]:
        await asyncio.sleep(seconds)
        return (found or {}).get(call.arguments["query"], [])

    return Run(
        course="DS 101", question=Question(body="Why?", category="Lecture"), functions=FUNCTIONS, search=search,
        llm=llm,        sampling=Sampling(seed=7), retriever="hybrid",
    )  # fmt: skip


async def test_what_was_found_is_merged_best_first_without_repetition() -> None:
    run = run_with(ScriptedLLM([]), {"a": [passage("1"), passage("2")], "b": [passage("3"), passage("1")]})
    await run.search([call("a"), call("b")])
    assert [found.block_id for found in run.passages] == ["1", "3", "2"]


async def test_calls_of_one_round_run_at_the_same_time() -> None:
    run = run_with(ScriptedLLM([]), seconds=0.2)
    await run.search([call(str(n)) for n in range(5)])
    assert max(step.started_ms for step in run.steps) < min(step.started_ms + step.ms for step in run.steps)


async def test_a_repeated_call_is_answered_from_the_run() -> None:
    run = run_with(ScriptedLLM([]), {"a": [passage("1")]})
    await run.search([call("a")])
    await run.search([call("a")])
    assert len(run.steps) == 1
    assert [found.block_id for found in run.passages] == ["1"]


async def test_the_model_sees_earlier_rounds_but_not_the_category() -> None:
    llm = ScriptedLLM({ChooseFunctions: [Choice(calls=(call("a"),)), Choice()]})
    run = run_with(llm, {"a": [passage("1")]})
    await run.search(await run.choose(required=True))
    assert await run.choose() == ()
    first, second = llm.tasks
    assert isinstance(first, ChooseFunctions)
    assert isinstance(second, ChooseFunctions)
    assert (first.required, first.history, first.question.category) == (True, (), None)
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
    assert run.steps[0].error == "nonsense"


async def test_what_a_search_spends_counts_in_its_step_and_in_the_run() -> None:
    async def search(call: FunctionCall) -> list[Passage]:
        run.spend(call, Usage(calls=2, prompt_tokens=50))
        if call.arguments["query"] == "b":
            raise BadReply("nonsense")
        return [passage("1", path=("Doc (0.90)",))]

    run = Run(
        course="DS 101", question=Question(body="Why?"), functions=FUNCTIONS, search=search, llm=ScriptedLLM([]),
        sampling=Sampling(), retriever="hier_gen",
    )  # fmt: skip
    await run.search([call("a")])
    with pytest.raises(BadReply):
        await run.search([call("b")])
    assert [step.usage and step.usage.calls for step in run.steps] == [2, 2]
    assert run.usage.prompt_tokens == 100
    assert run.steps[0].passages[0].path == ("Doc (0.90)",)

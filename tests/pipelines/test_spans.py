"""Runs as trees of spans."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.trace import StatusCode

from core import telemetry as names
from core.course import Course
from core.errors import ModelDeclined, ModelUnavailable
from core.llm.models import Models
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.settings import ModelPrice
from core.store.store import Store
from core.types import Answer, Question, Source, Status
from pipelines.assistant import Assistant
from pipelines.configuration import resolve
from pipelines.run import Run
from retrievers.index.indexes import Indexes
from tasks import ChooseFunctions, WriteAnswer
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.pipelines.runs import call, written
from tests.retrievers.shelf import Shelf
from tests.spans import Recorder, attributes

QUESTION = Question(body="Is the median robust against outliers?")
PRICES = {"scripted": ModelPrice(input=1.0, output=10.0)}
BOTH = Choice(calls=(call("median", "textbook_retrieval"), call("lenient", "logistics_retrieval")))


@pytest.fixture
async def assistant(tmp_path: Path) -> AsyncIterator[Assistant]:
    """Over a course with a textbook and a syllabus; tests give it a model and a recorder."""
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    shelf = Shelf(store, FakeEmbedder())
    await shelf.add("ds101", "book", ["The median is robust."])
    await shelf.add("ds101", "syllabus", ["We are lenient with late work."], source=Source.LOGISTICS)
    yield Assistant(Models.of(ScriptedLLM([]), prices=PRICES), Indexes(store, fake_embeddings(), tmp_path / "index"))
    await store.aclose()


async def forced(assistant: Assistant, recorder: Recorder, lines: dict[Any, list[Any]]) -> tuple[Run, Answer]:
    working = replace(assistant, models=Models.of(ScriptedLLM(lines), prices=PRICES), telemetry=recorder.telemetry)
    chosen = {"pipeline": "fc_forced", "retriever": "bm25", "top_k": 5, "temperature": 0.0, "seed": 7}
    configuration = resolve({}, chosen, "scripted")
    run = await working.start(Course(id="ds101"), QUESTION, configuration)
    return run, await working.answer(run, configuration, "draft-1")


async def test_a_run_is_a_root_with_a_chat_each_for_choosing_and_writing_and_its_searches_between(
    assistant: Assistant,
) -> None:
    recorder = Recorder()
    run, _ = await forced(assistant, recorder, {ChooseFunctions: [BOTH], WriteAnswer: [written()]})
    found = [(span.name, attributes(span)[names.STEP]) for span in recorder.children()]
    assert len(recorder.spans) == 1 + len(run.steps) == 5
    assert found[0] == ("chat scripted", "choose")
    assert {name for name, _ in found[1:3]} == {"execute_tool textbook_retrieval", "execute_tool logistics_retrieval"}
    assert found[3] == ("chat scripted", "write")


async def test_the_root_span_has_the_parameters_the_status_the_draft_and_the_total_usage(assistant: Assistant) -> None:
    recorder = Recorder()
    run, _ = await forced(assistant, recorder, {ChooseFunctions: [BOTH], WriteAnswer: [written()]})
    root = attributes(recorder.root)
    told = {
        names.COURSE: "ds101", names.PIPELINE: "fc_forced", names.RETRIEVER: "bm25", names.REQUEST_MODEL: "scripted",
        names.STATUS: "answered", names.DRAFT: "draft-1", names.MODEL_CALLS: 2, names.INPUT_TOKENS: 200,
        names.OUTPUT_TOKENS: 20,
    }  # fmt: skip
    assert {name: root[name] for name in told} == told
    assert root[names.COST] == pytest.approx(run.usage.cost_usd)
    steps = (attributes(span).get(names.COST, 0) for span in recorder.children())
    assert sum(steps) == pytest.approx(root[names.COST])


async def test_a_chat_span_has_prompt_model_tokens_and_sampling(assistant: Assistant) -> None:
    recorder = Recorder()
    await forced(assistant, recorder, {ChooseFunctions: [BOTH], WriteAnswer: [written()]})
    chat = attributes(recorder.children()[-1])
    told = {
        names.PROMPT_NAME: "WriteAnswer", names.PROMPT_VERSION: WriteAnswer.version, names.RESPONSE_MODEL: "scripted",
        names.INPUT_TOKENS: 100, names.OUTPUT_TOKENS: 10, names.TEMPERATURE: 0.0, names.SEED: 7,
        names.CACHE_HIT: False,
    }  # fmt: skip
    assert {name: chat[name] for name in told} == told


@pytest.mark.parametrize("content", [False, True])
async def test_question_arguments_and_replies_leave_only_where_they_are_asked_for(
    assistant: Assistant, content: bool
) -> None:
    recorder = Recorder(content=content)
    lines = {ChooseFunctions: [BOTH], WriteAnswer: [written("It is sturdy [1].")]}
    await forced(assistant, recorder, lines)
    assert ("outliers" in recorder.text()) is content
    assert ("lenient" in recorder.text()) is content
    assert ("sturdy" in recorder.text()) is content
    assert (names.ARGUMENTS in attributes(recorder.named("execute_tool textbook_retrieval"))) is content


async def test_searches_at_once_are_siblings_under_the_root(assistant: Assistant) -> None:
    recorder = Recorder()
    await forced(assistant, recorder, {ChooseFunctions: [BOTH], WriteAnswer: [written()]})
    first, second = (span for span in recorder.spans if span.name.startswith("execute_tool"))
    assert first.parent == second.parent == recorder.root.context


async def test_runs_at_once_keep_their_steps_apart(assistant: Assistant) -> None:
    recorder = Recorder()
    lines = [{ChooseFunctions: [BOTH], WriteAnswer: [written()]} for _ in range(3)]
    await asyncio.gather(*(forced(assistant, recorder, one) for one in lines))
    roots = [span for span in recorder.spans if span.parent is None]
    assert len(roots) == 3
    for root in roots:
        children = [span for span in recorder.spans if span.parent and span.parent.span_id == root.context.span_id]
        assert len(children) == 4
        assert {span.context.trace_id for span in children} == {root.context.trace_id}


async def test_a_step_that_fails_and_the_run_it_ends_have_the_status_of_an_error(assistant: Assistant) -> None:
    recorder = Recorder()
    broken = ModelUnavailable("The endpoint at secret.example is down.")
    with pytest.raises(ModelUnavailable):
        await forced(assistant, recorder, {ChooseFunctions: [BOTH], WriteAnswer: [broken]})
    for span in (recorder.children()[-1], recorder.root):
        assert span.status.status_code is StatusCode.ERROR
        assert attributes(span)[names.ERROR_TYPE] == "model-unavailable"
    assert names.STATUS not in attributes(recorder.root)
    assert attributes(recorder.root)[names.INPUT_TOKENS] == 100
    assert "secret.example" not in recorder.text()


async def test_a_run_that_a_model_declines_is_blocked_and_no_error_though_the_step_is(assistant: Assistant) -> None:
    recorder = Recorder()
    _, answer = await forced(assistant, recorder, {ChooseFunctions: [BOTH], WriteAnswer: [ModelDeclined("No.")]})
    assert answer.status is Status.BLOCKED
    assert recorder.children()[-1].status.status_code is StatusCode.ERROR
    assert recorder.root.status.status_code is StatusCode.UNSET
    assert attributes(recorder.root)[names.STATUS] == "blocked"


async def test_a_search_of_what_is_not_there_is_no_error(assistant: Assistant) -> None:
    recorder = Recorder()
    chosen = Choice(calls=(call("late", "qa_retrieval"), *BOTH.calls))
    await forced(assistant, recorder, {ChooseFunctions: [chosen], WriteAnswer: [written()]})
    empty = recorder.named("execute_tool qa_retrieval")
    assert empty.status.status_code is StatusCode.UNSET
    assert attributes(empty)[names.PASSAGES] == 0


async def test_replies_stay_out_of_the_trace_that_is_stored(assistant: Assistant) -> None:
    lines = {ChooseFunctions: [BOTH], WriteAnswer: [written("It is sturdy [1].")]}
    run, _ = await forced(assistant, Recorder(content=True), lines)
    assert "sturdy" not in "".join(step.model_dump_json() for step in run.steps)

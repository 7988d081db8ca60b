"""What pipelines ask a language model, and which replies they take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from core.errors import BadReply
from core.llm.base import Sampling
from core.llm.formats import ReplyFormat
from core.llm.task import Task
from core.types import Question
from tasks import ChooseFunctions, MendAnswer, Quoted, Review, ReviewDraft, Statement, WriteAnswer, WrittenAnswer
from tests.core.llm.endpoint import served
from tests.pipelines.runs import passage, review, written
from tests.servers.faults import said
from tests.servers.llama import LlamaServer

WRITE = WriteAnswer(course="DS 101", question=Question(body="Why?"), passages=())
REVIEW = ReviewDraft(course="DS 101", question=Question(body="Why?"), passages=(), draft="So.")


def reply(value: BaseModel, **changed: float) -> str:
    return json.dumps(value.model_dump(mode="json") | changed)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
async def test_a_confidence_or_score_that_is_no_number_is_repaired(number: float) -> None:
    async with served(said(reply(written(), confidence=number)), said(reply(written()))) as (llm, server):
        assert isinstance((await llm.run(WRITE)).value, WrittenAnswer)
        assert "confidence" in server.requests[1]["messages"][-1]["content"]
    async with served(said(reply(review(0.5), score=number)), said(reply(review(0.5)))) as (llm, server):
        assert isinstance((await llm.run(REVIEW)).value, Review)
        assert "score" in server.requests[1]["messages"][-1]["content"]


async def test_a_confidence_that_stays_no_number_is_a_bad_reply() -> None:
    async with served(said(reply(written(), confidence=float("nan")))) as (llm, _):
        with pytest.raises(BadReply, match="confidence"):
            await llm.run(WRITE)


STATEMENT = Statement(text="It is sturdy.", sources=(Quoted(passage=1, quote="Some text"),))
MEND = MendAnswer(
    course="DS 101", question=Question(body="Why?"), passages=(passage("1"),), draft=(STATEMENT,), confidence=0.3
)


@pytest.mark.parametrize("chosen", [ReplyFormat.JSON_SCHEMA, ReplyFormat.FUNCTION])
@pytest.mark.parametrize("task", [WRITE, MEND], ids=lambda task: task.name())
async def test_a_real_server_writes_statements_by_schema_and_by_function(
    llama: LlamaServer, task: Task[WrittenAnswer], chosen: ReplyFormat
) -> None:
    llm = llama.llm(formats=(chosen,), parameters={"max_tokens": 700})
    try:
        answer = (await llm.run(task, Sampling(temperature=1.0, seed=1))).value
    except BadReply as error:
        # No grammar bounds a number: random weights may insist on a confidence above 100.
        if "confidence: Value error, write a number from 0 to 1" not in str(error):
            raise
    else:
        assert isinstance(answer, WrittenAnswer)
    await llm.aclose()


async def test_prose_from_a_real_server_is_no_answer(llama: LlamaServer) -> None:
    llm = llama.llm(formats=(ReplyFormat.TEXT,), parameters={"max_tokens": 50})
    with pytest.raises(BadReply):
        await llm.run(WRITE, Sampling(temperature=1.0, seed=1))
    await llm.aclose()


@pytest.mark.parametrize(
    "text",
    ["On February 19 [1].", "- one\n- two", "```python\nx = 1\n```", "  spaced  "],
    ids=["line", "list", "code", "spaces"],
)
async def test_an_answer_in_a_single_statement_is_taken(text: str) -> None:
    sent = json.dumps({"status": "answered", "statements": [{"text": text}], "confidence": 0.5})
    async with served(said(sent)) as (llm, _):
        assert (await llm.run(WRITE)).value.answer == text.strip()


BROKEN = {
    "an answer without statements": {"status": "answered", "answer": "Yes.", "confidence": 1},
    "a statement without text": {"status": "answered", "statements": [{"sources": []}], "confidence": 1},
    "a status of its own": {"status": "solved", "statements": [], "confidence": 1},
    "a passage by its name": {
        "status": "answered", "confidence": 1,
        "statements": [{"text": "x", "sources": [{"passage": "hw3", "quote": "x"}]}],
    },
    "too long": {"status": "answered", "statements": [{"text": "x" * 15_000}] * 2, "confidence": 1},
    "too many statements": {"status": "answered", "statements": [{"text": "x"}] * 101, "confidence": 1},
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
async def test_a_malformed_answer_is_repaired(broken: dict[str, Any]) -> None:
    async with served(said(json.dumps(broken)), said(reply(written()))) as (llm, server):
        assert (await llm.run(WRITE)).value == written()
        assert "does not fit the schema" in server.requests[1]["messages"][-1]["content"]


async def test_a_truncated_answer_is_a_bad_reply() -> None:
    async with served(said(reply(written())[:40], "length")) as (llm, _):
        with pytest.raises(BadReply, match="truncated"):
            await llm.run(WRITE)


def test_rules_are_sent_only_where_they_apply() -> None:
    assert WRITE.prompt == WriteAnswer.instructions.strip()
    hinting = WRITE.model_copy(update={"task": "Homework 3 (passage 1)", "draft": "So.", "feedback": "Too short."})
    assert hinting.prompt.count("<task>") == hinting.prompt.count("<draft>") == 1
    assert '"staff"' not in hinting.prompt
    solved = passage("1").model_copy(update={"solution": "Six."})
    assert '"staff"' in WRITE.model_copy(update={"passages": (solved,)}).prompt


def test_a_choice_that_must_call_something_is_not_told_to_call_nothing() -> None:
    choose = ChooseFunctions(course="DS 101", question=Question(body="Thanks!"), functions=())
    assert "call nothing" in choose.prompt
    assert "call nothing" not in choose.model_copy(update={"required": True}).prompt


def test_numbers_of_lines_of_code_are_no_part_of_a_quote() -> None:
    assert Quoted(passage=0, quote="3| print(x)\n4| x = 1").quote == "print(x)\nx = 1"

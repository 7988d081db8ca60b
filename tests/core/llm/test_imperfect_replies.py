"""Replies as models really write them: how each ends, and after how many requests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import Any

import pytest

from core.errors import BadReply, ModelDeclined, ModelError
from core.llm.loose_json import fitted, objects_in
from core.llm.task import Task
from core.llm.written_calls import written_calls
from core.types import Question
from tasks import WriteAnswer
from tests.core.llm.endpoint import GOOD_CALL, SEARCH, Choose, GiveGrade, Grade, Say, served
from tests.servers.faults import Act, called, completed, failed, said, sent


class Taken(StrEnum):
    """How a reply ends that does not end in an error."""

    AS_IS = "as is"
    REPAIRED = "repaired, without another call"
    ASKED_AGAIN = "one more call"


AS_IS, REPAIRED, ASKED_AGAIN = Taken

GRADE = {"mark": "pass", "reasons": ["right"]}
GRADE_TEXT = json.dumps(GRADE)
CALL = {"name": "textbook_retrieval", "arguments": {"query": "B-tree"}}
CALL_TEXT = json.dumps(CALL)
STATEMENT = {"part": 0, "sources": [{"passage": 1, "quote": "due on Friday at noon"}], "text": "It is due on Friday."}
DRAFT = {"status": "answered", "statements": [STATEMENT], "confidence": 0.85}
WRITE = WriteAnswer(course="DS 101", question=Question(body="When?"), passages=())


@dataclass(frozen=True)
class Kind:
    """A task, what is read from it, and a flawless reply."""

    task: Task[Any]
    good: Act

    def summary(self, value: Any) -> Any:
        if isinstance(self.task, Choose):
            return [call.arguments for call in value.calls]
        return value


CHOICE = Kind(Choose(), GOOD_CALL)
REQUIRED = Kind(Choose(required=True), GOOD_CALL)
GRADING = Kind(GiveGrade(), said(GRADE_TEXT))
WRITING = Kind(WRITE, said(json.dumps(DRAFT)))
SAYING = Kind(Say(), said("fine"))


def draft(**changed: Any) -> Act:
    return said(json.dumps(DRAFT | changed))


def source(**changed: Any) -> Act:
    return draft(statements=[STATEMENT | {"sources": [STATEMENT["sources"][0] | changed]}])  # type: ignore[index]


def call_with(arguments: Any) -> Act:
    function = {"name": "textbook_retrieval", "arguments": arguments}
    return said(None, "tool_calls", tool_calls=[{"id": "1", "type": "function", "function": function}])


def call_of(name: str) -> Act:
    return called((name, {"query": "B-tree"}))


def streamed(*chunks: Any, end: str = "data: [DONE]\n\n", newline: str = "\n") -> Act:
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end
    return Act(body.replace("\n", newline).encode(), content_type="text/event-stream")


def chunk(finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "c", "created": 1, "object": "chat.completion.chunk", "model": "faulty-2025", "choices": [choice]}


FIRST, LAST = chunk(role="assistant", content=GRADE_TEXT[:9]), chunk("stop", content=GRADE_TEXT[9:])
THOUGHTS = '<think>The schema wants {mark, reasons}; maybe {"mark": "fail", "reasons": []}? No.</think>\n\n'
PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": GRADE_TEXT}]

REPLIES: dict[str, tuple[Kind, Act, Taken | type[ModelError]]] = {
    # Fields and values
    "an extra key": (WRITING, draft(notes="done"), REPAIRED),
    "an extra key in a source": (WRITING, source(page=3), REPAIRED),
    "the choice with a capital": (WRITING, draft(status="Answered"), REPAIRED),
    "the choice in capitals and blanks": (GRADING, said('{"mark": " PASS ", "reasons": ["right"]}'), REPAIRED),
    "another choice": (WRITING, draft(status="solved"), ASKED_AGAIN),
    "keys with capitals": (GRADING, said('{"Mark": "pass", "Reasons": ["right"]}'), REPAIRED),
    "a number as a text": (WRITING, draft(confidence="0.85", is_confidence_clear=True), REPAIRED),
    "a number in per cent": (WRITING, draft(confidence=85), REPAIRED),
    "a number with a sign for per cent": (WRITING, draft(confidence="85%"), REPAIRED),
    "a number above 100": (WRITING, draft(confidence=850), ASKED_AGAIN),
    "a number in words": (WRITING, draft(confidence="high"), ASKED_AGAIN),
    "a passage as a text": (WRITING, source(passage="1"), AS_IS),
    "a passage in brackets": (WRITING, source(passage="[1]"), REPAIRED),
    "null for what may be left out": (WRITING, draft(statements=[STATEMENT | {"part": None}]), REPAIRED),
    "an item in place of a list": (GRADING, said('{"mark": "pass", "reasons": "right"}'), REPAIRED),
    "a list as a text": (GRADING, said(json.dumps(GRADE | {"reasons": '["right"]'})), REPAIRED),
    "a field that lacks": (GRADING, said('{"mark": "pass"}'), ASKED_AGAIN),
    # JSON
    "a fence": (GRADING, said(f"```json\n{GRADE_TEXT}\n```"), REPAIRED),
    "text before": (GRADING, said(f"Here it is: {GRADE_TEXT}"), REPAIRED),
    "text after": (GRADING, said(f"{GRADE_TEXT}\n\nHope {{that}} helps!"), REPAIRED),
    "braces before": (GRADING, said(f"For {{mark, reasons}} I say: {GRADE_TEXT}"), REPAIRED),
    "two different objects": (GRADING, said(f'{{"mark": "fail", "reasons": []}} or {GRADE_TEXT}'), ASKED_AGAIN),
    "the same object twice": (GRADING, said(f"{GRADE_TEXT}\n{GRADE_TEXT}"), REPAIRED),
    "thoughts with braces": (GRADING, said(THOUGHTS + GRADE_TEXT), REPAIRED),
    "thoughts without a beginning": (GRADING, said(THOUGHTS.removeprefix("<think>") + GRADE_TEXT), REPAIRED),
    "thoughts without an end": (GRADING, said(THOUGHTS.partition("</think>")[0]), ASKED_AGAIN),
    "encoded twice": (GRADING, said(json.dumps(GRADE_TEXT)), REPAIRED),
    "a trailing comma": (GRADING, said('{"mark": "pass", "reasons": ["right",],}'), REPAIRED),
    "a comment": (GRADING, said('{"mark": "pass", // good\n "reasons": ["right"]}'), REPAIRED),
    "single quotes": (GRADING, said(str(GRADE)), REPAIRED),
    "a line break in a text": (GRADING, said('{"mark": "pass", "reasons": ["right\nso"]}'), REPAIRED),
    "an escape that is none": (GRADING, said(r'{"mark": "pass", "reasons": ["right \d"]}'), REPAIRED),
    "in a wrapper": (GRADING, said(json.dumps({"Grade": GRADE})), REPAIRED),
    "in a list": (GRADING, said(json.dumps([GRADE])), REPAIRED),
    "as a call in the text": (GRADING, said(json.dumps({"name": "Grade", "arguments": GRADE})), REPAIRED),
    "half an object": (GRADING, said(GRADE_TEXT[:20]), ASKED_AGAIN),
    "prose": (GRADING, said("I would say: pass"), ASKED_AGAIN),
    # Calls
    "an unknown argument": (CHOICE, called(("textbook_retrieval", {"query": "B-tree", "page": 3})), REPAIRED),
    "null for an argument": (CHOICE, called(("textbook_retrieval", {"query": "B-tree", "top_k": None})), REPAIRED),
    "arguments as an object": (CHOICE, call_with({"query": "B-tree"}), AS_IS),
    "arguments encoded twice": (CHOICE, call_with(json.dumps(json.dumps({"query": "B-tree"}))), REPAIRED),
    "arguments without quotes": (CHOICE, call_with("{query: 'B-tree'}"), REPAIRED),
    "arguments in a fence": (CHOICE, call_with('```json\n{"query": "B-tree"}\n```'), REPAIRED),
    "arguments cut": (CHOICE, call_with('{"query": "B-tr'), ASKED_AGAIN),
    "a name with a prefix": (CHOICE, call_of("functions.textbook_retrieval"), REPAIRED),
    "a name with hyphens": (CHOICE, call_of("Textbook-Retrieval"), REPAIRED),
    "an unknown name": (CHOICE, call_of("search"), ASKED_AGAIN),
    "a single call, not in a list": (
        CHOICE, said(None, tool_calls={"function": CALL | {"arguments": '{"query": "B-tree"}'}}), REPAIRED,
    ),
    "the earlier form of a call": (CHOICE, said(None, function_call=CALL), REPAIRED),
    "calls announced and not sent": (CHOICE, said("", "tool_calls"), ASKED_AGAIN),
    # Calls as text
    "a call as text": (CHOICE, said(CALL_TEXT), REPAIRED),
    "a call as text though required": (REQUIRED, said(CALL_TEXT), REPAIRED),
    "a call in tags": (CHOICE, said(f"I look it up.\n<tool_call>\n{CALL_TEXT}\n</tool_call>"), REPAIRED),
    "a call in a fence": (CHOICE, said(f"```json\n{CALL_TEXT}\n```"), REPAIRED),
    "a call in a list": (CHOICE, said(f"[TOOL_CALLS][{CALL_TEXT}]"), REPAIRED),
    "a call behind its name": (CHOICE, said('<function=textbook_retrieval>{"query": "B-tree"}</function>'), REPAIRED),
    "a call in Python": (CHOICE, said('[textbook_retrieval(query="B-tree")]'), REPAIRED),
    "a call in OpenAI's form": (CHOICE, said(json.dumps({"tool_calls": [{"function": CALL}]})), REPAIRED),
    "a call whose arguments are text": (
        CHOICE, said(json.dumps(CALL | {"arguments": '{"query": "B-tree"}'})), REPAIRED,
    ),
    "a call cut": (CHOICE, said(f"<tool_call>{CALL_TEXT[:40]}"), ASKED_AGAIN),
    "a call of an unknown function": (CHOICE, said(json.dumps(CALL | {"name": "search"})), ASKED_AGAIN),
    "a call that the server could not read": (
        CHOICE,
        failed(400, "Failed to call a function.", code="tool_use_failed",
               failed_generation='<function=textbook_retrieval{"query": "B-tree"}</function>'),
        REPAIRED,
    ),
    # Messages
    "content in parts": (GRADING, completed({"role": "assistant", "content": PARTS}), REPAIRED),
    "reasoning apart": (GRADING, said(GRADE_TEXT, reasoning_content="{hm}"), AS_IS),
    "reasoning alone": (SAYING, said(None, reasoning_content="Hm."), BadReply),
    "null content": (SAYING, said(None), BadReply),
    "no choices": (GRADING, sent({"choices": []}), BadReply),
    "cut at the length limit": (GRADING, said(GRADE_TEXT[:20], "length"), BadReply),
    "a refusal": (GRADING, said(None, refusal="I cannot."), ModelDeclined),
    "thoughts before a text": (SAYING, said("<think>Hm.</think>\nfine"), REPAIRED),
    # Streams that nobody asked for
    "a stream": (GRADING, streamed(FIRST, LAST), REPAIRED),
    "a stream without its end mark": (GRADING, streamed(FIRST, LAST, end=""), REPAIRED),
    "a stream with CRLF": (GRADING, streamed(FIRST, LAST, newline="\r\n"), REPAIRED),
    "a stream that breaks off": (GRADING, streamed(FIRST, end=""), BadReply),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "act", "end"), REPLIES.values(), ids=REPLIES)
async def test_an_imperfect_reply_ends_as_stated(kind: Kind, act: Act, end: Taken | type[ModelError]) -> None:
    async with served(act, kind.good) as (llm, server):
        if not isinstance(end, Taken):
            with pytest.raises(end):
                await llm.run(kind.task)
            assert len(server.requests) == 1
            return
        value = kind.summary((await llm.run(kind.task)).value)
        assert len(server.requests) == (2 if end is ASKED_AGAIN else 1)
    async with served(kind.good) as (llm, _):
        good = kind.summary((await llm.run(kind.task)).value)
    if isinstance(value, Grade) and value != good:
        assert value.reasons in (("right\nso",), (r"right \d",))
    elif kind is WRITING:
        assert value == good.model_copy(update={"is_confidence_clear": value.is_confidence_clear})
    else:
        assert value == good


@pytest.mark.parametrize(
    "text",
    [
        "Nothing to look up.",
        "I need not ask textbook_retrieval, for the thread has it.",
        'A dict such as {"name": "x"} needs no search.',
        "The arguments of main(int argc) are its parameters.",
        f"<think>{CALL_TEXT}? No.</think>Nothing to look up.",
    ],
)
async def test_a_text_that_calls_nothing_stays_a_choice_of_nothing(text: str) -> None:
    async with served(said(text)) as (llm, server):
        assert (await llm.run(Choose())).value.calls == ()
        assert len(server.requests) == 1


async def test_a_call_as_text_that_stays_unreadable_is_a_bad_reply() -> None:
    async with served(said(f"<tool_call>{SEARCH.name}")) as (llm, server):
        with pytest.raises(BadReply, match="as text"):
            await llm.run(Choose())
        assert len(server.requests) == 3


def test_fields_that_a_schema_allows_beside_its_own_are_kept() -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    assert fitted({"Query": "B-tree", "page": 3}, schema) == {"query": "B-tree", "page": 3}
    assert fitted({"Query": "B-tree", "page": 3}, schema | {"additionalProperties": False}) == {"query": "B-tree"}


@pytest.mark.parametrize("text", ["{" * 200_000, '{"a":' * 40_000, "{" + '\\"' * 100_000, f"{SEARCH.name} {{" * 9_000])
def test_a_hostile_text_is_read_in_little_time(text: str) -> None:
    started = perf_counter()
    assert not objects_in(text)
    assert not written_calls(text, (SEARCH,))
    assert perf_counter() - started < 30

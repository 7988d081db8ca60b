"""Function calls, structured replies and probabilities: what is broken is repaired, or ends in a typed error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import (
    BadReply,
    ContextOverflow,
    MissingCapability,
    ModelError,
    ModelRefused,
    ModelTimeout,
)
from core.llm.base import Sampling
from core.llm.task import CallResult, Chat, ChatTurn, Choice, LabelTask
from core.types import FunctionCall
from tests.core.llm.endpoint import GOOD_CALL, Choose, GiveGrade, Grade, IsRelevant, served
from tests.servers.faults import FAULTS, Act, called, completed, failed, said, sent

# Functions


BROKEN_CALLS = {
    "unknown function": called(("grep", {"query": "B-tree"})),
    "no name": called(("", {"query": "B-tree"})),
    "cut arguments": called(("textbook_retrieval", '{"query": "B-tr')),
    "arguments are a list": called(("textbook_retrieval", "[1]")),
    "arguments missing": called(("textbook_retrieval", "")),
    "wrong type": called(("textbook_retrieval", {"query": 7})),
    "out of bounds": called(("textbook_retrieval", {"query": "B-tree", "top_k": 0})),
    "not a number": called(("textbook_retrieval", '{"query": "B-tree", "top_k": NaN}')),
    "two bad": called(("grep", {}), ("textbook_retrieval", '{"query": "B-tr')),
    "no function": said(None, tool_calls=[{"id": "1", "type": "custom"}]),
}


@pytest.mark.parametrize("broken", BROKEN_CALLS.values(), ids=BROKEN_CALLS)
async def test_a_broken_call_is_repaired(broken: Act) -> None:
    async with served(broken, GOOD_CALL) as (llm, server):
        reply = await llm.run(Choose(required=True))
        assert [call.arguments for call in reply.value.calls] == [{"query": "B-tree"}]
        assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (2, 20, 10)
        *_, asked, first = [m for m in server.requests[1]["messages"] if m["role"] in ("assistant", "tool")][:2]
        assert first["tool_call_id"] == asked["tool_calls"][0]["id"]
        assert [json.loads(call["function"]["arguments"]) for call in asked["tool_calls"]]


@pytest.mark.parametrize("broken", BROKEN_CALLS.values(), ids=BROKEN_CALLS)
async def test_a_call_that_stays_broken_is_a_bad_reply_that_says_why(broken: Act) -> None:
    async with served(broken) as (llm, server):
        with pytest.raises(BadReply, match=r"there is no function|the arguments of textbook_retrieval"):
            await llm.run(Choose())
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    "wrong",
    [("grep", {}), ("", {}), ("textbook_retrieval", {"query": 7})],
    ids=["unknown function", "no name", "wrong type"],
)
async def test_a_wrong_call_beside_valid_ones_is_left_to_the_run_to_tell_of(wrong: tuple[str, dict[str, Any]]) -> None:
    good = [("textbook_retrieval", {"query": f"topic {n}"}) for n in range(49)]
    async with served(called(wrong, *good)) as (llm, server):
        found = (await llm.run(Choose(required=True))).value.calls
        assert [(call.name, call.arguments) for call in found] == [(wrong[0] or "unknown", wrong[1]), *good]
        assert len(server.requests) == 1


@pytest.mark.parametrize("cut", ['{"query": "B-tr', "[1]", '{"query": "B-tree", "top_k": NaN}'])
async def test_a_call_that_cannot_be_read_beside_a_valid_one_is_left_out(cut: str) -> None:
    async with served(called(("textbook_retrieval", cut), ("textbook_retrieval", {"query": "B-tree"}))) as (
        llm,
        server,
    ):
        assert [call.arguments for call in (await llm.run(Choose())).value.calls] == [{"query": "B-tree"}]
        assert len(server.requests) == 1


@pytest.mark.parametrize("prose", [said("A B-tree is ..."), said(None), said("")], ids=["prose", "null", "empty"])
async def test_a_required_call_that_never_comes_is_a_missing_capability(prose: Act) -> None:
    async with served(prose) as (llm, server):
        with pytest.raises(MissingCapability, match="tool_choice") as caught:
            await llm.run(Choose(required=True))
        assert caught.value.capability == "tools"
        assert len(server.requests) == 3
        assert {request["tool_choice"] for request in server.requests} == {"required"}


async def test_a_required_call_may_come_late() -> None:
    async with served(said("Let me see."), GOOD_CALL) as (llm, _):
        assert len((await llm.run(Choose(required=True))).value.calls) == 1


@pytest.mark.parametrize("content", ["Nothing to look up.", "", None])
async def test_calling_nothing_is_a_choice_where_no_call_is_required(content: str | None) -> None:
    async with served(said(content)) as (llm, server):
        assert (await llm.run(Choose())).value == Choice(text=content or "")
        assert server.requests[0]["tool_choice"] == "auto"


async def test_fifty_calls_at_once_are_all_read_for_a_run_limits_them() -> None:
    calls = called(*(("textbook_retrieval", {"query": f"topic {n}"}) for n in range(50)))
    async with served(calls) as (llm, _):
        found = (await llm.run(Choose())).value.calls
        assert [call.arguments["query"] for call in found] == [f"topic {n}" for n in range(50)]


async def test_calls_for_the_same_are_merged_whatever_the_order_of_their_arguments() -> None:
    twice = ("textbook_retrieval", '{"query": "a", "top_k": 2}'), ("textbook_retrieval", '{"top_k": 2, "query": "a"}')
    async with served(called(*twice)) as (llm, _):
        assert len((await llm.run(Choose())).value.calls) == 1


@pytest.mark.parametrize("ids", [("", ""), (None, None), ("same", "same"), ("old", "old")])
async def test_calls_get_ids_of_their_own(ids: tuple[str | None, ...]) -> None:
    old = CallResult(call=FunctionCall(id="old", name="textbook_retrieval", arguments={"query": "x"}))
    calls = called(("textbook_retrieval", {"query": "a"}), ("textbook_retrieval", {"query": "b"}), ids=ids)
    async with served(calls) as (llm, _):
        found = (await llm.run(Choose(history=((old,),)))).value.calls
        assert len({"old", "", *(call.id for call in found)}) == 4


async def test_arguments_may_come_as_an_object_instead_of_text() -> None:
    raw = {"id": "1", "function": {"name": "textbook_retrieval", "arguments": {"query": "a"}}}
    async with served(said(None, tool_calls=[raw])) as (llm, _):
        assert (await llm.run(Choose())).value.calls[0].arguments == {"query": "a"}


async def test_a_turn_of_a_chat_may_end_at_the_length_limit() -> None:
    async with served(said("Take the rows where", finish_reason="length")) as (llm, _):
        chat = Chat(messages=(ChatTurn(role="user", content="Which rows?"),))
        assert (await llm.run(chat)).value.text == "Take the rows where"


async def test_calls_cut_at_the_length_limit_are_a_bad_reply() -> None:
    async with served(called(("textbook_retrieval", '{"query": "B'), finish_reason="length")) as (llm, server):
        with pytest.raises(BadReply, match="truncated"):
            await llm.run(Choose())
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "act",
    [
        failed(400, '"auto" tool choice requires --enable-auto-tool-choice'),
        sent({"error": "faulty does not support tools"}, status=400),
        failed(404, "No endpoints found that support tool use"),
        failed(501),
    ],
)
async def test_a_server_that_refuses_functions_lacks_a_capability(act: Act) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(MissingCapability) as caught:
            await llm.run(Choose())
        assert caught.value.capability == "tools"
        assert len(server.requests) == 1


# Structured output


GOOD_GRADE = said('{"mark": "pass", "reasons": ["right"]}')
BAD_GRADES = {
    "not JSON": said("I would say: pass"),
    "half": said('{"mark": "pass", "reas'),
    "wrong value": said('{"mark": "maybe", "reasons": []}'),
    "missing field": said('{"mark": "pass"}'),
    "a list": said("[1]"),
    "half a surrogate pair": said('{"mark": "pass", "reasons": ["\\ud800"]}'),
}


@pytest.mark.parametrize("bad", BAD_GRADES.values(), ids=BAD_GRADES)
async def test_a_reply_that_breaks_the_schema_is_repaired(bad: Act) -> None:
    async with served(bad, bad, GOOD_GRADE) as (llm, server):
        reply = await llm.run(GiveGrade())
        assert reply.value == Grade(mark="pass", reasons=("right",))
        assert (reply.usage.calls, reply.usage.prompt_tokens) == (3, 30)
        assert "does not fit the schema" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("bad", BAD_GRADES.values(), ids=BAD_GRADES)
async def test_a_reply_that_keeps_breaking_the_schema_is_a_bad_reply(bad: Act) -> None:
    async with served(bad) as (llm, server):
        with pytest.raises(BadReply, match="does not fit the schema"):
            await llm.run(GiveGrade())
        assert len(server.requests) == 3


async def test_the_deadline_covers_repairs() -> None:
    async with served(Act(said("I would say: pass").body, wait=0.4), seconds=0.6) as (llm, server):
        with pytest.raises(ModelTimeout):
            await llm.run(GiveGrade())
        assert len(server.requests) <= 2


@pytest.mark.parametrize(
    "text", ['```json\n{"mark": "pass", "reasons": []}\n```', 'So: {"mark": "pass", "reasons": []}']
)
async def test_the_object_is_found_in_a_fence_or_behind_words(text: str) -> None:
    async with served(said(text)) as (llm, server):
        assert (await llm.run(GiveGrade())).value.mark == "pass"
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 404, 422, 501])
async def test_json_mode_stands_in_for_json_schema_and_is_remembered(status: int) -> None:
    async with served(failed(status, "unknown response_format"), GOOD_GRADE) as (llm, server):
        for _ in range(2):
            assert (await llm.run(GiveGrade())).value.mark == "pass"
        formats = [request["response_format"]["type"] for request in server.requests]
        assert formats == ["json_schema", "json_object", "json_object"]
        assert '"additionalProperties": false' in server.requests[1]["messages"][0]["content"]


async def test_a_capability_that_one_model_lacks_is_tried_with_another() -> None:
    async with served(failed(400), GOOD_GRADE) as (llm, server):
        await llm.run(GiveGrade())
        await llm.run(GiveGrade(), Sampling(model="other"))
        assert server.requests[-1]["response_format"]["type"] == "json_schema"


async def test_a_function_call_stands_in_for_both_json_formats_and_is_remembered() -> None:
    refused = failed(400, "unknown response_format")
    given = called(("Grade", {"mark": "pass", "reasons": ["right"]}))
    async with served(refused, refused, given) as (llm, server):
        for _ in range(2):
            assert (await llm.run(GiveGrade())).value == Grade(mark="pass", reasons=("right",))
        assert len(server.requests) == 4
        for request in server.requests[2:]:
            assert "response_format" not in request
            assert request["tool_choice"] == "required"
            assert request["tools"][0]["function"]["parameters"]["additionalProperties"] is False


async def test_the_schema_in_the_prompt_is_enough_for_a_server_without_any_format() -> None:
    refused = failed(400, "unsupported parameter")
    async with served(refused, refused, refused, GOOD_GRADE) as (llm, server):
        assert (await llm.run(GiveGrade())).value.mark == "pass"
        assert server.requests[-1].keys().isdisjoint({"response_format", "tools", "tool_choice"})
        assert '"additionalProperties": false' in server.requests[-1]["messages"][0]["content"]


async def test_a_model_that_answers_a_required_function_with_text_is_read_all_the_same() -> None:
    refused = failed(400, "unknown response_format")
    async with served(refused, refused, GOOD_GRADE) as (llm, _):
        assert (await llm.run(GiveGrade())).value.mark == "pass"


async def test_arguments_that_break_the_schema_are_repaired() -> None:
    refused = failed(400, "unknown response_format")
    bad, good = (called(("Grade", {"mark": mark, "reasons": []})) for mark in ("maybe", "pass"))
    async with served(refused, refused, bad, good) as (llm, server):
        assert (await llm.run(GiveGrade())).value.mark == "pass"
        assert "does not fit the schema" in server.requests[3]["messages"][-1]["content"]


async def test_a_server_that_refuses_every_format_is_told_of_as_it_said() -> None:
    async with served(failed(400, "no such thing")) as (llm, server):
        with pytest.raises(ModelRefused, match="no such thing"):
            await llm.run(GiveGrade())
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (failed(404, "The model `faulty` does not exist"), ModelRefused),
        (failed(400, "too long", code="context_length_exceeded"), ContextOverflow),
        (failed(401), ModelRefused),
    ],
)
async def test_json_mode_is_not_tried_where_the_format_was_not_the_reason(act: Act, error: type[ModelError]) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(error):
            await llm.run(GiveGrade())
        assert len(server.requests) == 1


async def test_a_task_for_a_bare_truth_value_is_a_mistake_of_the_caller() -> None:
    async with served(said("yes")) as (llm, _):
        with pytest.raises(TypeError, match="IsRelevant"):
            await llm.run(IsRelevant())


# Probabilities


def judged(*tokens: tuple[str, float | None], sampled: tuple[str, float] = ("Maybe", -1.0)) -> Act:
    top = [{"token": token, "logprob": logprob} for token, logprob in tokens]
    content = [{"token": sampled[0], "logprob": sampled[1], "top_logprobs": top}]
    return completed({"role": "assistant", "content": sampled[0]}, "length", logprobs={"content": content})


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (judged(("yes", -0.6931), ("no", -1.3863)), 2 / 3),
        (judged(("Yes", -1.3863), (" yes", -1.3863), ("NO", -1.3863)), 2 / 3),
        (judged(("Ġyes", -1.0), ("▁No", -1.0)), 0.5),
        (judged(("yes", -1.0), ("yesterday", -0.1)), 1.0),
        (judged(("no", -1.0), ("yes", None)), 0.0),
        (judged(sampled=("No", -0.1)), 0.0),
        (judged(("No", -0.6931), ("yes", -0.6931), sampled=("No", -0.6931)), 0.5),
    ],
)
async def test_the_probability_sums_all_spellings(act: Act, expected: float) -> None:
    async with served(act) as (llm, server):
        reply = await llm.probability(IsRelevant())
        assert reply.value == pytest.approx(expected, abs=1e-3)
        assert (server.requests[0]["max_tokens"], server.requests[0]["top_logprobs"]) == (1, 20)


async def test_labels_share_the_probability_of_the_first_token() -> None:
    task = LabelTask(task=GiveGrade(), labels=("1", "2", "3"), closing="Reply with 1, 2 or 3.")
    act = judged((" 1", -0.6931), ("3", -1.3863), ("9", -0.1), sampled=("9", -0.1))
    async with served(act, judged(("9", -0.1))) as (llm, server):
        reply = await llm.run(task)
        assert reply.value.by_label == pytest.approx({"1": 2 / 3, "2": 0, "3": 1 / 3}, abs=1e-3)
        assert server.requests[0]["messages"][0]["content"].endswith("Reply with 1, 2 or 3.")
        with pytest.raises(BadReply, match='none of "1", "2", "3"'):
            await llm.run(task)


@pytest.mark.parametrize("act", [judged(("Maybe", -0.1)), judged(("yes", -9999.0)), FAULTS["no choices"]])
async def test_neither_yes_nor_no_is_a_bad_reply(act: Act) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(BadReply):
            await llm.probability(IsRelevant())
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "act",
    [
        said("yes", "length"),
        completed({"content": "yes"}, logprobs={"content": []}),
        failed(400, "logprobs is not supported by this model"),
        failed(422, "unknown field top_logprobs"),
        failed(501),
    ],
)
async def test_a_server_without_logprobs_lacks_a_capability(act: Act) -> None:
    async with served(act) as (llm, server):
        with pytest.raises(MissingCapability) as caught:
            await llm.probability(IsRelevant())
        assert caught.value.capability == "logprobs"
        assert len(server.requests) == 1


async def test_fields_that_came_with_a_call_go_back_with_it() -> None:
    call = {
        "id": "x",
        "type": "function",
        "index": 0,
        "function": {"name": "textbook_retrieval", "arguments": '{"query": "B-tree"}'},
        "extra_content": {"google": {"thought_signature": "abc"}},
    }
    async with served(said(None, "tool_calls", tool_calls=[call]), GOOD_CALL) as (llm, server):
        (first,) = (await llm.run(Choose())).value.calls
        await llm.run(Choose(history=((CallResult(call=first),),)))
    *_, asked, _ = server.requests[1]["messages"]
    (sent_back,) = asked["tool_calls"]
    assert sent_back["extra_content"] == {"google": {"thought_signature": "abc"}}
    assert "index" not in sent_back
    assert sent_back["id"] == first.id != "x"


async def test_fields_of_a_call_beyond_all_measure_are_left_out() -> None:
    call = {"function": {"name": "textbook_retrieval", "arguments": '{"query": "a"}'}, "more": "x" * 200_000}
    async with served(said(None, "tool_calls", tool_calls=[call])) as (llm, _):
        assert (await llm.run(Choose())).value.calls[0].opaque == {}

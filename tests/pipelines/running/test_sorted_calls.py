"""What of a model's choice can be run."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import FunctionCall
from pipelines.running.answer_limits import AnswerLimits
from pipelines.running.sorted_calls import SortedCalls, sort_calls
from retrievers.functions import COURSE_FUNCTIONS

FUNCTIONS = tuple(function.spec for function in COURSE_FUNCTIONS)


def call(query: str, name: str = "textbook_retrieval") -> FunctionCall:
    return FunctionCall(id=f"call {query}", name=name, arguments={"query": query})


def sorted_out(*calls: FunctionCall, ran: Sequence[FunctionCall] = ()) -> SortedCalls:
    return sort_calls(calls, FUNCTIONS, AnswerLimits(calls_per_turn=3, calls_per_run=4), ran)


def test_calls_that_can_be_run_are_kept_in_order_and_once_each() -> None:
    chosen = sorted_out(call("b"), call("a"), call("b"))
    assert [one.arguments["query"] for one in chosen.calls] == ["b", "a"]
    assert (chosen.wrong, chosen.note) == ((), None)


def test_calls_that_cannot_be_run_are_reported_with_the_reason() -> None:
    chosen = sorted_out(call("a"), call("a", name="wiki_retrieval"), call(""))
    assert [one.arguments["query"] for one in chosen.calls] == ["a"]
    assert [result.call.name for result in chosen.wrong] == ["wiki_retrieval", "textbook_retrieval"]
    assert len(chosen.reasons) == 2
    assert (chosen.note or "").startswith("2 of 3 calls were dropped: ")


def test_fifty_calls_are_cut_to_the_limit_of_a_turn_and_to_what_is_left_of_the_run() -> None:
    many = [call(str(n)) for n in range(50)]
    assert len(sorted_out(*many).calls) == 3
    ran = [call(name) for name in ("a", "b", "c", "d")]
    left = sorted_out(*many, ran=ran[:3])
    assert len(left.calls) == 1
    assert left.note == "49 of 50 calls were dropped: 49 over the limit of 3 a turn, 4 a run."
    assert sorted_out(call("e"), ran=ran).calls == ()


def test_calls_that_ran_before_take_no_room_from_the_others_of_a_turn() -> None:
    ran = [call("0"), call("1"), call("2")]
    chosen = sorted_out(*(call(str(n)) for n in range(9)), ran=ran)
    assert [one.arguments["query"] for one in chosen.calls] == ["0", "1", "2", "3"]
    assert chosen.note == "5 of 9 calls were dropped: 5 over the limit of 3 a turn, 4 a run."


def test_no_more_calls_are_repeated_than_a_turn_has() -> None:
    ran = [call(str(n)) for n in range(4)]
    assert len(sorted_out(*ran, ran=ran).calls) == 3

"""Directions say who speaks next, and their routers are never evaluated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from eval.scenarios.turns import END, read_turns

AGENTS = ("teacher", "student")
ROUTER = 'teacher -> router:{}(keywords=["Bye", "-> end"], exists_to=END, else_to="student")'


@pytest.mark.parametrize("router", ["any_keyword_route", "any_keyword_router"])
def test_any_keyword_ends_the_dialogue_whatever_its_case(router: str) -> None:
    turns = read_turns(["START->teacher", ROUTER.format(router), "student -> teacher"], AGENTS)
    assert turns.next("teacher", "good BYE") == END
    assert turns.next("teacher", "so -> end it") == END
    assert turns.next("teacher", "go on") == "student"
    assert turns.next("student", "Bye") == "teacher"


def test_a_keyword_that_was_only_thought_does_not_count() -> None:
    turns = read_turns(["START -> teacher", ROUTER.format("any_keyword_route")], AGENTS)
    assert turns.next("teacher", "<think>bye?</think>go on") == "student"


def test_all_keywords_are_looked_for_in_thoughts_too() -> None:
    turns = read_turns(["START -> teacher", ROUTER.format("all_keyword_route")], AGENTS)
    assert turns.next("teacher", "<think>bye</think> -> END") == END
    assert turns.next("teacher", "bye") == "student"


def test_two_routers_of_one_name_stay_apart() -> None:
    turns = read_turns(
        [
            "START -> teacher",
            'teacher -> router:any_keyword_router(["bye"], END, "student")',
            'student -> router:any_keyword_router(["stop"], END, "teacher")',
        ],
        AGENTS,
    )
    assert (turns.next("teacher", "stop"), turns.next("student", "stop")) == ("student", END)


def test_an_agent_without_a_direction_ends_the_dialogue() -> None:
    assert read_turns(["START -> teacher"], AGENTS).next("teacher", "so") == END


@pytest.mark.parametrize(
    ("direction", "words"),
    [
        ("teacher", "is not a direction"),
        ("nobody -> teacher", "There is no agent 'nobody'"),
        ("teacher -> router:any_keyword_rout(['a'], END, 'student')", "Did you mean 'any_keyword_route'"),
        ("teacher -> router:any_keyword_route(['a'], END)", "lacks else_to"),
        ("teacher -> router:any_keyword_route('a', END, 'student')", "must be a list of texts"),
        ("teacher -> router:any_keyword_route(['a'], END, 'student', False, 1)", "takes keywords"),
        ("teacher -> router:any_keyword_route(['a'], END, nobody='x')", "There is no parameter 'nobody'"),
        ("teacher -> router:__import__('os').system('true')", "is not a router's call"),
        ("teacher -> router:any_keyword_route([open('/etc/passwd').read()], END, 'student')", "must be a text"),
        ("teacher -> router:any_keyword_route(['a'] * 10**9, END, 'student')", "must be a text"),
    ],
)
def test_a_direction_that_cannot_be_followed_is_named(direction: str, words: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        read_turns(["START -> teacher", direction], AGENTS)
    assert words in str(problem.value)


def test_nothing_begins_without_a_start() -> None:
    with pytest.raises(InvalidInput, match="add `START -> AGENT`"):
        read_turns(["teacher -> student"], AGENTS)


@given(st.text())
def test_no_text_of_a_router_does_more_than_be_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_turns(["START -> teacher", f"teacher -> router:{text}"], AGENTS)

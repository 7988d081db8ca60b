"""A forum post taken apart into what its author says, code, and tracebacks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.posts import read_post

TRACE = (
    'Traceback (most recent call last):\n  File "a.py", line 2, in <module>\n    x = n\n'
    "NameError: name 'n' is not defined"
)


def test_code_and_traceback_of_a_block_stand_apart_from_the_prose() -> None:
    post = read_post(f"Why does this fail?\n```python\nx = n\n{TRACE}\n```\nI am stuck.")
    assert post.prose == "Why does this fail?\n(code 1)\n(traceback 1)\nI am stuck."
    assert (post.code, post.tracebacks) == (("x = n",), (TRACE,))


def test_a_traceback_without_a_fence_ends_with_its_error() -> None:
    post = read_post(f"I get\n{TRACE}\nWhat does it mean?")
    assert (post.prose, post.tracebacks) == ("I get\n(traceback 1)\nWhat does it mean?", (TRACE,))


def test_code_that_came_beside_the_body_counts_as_the_last_code() -> None:
    post = read_post("Look:\n```\na = 1\n```", f"b = 2\n{TRACE}")
    assert (post.code, post.tracebacks) == (("a = 1", "b = 2"), (TRACE,))


@pytest.mark.parametrize(
    "printed",
    [
        "-------------------------------\nKeyError                Traceback (most recent call last)\nKeyError: 'x'",
        'Exception in thread "main" java.lang.NullPointerException\n\tat Main.main(Main.java:5)',
        "TypeError: x is undefined\n    at f (a.js:1:2)",
        "Error in eval(expr) : object 'x' not found",
        "main.c:3:5: error: expected ';'",
        'ERROR:  column "x" does not exist',
    ],
)
def test_error_messages_of_several_languages_are_tracebacks(printed: str) -> None:
    assert read_post(f"```\n{printed}\n```").tracebacks == (printed,)


@pytest.mark.parametrize("code", ["raise ValueError(x)", "except KeyError:\n    pass", "class MyError(Exception): ..."])
def test_code_about_errors_is_code(code: str) -> None:
    assert read_post(f"```\n{code}\n```").code == (code,)


def test_a_post_without_code_stays_as_it_is() -> None:
    assert read_post("When is it due?\n\n- part a\n- part b").prose == "When is it due?\n\n- part a\n- part b"


@given(st.lists(st.sampled_from(["```", "~~~py", "x = 1", TRACE, "Why?", "", "KeyError: 'a'", "> q"]), max_size=9))
def test_no_line_of_a_post_is_lost(lines: list[str]) -> None:
    body = "\n".join(lines)
    post = read_post(body)
    kept = "\n".join((post.prose, *post.code, *post.tracebacks))
    for line in body.split("\n"):
        if line.strip() and not line.startswith(("```", "~~~")):
            assert line in kept

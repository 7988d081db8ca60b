"""Code found in texts, with fences and without."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.python_code import python_code

CODE = "def total(numbers):\n    result = 0\n\n    for one in numbers:\n        result += one\n    return result"


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"Solution\n\n{CODE}\n\nThe sum begins at 0.",
        f"Solution\n{CODE}\nThe sum begins at 0.",
        f"**Solution.**\n\n```python\n{CODE}\n```\n\nIt begins at 0.",
        f"Examples:\n\n```\n>>> total([1, 2])\n3\n```\n\nSolution\n\n{CODE}\n\n`sum` does the same.",
    ],
)
def test_code_is_found_with_and_without_fences(text: str) -> None:
    (found,) = python_code(text)
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(CODE))


def test_literals_over_several_lines_are_code() -> None:
    (found,) = python_code("The weeks:\n\nweeks = [\n    1,\n    2,\n]\n\nThat is all.")
    assert found == "weeks = [\n    1,\n    2,\n]"


@pytest.mark.parametrize(
    "text",
    ["", "Solution", "Read it again.", "Exercise: Sum", "run-time", "3.4", "Solution\n\nx", "```\n>>> f(1)\n2\n```"],
)
def test_prose_results_and_names_are_no_code(text: str) -> None:
    assert python_code(text) == []


@given(st.text(max_size=300))
def test_what_is_found_can_be_parsed(text: str) -> None:
    for piece in python_code(text):
        assert piece.strip()

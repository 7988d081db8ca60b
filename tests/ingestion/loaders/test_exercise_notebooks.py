"""Notebooks with cells that nbgrader and its like mark: as students get them, and as instructors write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingestion.loaders import load
from ingestion.questions.headers import detect_by_rule
from ingestion.solutions.apart import solutions_apart
from ingestion.tree import UnstoredNode, build_tree

NBGRADER = {"nbgrader": {"grade": False, "solution": True, "locked": False, "schema_version": 3}}
GRADED = {"nbgrader": {"grade": True, "solution": True, "points": 2, "schema_version": 3}}
TESTS = {"nbgrader": {"grade": True, "solution": False, "points": 1, "schema_version": 3}}
FUNCTION = 'def squares(n):\n    """The squares of 1 to n."""\n    '
STUB = "# YOUR CODE HERE\n    raise NotImplementedError()"
Cell = tuple[str, str, dict[str, Any]]


def blocks_of(*cells: Cell, printed: str = "") -> list[UnstoredNode]:
    outputs = [{"output_type": "stream", "text": printed}] if printed else []
    built = [
        {"cell_type": kind, "source": source, "metadata": meta, "outputs": outputs} for kind, source, meta in cells
    ]
    document = load("ps1.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": built}).encode())
    document = solutions_apart(document)
    headers = detect_by_rule(document, questions=True)
    return list(build_tree(document, headers, solutions=True).blocks())


def worksheet(code: str, text: str) -> list[Cell]:
    return [
        ("markdown", "# Problem set 1\n\nRead all of it first.", {}),
        ("code", FUNCTION + code, NBGRADER),
        ("code", "assert squares(1) == [1]", TESTS),
        ("markdown", "Now think about what you wrote.", {}),
        ("markdown", text, GRADED),
        ("markdown", "A last remark, with the way to hand in.", {}),
    ]


def test_students_see_all_of_a_released_notebook() -> None:
    blocks = blocks_of(*worksheet(STUB, "YOUR ANSWER HERE"))
    assert [block.solution for block in blocks] == [""] * len(blocks)
    seen = "\n".join(block.text for block in blocks)
    for text in ("def squares", "YOUR CODE HERE", "assert squares", "Now think", "YOUR ANSWER HERE", "A last remark"):
        assert text in seen


def test_filled_cells_are_for_staff_and_end_where_they_end() -> None:
    blocks = blocks_of(*worksheet("return [SECRET for i in range(n)]", "SECRET, because it is short."))
    seen = "\n".join(block.text for block in blocks)
    assert "SECRET" not in seen
    assert all(text in seen for text in ("assert squares", "Now think", "A last remark"))
    assert "\n".join(block.solution for block in blocks).count("SECRET") == 2


@pytest.mark.parametrize("code", ["return SECRET", "# YOUR CODE HERE\n    return SECRET"])
def test_a_filled_cell_is_for_staff_though_the_comment_of_its_stub_stays(code: str) -> None:
    (block,) = blocks_of(("code", FUNCTION + code, NBGRADER))
    assert block.text == ""
    assert "SECRET" in block.solution


def test_what_a_solution_prints_is_for_staff_up_to_the_next_question() -> None:
    cells = [
        ("markdown", "## Question 1", {}),
        ("code", "x = 41 + 1", NBGRADER),
        ("code", "x", {}),
        ("markdown", "## Question 2", {}),
        ("code", "y", {}),
    ]
    first, second = blocks_of(*cells, printed="42")
    assert first.text == "Question 1\n```\nx\n```"
    assert second.text == "Question 2\n```\ny\n```\n```\n42\n```"


def test_results_that_stayed_behind_a_stub_are_for_staff() -> None:
    (block,) = blocks_of(("code", "x = ...", NBGRADER), printed="42")
    assert (block.text, block.solution) == ("```\nx = ...\n```", "42")


def test_a_title_with_a_mark_announces_the_solution_below() -> None:
    cells = [("markdown", "## Question 1\n\nWhy?", {}), ("markdown", "### Solution", {"tags": ["solution"]})]
    (block,) = blocks_of(*cells, ("code", "SECRET", {}))
    assert block.text == "Question 1\n\nWhy?"


def test_words_that_begin_a_solution_count_in_a_cell_with_a_tag_as_in_one_without() -> None:
    text = "**Solution.** We count them:"
    for metadata in ({}, {"tags": ["solution"]}):
        (block,) = blocks_of(
            ("markdown", "## Question 1\n\nHow many?", {}), ("markdown", text, metadata), ("code", "SECRET", {})
        )
        assert "SECRET" not in block.text


def test_a_cell_that_asks_for_an_answer_begins_no_solution() -> None:
    text = "**Answer:**\n\n_Type your answer here, replacing this text._"
    (block,) = blocks_of(
        ("markdown", "## Question 1\n\nWhy?", {}), ("markdown", text, {}), ("markdown", "Next part.", {})
    )
    assert (block.solution, block.text.endswith("Next part.")) == ("", True)


@pytest.mark.parametrize("metadata", [{"tags": ["solution"]}, {"solution2": "hidden"}, NBGRADER])
def test_a_stub_is_no_solution_whatever_its_mark(metadata: dict[str, Any]) -> None:
    (block,) = blocks_of(("code", "x = ...", metadata))
    assert (block.text, block.solution) == ("```\nx = ...\n```", "")

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import EmptyDocument, UnreadableDocument
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.notebook import OUTPUT_CHARS, SHORTENED, load


def cell(kind: str, source: Any, **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source, **more}


def read(*cells: dict[str, Any]) -> LoadedDocument:
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    return load("hw1.ipynb", json.dumps(content).encode())


def outputs(*shown: dict[str, Any]) -> list[str]:
    lines = read(cell("code", "x", outputs=list(shown))).lines
    return [line.text for line in lines if line.kind is LineKind.OUTPUT]


def data(**kinds: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {kind.replace("_", "/"): value for kind, value in kinds.items()}}


def test_every_line_names_its_cell_and_kind() -> None:
    document = read(
        cell("markdown", ["# Homework 1\n", "**Question 2b**\n", "text"], id="a1"),
        cell("code", "\n  x = 1\n\n", id="b2", outputs=[{"output_type": "stream", "text": ["1\n", "2"]}]),
        cell("raw", "raw", id="c3"),
    )
    assert document.lines == (
        Line("Homework 1", level=1, cell="a1"),
        Line("Question 2b", bold=True, cell="a1"),
        Line("text", cell="a1"),
        Line("  x = 1", LineKind.CODE, cell="b2"),
        Line("1", LineKind.OUTPUT, cell="b2"),
        Line("2", LineKind.OUTPUT, cell="b2"),
        Line("raw", cell="c3"),
    )


def test_cells_without_an_id_or_with_one_used_before_get_their_number() -> None:
    lines = read(cell("raw", "a"), cell("raw", "b", id="x"), cell("raw", "c", id="x"), cell("raw", "d")).lines
    assert [line.cell for line in lines] == ["cell-1", "x", "x-3", "cell-4"]


def test_the_title_is_the_first_heading_or_the_name() -> None:
    assert read(cell("code", "# no heading"), cell("markdown", "## Lab")).title == "Lab"
    assert read(cell("code", "# no heading")).title == "hw1"


def test_long_outputs_are_shortened() -> None:
    assert outputs({"output_type": "stream", "text": "a\n" * 50}) == ["a"] * 20 + [SHORTENED]
    (line, note) = outputs({"output_type": "stream", "text": "a" * 10_000})
    assert (len(line), note) == (OUTPUT_CHARS, SHORTENED)
    assert outputs({"output_type": "stream", "text": "a\n" * 20}) == ["a"] * 20


def test_outputs_are_shown_in_their_plainest_form() -> None:
    assert outputs(data(text_html="<table>", text_plain=["   a\n", "0  1"])) == ["   a", "0  1"]
    assert outputs(data(text_html="<table><tr><td>a</td><td>b</td></tr></table>")) == ["a | b"]
    assert outputs(data(image_png="iVBOR")) == ["[image]"]
    assert outputs(data(application_x="?")) == []
    assert outputs({"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["..."]}) == [
        "KeyError: 'x'"
    ]


def test_colours_and_progress_bars_leave_what_was_seen_last() -> None:
    assert outputs({"output_type": "stream", "text": "\x1b[31mred\x1b[0m\n10%\r50%\r100%\r\n"}) == ["red", "100%"]


def test_notebooks_of_version_3_are_upgraded() -> None:
    code = {
        "cell_type": "code",
        "input": ["1 + 1\n", "2"],
        "language": "python",
        "outputs": [{"output_type": "pyout", "prompt_number": 1, "text": ["2"], "metadata": {}}],
    }
    cells = [{"cell_type": "heading", "level": 2, "source": ["Question 1"]}, code]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
    assert load("old.ipynb", json.dumps(old).encode()).lines == (
        Line("Question 1", level=2, cell="cell-1"),
        Line("1 + 1", LineKind.CODE, cell="cell-2"),
        Line("2", LineKind.CODE, cell="cell-2"),
        Line("2", LineKind.OUTPUT, cell="cell-2"),
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "not a notebook"),
        ('{"cells": []}', "not a notebook"),
        ('{"nbformat": "4"}', "not a notebook"),
        ('{"nbformat": 2, "worksheets": []}', "too old"),
        ('{"nbformat": 5, "cells": []}', "newer"),
        ('{"nbformat": 4}', r"damaged notebook \(cells"),
        ('{"nbformat": 4, "cells": [{"cell_type": "raw", "source": 3}]}', r"cells\.0\.source"),
        ('{"nbformat": 3}', "cannot be upgraded"),
        ('{"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [{}]}]}', "cannot be upgraded"),
    ],
)
def test_what_is_no_notebook_is_refused_with_the_reason(content: str, reason: str) -> None:
    with pytest.raises(UnreadableDocument, match=rf"hw1\.ipynb: .*{reason}"):
        load("hw1.ipynb", content.encode())


def test_a_notebook_without_text_is_an_empty_document() -> None:
    for cells in ([], [cell("code", "", outputs=[])], [cell("markdown", " \n")]):
        with pytest.raises(EmptyDocument):
            read(*cells)


def test_odd_characters_in_json_do_no_harm() -> None:
    document = load("a.ipynb", b'{"nbformat": 4, "cells": [{"cell_type": "raw", "source": "a\\ud800\\u0000b"}]}')
    assert document.text == "a\ufffd b"


@pytest.mark.parametrize(
    ("metadata", "is_solution"),
    [
        ({"tags": ["Solution"]}, True), ({"tags": ["otter_assign_solution_cell"]}, True),
        ({"tags": ["hide-input"]}, False),
        ({"nbgrader": {"solution": True}}, True), ({"nbgrader": {"grade": True}}, False),
        ({"solution2": "hidden"}, True), ({"solution2": "hidden", "solution2_first": True}, False),
    ],
)  # fmt: skip
def test_cells_are_told_for_solutions_by_their_metadata(metadata: dict[str, Any], is_solution: bool) -> None:
    (line,) = read({**cell("markdown", "It is 3."), "metadata": metadata}).lines
    assert (line.solution, line.closed) == (is_solution, is_solution)


@pytest.mark.parametrize("kind", ["raw", "markdown"])
def test_the_settings_of_a_site_generator_in_the_first_cell_are_no_heading(kind: str) -> None:
    settings = "---\ntitle: 'Sampling'\nformat:\n  html:\n    toc: true\n---"
    document = read(cell(kind, settings), cell("markdown", "# Why sample?\n\nIt is cheap."))
    assert document.title == "Sampling"
    assert [line.text for line in document.lines] == ["Why sample?", "", "It is cheap."]

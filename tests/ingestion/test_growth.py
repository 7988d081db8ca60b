"""The work of ingestion grows with the length of a document, whatever is in it. Work is counted, not timed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType

import pytest

from core.llm.offline import OfflineLLM
from core.store.tables import DocumentRow
from core.types import Source
from ingestion.build import Builder, _rows
from ingestion.document import Header, Line, LoadedDocument, OutlineEntry
from ingestion.loaders import load
from ingestion.offline_rules import detect_headers, extract_summary
from ingestion.parsing.acceptance import admit
from ingestion.questions.detection import RuleDetector
from ingestion.questions.headers import detect_by_rule
from ingestion.solutions.apart import solutions_apart
from ingestion.summaries import Summaries
from ingestion.tasks import DetectHeaders, Summarize
from ingestion.tree import MAX_DEPTH, build_tree
from retrievers.embedding.encoder import LocalEncoder
from tests.fakes import FakeEmbedder
from tests.sweeps import sweep

SMALL, TIMES = 150, 4
MAX_GROWTH = 1.6 * TIMES
"""Of the work, where the document is `TIMES` as long; work that grows with the square would be 16 times as much."""

BUILDER = Builder(
    OfflineLLM({DetectHeaders: detect_headers, Summarize: extract_summary}),
    RuleDetector(),
    LocalEncoder(FakeEmbedder(dimension=8)),
)


def calls_in(work: Callable[[], object]) -> int:
    """How many functions the work calls."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def notebook(cells: list[tuple[str, str]]) -> str:
    return json.dumps(
        {
            "nbformat": 4, "nbformat_minor": 5, "metadata": {},
            "cells": [{"cell_type": kind, "source": source, "metadata": {}, "outputs": []} for kind, source in cells],
        }
    )  # fmt: skip


def threads(count: int) -> str:
    rows = ({"id": str(n), "question": {"title": f"Title {n}", "body": "Why?"}} for n in range(count))
    return "\n".join(map(json.dumps, rows))


DOCUMENTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "headings": (".md", lambda n: "\n".join(f"# Heading {i}" for i in range(n))),
    "headings of six levels": (".md", lambda n: "\n\n".join(f"{'#' * (1 + i % 6)} H{i}\n\ntext" for i in range(n))),
    "list items": (".md", lambda n: "\n".join(f"- item {i}" for i in range(n))),
    "numbered questions": (".txt", lambda n: "\n\n".join(f"{i % 99 + 1}. Explain why {i}?" for i in range(n))),
    "named questions": (".txt", lambda n: "\n".join(f"Question {i % 999 + 1}. Why?\n\nSo?" for i in range(n))),
    "parts of one question": (".txt", lambda n: "Question 1\n" + "\n".join(f"({'abc'[i % 3]}) Why?" for i in range(n))),
    "paragraphs": (".md", lambda n: "\n\n".join(f"Short paragraph {i}." for i in range(n))),
    "solutions": (".md", lambda n: "\n\n".join(f"**Solution.** It is {i}." for i in range(n))),
    "solved questions": (".md", lambda n: "\n".join(f"## Question {i}\n\nWhy?\n\nAnswer: 3" for i in range(n))),
    "solutions in code": (".md", lambda n: "```\n" + "# BEGIN SOLUTION\nx\n# END SOLUTION\n" * n + "```\n"),
    "solutions in solutions": (".md", lambda n: "::: {.solution}\n" * n + "So.\n" + ":::\n" * n),
    "questions behind an empty solution": (
        ".txt", lambda n: "Question 1\nWhy?\nSolution\n" + "\n" * n + "It is 3.\n" + "Question 1\nIt is 4.\n" * n
    ),
    "answers to one number": (".txt", lambda n: "Question 1\nWhy?\n\n" * n + "Solution\n" + "1. So.\n" * n),
    "cells": (".ipynb", lambda n: notebook([("markdown", f"## Part {i}\n\ntext") for i in range(n)])),
    "solution cells": (".ipynb", lambda n: notebook([("code", "# BEGIN SOLUTION\nx\n# END SOLUTION")] * n)),
    "threads": (".jsonl", threads),
    "nested divisions": (".html", lambda n: "<div>" * n + "text" + "</div>" * n),
    "nested lists": (".html", lambda n: "<ul><li>text" * n),
    "nested summaries": (".html", lambda n: "<details><summary>text" * n),
    "nested solutions": (".html", lambda n: "<ul>" + "<li class=solution>text" * n),
    "html headings": (".html", lambda n: "".join(f"<h2>H {i}</h2>" for i in range(n))),
}  # fmt: skip


def built(name: str, data: bytes) -> list[object]:
    """Everything that ingestion does with a document but to ask a model, embed and store."""
    document = solutions_apart(admit(load, name, data, is_text=True, max_chars=10_000_000))
    root = build_tree(document, detect_by_rule(document, questions=True), solutions=True)
    row = DocumentRow(id="d", course_id="c", source=Source.ASSIGNMENT, name=name, title=name)
    return [*_rows(row, root, Summaries()), BUILDER.estimate(name, Source.ASSIGNMENT, document)]


@pytest.mark.parametrize(("suffix", "text"), sweep(DOCUMENTS, every=4))
def test_the_work_grows_with_the_length(suffix: str, text: Callable[[int], str]) -> None:
    name = f"document{suffix}"
    short, long = text(SMALL).encode(), text(SMALL * TIMES).encode()
    built(name, short)  # What is imported and cached at first use is no work of the document's.
    assert calls_in(lambda: built(name, long)) < MAX_GROWTH * calls_in(lambda: built(name, short))


@pytest.mark.parametrize(("suffix", "text"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_the_text_grows_with_the_length(suffix: str, text: Callable[[int], str]) -> None:
    short, long = (load(f"document{suffix}", text(n).encode()) for n in (SMALL, SMALL * TIMES))
    assert len(long.text) < MAX_GROWTH * len(short.text)


def test_many_bookmarks_of_one_page_are_found_at_once() -> None:
    def work(count: int) -> int:
        lines = tuple(Line(f"Line {n}", page=1) for n in range(count))
        outline = tuple(OutlineEntry(1, f"Line {n} and more", 1) for n in range(count))
        return calls_in(lambda: detect_by_rule(LoadedDocument("book", lines, outline), questions=False))

    assert work(SMALL * TIMES) < MAX_GROWTH * work(SMALL)


def test_headings_nested_a_thousand_deep_stand_beside_each_other_from_some_depth_on() -> None:
    document = LoadedDocument("deep", tuple(Line(f"h{n}") for n in range(5_000)))
    root = build_tree(document, [Header(n, n, f"h{n}") for n in range(5_000)], solutions=True)
    paths = [block.heading_path for block in root.blocks()]
    assert [path[-1] for path in paths] == [f"h{n}" for n in range(MAX_DEPTH - 1, 5_000)]
    assert max(map(len, paths)) == MAX_DEPTH


@pytest.mark.parametrize("gap", [" ", "\t", ":", "#", "|", " ."])
def test_a_row_of_marks_is_read_at_once(gap: str) -> None:
    """With patterns that try every way to divide the row, this would take hours."""
    rows = f"Question Points\n{gap * 3_000}x\nA{gap * 3_000}x\n:::{gap * 3_000}x\nSolution{gap * 3_000}x y\n"
    assert built("rows.txt", rows.encode())

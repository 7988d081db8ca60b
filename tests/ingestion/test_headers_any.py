"""Question headers of any text, however deep and long."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.document import Line, LoadedDocument
from ingestion.numbering import read_heading_number, read_number
from ingestion.questions.headers import detect_by_rule
from tests.ingestion.sheets import asked, asked_in

PIECES = (
    "", "Words.", "Question 1", "Question 2a: Why?", "Problem 3.", "1. Explain it.", "2. step", "3.", "(a) Show it.",
    "(b)", "(i) Find it.", "ii) Use it.", "A. 0.5", "Part A", "Solution:", "Answer: (a) 3", "第3题", "(1) 求", "Q1 | 5",
    "====", "----",
)  # fmt: skip


def test_twelve_levels_of_decimals_and_of_headings_are_read() -> None:
    deep = "Question " + ".".join("1" * 12)
    assert asked(f"{deep}\nDo it.") == [".".join("1" * 12)]
    lines = tuple(Line(f"Question {n}", level=n) for n in range(1, 13))
    headers = detect_by_rule(LoadedDocument("deep", lines), questions=True)
    assert [header.rank for header in headers] == list(range(1, 13))


def test_five_thousand_siblings_are_all_found() -> None:
    lines = tuple(Line(text) for n in range(5_000) for text in (f"Question {n % 999 + 1}", "Do it."))
    assert len(asked_in(LoadedDocument("long", lines))) == 5_000
    bare = tuple(Line(text) for n in range(5_000) for text in (f"{n % 99 + 1}. Why?", ""))
    assert len(asked_in(LoadedDocument("long", bare))) == 5_000


@given(st.lists(st.sampled_from(PIECES), max_size=60), st.booleans())
def test_any_sheet_gives_sorted_headers_inside_the_text(lines: list[str], boxed: bool) -> None:
    built = tuple(
        Line(text, page=1, size=12, box=(72.0 + 18 * (n % 3), 20.0 * n, 300.0, 20.0 * n + 12)) if boxed else Line(text)
        for n, text in enumerate(lines)
    )
    headers = detect_by_rule(LoadedDocument("any", built), questions=True)
    places = [header.line for header in headers]
    assert places == sorted(set(places))
    assert all(0 <= place < len(lines) and lines[place].strip() for place in places)


@given(st.text(max_size=80))
def test_any_line_is_read_without_fail_and_its_number_is_in_it(text: str) -> None:
    for number in (read_number(text), read_heading_number(text)):
        if number:
            assert number.label
            assert number.label == number.label.lower()


@pytest.mark.parametrize(
    "pattern", [("Question {}", "Do it."), ("{}. Why?", ""), ("(a) Show it.", "1. step {}"), ("Solution:", "{}.")]
)
def test_the_work_grows_with_the_number_of_lines_alone(pattern: tuple[str, str]) -> None:
    counts = []
    for size in (250, 500, 1_000):
        lines = (Line("Question 1"), *(Line(text.format(n % 99 + 1)) for n in range(size) for text in pattern))
        counts.append(calls_in_detecting(LoadedDocument("long", lines)))
    assert counts[2] - counts[1] <= 2.2 * (counts[1] - counts[0]) + 40


def calls_in_detecting(document: LoadedDocument) -> int:
    """Calls of functions, those of Python's own included: work counted rather than timed."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        detect_by_rule(document, questions=True)
    finally:
        sys.setprofile(None)
    return calls

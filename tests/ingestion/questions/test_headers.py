"""Header detection by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.document import Line, LoadedDocument, OutlineEntry
from ingestion.numbering import read_number
from ingestion.questions.candidates import title
from ingestion.questions.headers import detect_by_rule


def text_document(text: str) -> LoadedDocument:
    return LoadedDocument("doc", tuple(Line(line) for line in text.split("\n")))


def labels(document: LoadedDocument) -> list[str | None]:
    return [header.label for header in detect_by_rule(document, questions=True)]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("Question 1a", "1a"), ("Question 2: Groupby", "2"), ("**Problem 3.**", "3"), ("Question 4 (Optional)", "4"),
        ("Q5b) Plot it", "5b"), ("Exercise 2.1", "2.1"), ("4. Which of these?", "4"), ("(c) Explain.", "c"),
        ("b) Why?", "b"), ("Aufgabe 7", "7"), ("問題3 次の", "3"),
    ],
)  # fmt: skip
def test_numbers_are_read_in_every_style(line: str, label: str) -> None:
    number = read_number(line)
    assert number is not None
    assert number.label == label


@pytest.mark.parametrize(
    "line",
    [
        "Question 3 asks you to plot.",
        "In Question 3 we saw",
        "3.14 is pi",
        "a dog",
        "2020 was",
        "",
        "Question 1a | 3 |",
    ],
)
def test_prose_is_not_a_number(line: str) -> None:
    assert read_number(line) is None


def test_named_questions_are_found_in_text_without_marks() -> None:
    document = text_document("Lab 3\n\nQuestion 1a\nDo this.\nSee Question 1a above.\n\nQuestion 1b\nDo that.")
    assert labels(document) == ["1a", "1b"]


def test_a_tight_list_is_not_a_sequence_of_questions() -> None:
    assert labels(text_document("Shortcuts:\n1. `ctrl`\n2. `esc`\n3. `a`\n4. `b`")) == []


def test_numbered_questions_have_text_of_their_own_and_may_restart_under_a_heading() -> None:
    def line(text: str, x: float, size: float = 12.0, bold: bool = False) -> Line:
        return Line(text, size=size, bold=bold, page=1, box=(x, 0.0, x + 100, 10.0))

    document = LoadedDocument(
        "disc",
        (
            line("Regular Expressions", 72, 17.2, True),
            line("1. Which strings match?", 78), line("A few words on it.", 93), line("(a) The first.", 97),
            line("(b) The second.", 97), line("2. Given the text:", 78), line("more words that make up the body", 93),
            line("Sampling", 72, 17.2, True),
            line("1. Consider a sample.", 78), line("It is drawn at random.", 93), line("1. An inner list", 120),
            line("Solution: none", 102),
        ),
    )  # fmt: skip
    assert labels(document) == [None, "1", "1a", "1b", "2", None, "1"]


def test_marked_headings_are_enough_for_a_textbook() -> None:
    document = LoadedDocument("book", (Line("Cleaning", level=1), Line("1. one"), Line("Missing values", level=2)))
    assert [h.title for h in detect_by_rule(document, questions=False)] == ["Cleaning", "Missing values"]


def test_lettered_parts_below_a_marked_question_get_its_number() -> None:
    lines = [Line("Problem 2: Incomes", level=2), Line("Look at this."), Line("a) Plot it"), Line(""), Line("words"),
             Line("b) Describe it"), Line(""), Line("more words")]  # fmt: skip
    assert labels(LoadedDocument("hw4", tuple(lines))) == ["2", "2a", "2b"]


def test_parts_set_apart_by_blank_lines_are_found_at_the_end_of_a_document_too() -> None:
    lines = [
        Line("Problem 6: Leakage", level=2),
        Line("Read."),
        Line(""),
        Line("a) Name it."),
        Line(""),
        Line("b) Mend it."),
    ]
    assert labels(LoadedDocument("hw6", tuple(lines))) == ["6", "6a", "6b"]


def test_a_part_of_the_document_is_not_a_question() -> None:
    lines = (Line("Part 4: Sorting", level=1), Line("Question 4", level=3), Line("Sort."))
    assert labels(LoadedDocument("hw1", lines)) == [None, "4"]


def test_a_solution_heading_is_not_a_header() -> None:
    lines = (Line("Problem 1", level=2), Line("Do."), Line("Solution", level=3), Line("Done."))
    assert labels(LoadedDocument("hw4", lines)) == ["1"]


def test_bookmarks_place_the_headings_of_a_pdf() -> None:
    lines = (
        Line("6.1 Events", page=1, size=14),
        Line("Text", page=1, size=10),
        Line("6.2 Bayes' rule", page=2, size=14),
    )
    outline = (OutlineEntry(1, "6.1 Events", 1), OutlineEntry(1, "6.2 Bayes’ rule", 2))
    headers = detect_by_rule(LoadedDocument("book", lines, outline), questions=False)
    assert [(header.line, header.rank) for header in headers] == [(0, 1), (2, 1)]


def test_code_is_never_a_header() -> None:
    document = LoadedDocument("nb", (Line("Question 1", level=2), Line("# Question 2: no", kind="code")))
    assert labels(document) == ["1"]


@given(st.lists(st.text(max_size=40), max_size=60), st.booleans())
def test_any_text_gives_headers_in_order_on_lines_that_exist(lines: list[str], questions: bool) -> None:
    document = LoadedDocument("any", tuple(Line(line) for line in lines))
    places = [header.line for header in detect_by_rule(document, questions=questions)]
    assert places == sorted(set(places))
    assert all(0 <= place < len(lines) for place in places)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("1. **Guinea pigs (10 points).** Rough coat and black fur.", "1. Guinea pigs (10 points)"),
        ("2. Find the **largest** value of 2**n.", "2. Find the largest value of 2**n."),
        ("(a) *E. coli* grows. Is *a* > 2 * b?", "(a) E. coli grows. Is a > 2 * b?"),
    ],
)
def test_a_title_is_what_is_set_off_else_the_first_words_without_marks(line: str, shown: str) -> None:
    number = read_number(line)
    assert number is not None
    assert title(number) == shown

"""Which lines begin a solution."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.solutions.apart import solutions_apart
from ingestion.solutions.marks import after_solution_marker, is_solution_marker, solution_number


@pytest.mark.parametrize(
    "line",
    [
        "Solution:", "**Solution.** We divide", "### Solution", "Answer: 3", "STAFF SOLUTION", "Lösung:", "[Solution]",
        "Answer Key", "Solutions to Homework 3", "Homework 3 Solutions", "Solution to Problem 1", "Suggested solution",
        "Solution (5 points):", "Solution sketch", "Correct answer: B", "Solution -", "Answer (staff only):",
        "Lösung zu Aufgabe 1: eins", "Lösungen", "Soluciones", "Soluzioni", "Ответы", "参考答案", "【答案】",
        "Corrigé de l'exercice 2", "Appendix: Solutions", "Click for solution", ":::{solution}", "\\begin{solution}",
        "x = 3 # SOLUTION", "# BEGIN SOLUTION", "# SOLUTION NO PROMPT",
    ],
)  # fmt: skip
def test_solutions_are_told_by_their_words(line: str) -> None:
    assert is_solution_marker(line)


@pytest.mark.parametrize(
    "line",
    [
        "Solutions are due on Friday", "The solution: none", "Answering questions", "Solutions of salt conduct",
        "Answer the following questions", "Answers to be written in pen", "Solution of linear systems",
        "Problem 3 asks for a solution", "Homework 3 solutions will be posted", "# a solution follows",
    ],
)  # fmt: skip
def test_a_sentence_about_solutions_is_none(line: str) -> None:
    assert not is_solution_marker(line)


@pytest.mark.parametrize(
    ("line", "rest", "number"),
    [
        ("**Solution.** We divide", "We divide", ""),
        ("Solution 2b: It is 3.", "It is 3.", "2b"),
        ("## Solution (a)", "", "a"),
        ("No mark at all", "No mark at all", ""),
    ],
)
def test_what_follows_a_mark_and_whose_solution_it_is(line: str, rest: str, number: str) -> None:
    assert (after_solution_marker(line), solution_number(line)) == (rest, number)


def test_a_solution_within_a_line_gets_a_line_of_its_own() -> None:
    document = LoadedDocument("hw", (Line("Which city? **Answer:** Paris", page=2), Line("An answer: why?")))
    apart = solutions_apart(document)
    assert [(line.text, line.page) for line in apart.lines] == [
        ("Which city?", 2), ("**Answer:** Paris", 2), ("An answer: why?", None),
    ]  # fmt: skip
    code = LoadedDocument("hw", (Line("print(f(x)) Answer: 3", LineKind.CODE),))
    assert solutions_apart(code) is code


@given(st.lists(st.text(alphabet="Answer: ?*.\t", max_size=40)))
def test_the_text_stays_as_long(lines: list[str]) -> None:
    document = LoadedDocument("hw", tuple(Line(line) for line in lines))
    assert len(solutions_apart(document).text) == len(document.text)


@pytest.mark.parametrize(
    "line",
    [
        "Answers: in one sentence each.", "**Answer:** in 2-3 sentences", "Answer: write your answer in the box below.",
        "Answers: round to two decimals.", "Solution: show your work.", "Answer (5 points): Explain in a few words.",
        "Antworten: in ganzen Sätzen.", "Réponses : en deux phrases.", "Answers: on Gradescope.",
        "Answer: in the box below.", "Answer: type it",
    ],
)  # fmt: skip
def test_how_to_write_answers_is_none(line: str) -> None:
    assert is_solution_marker(line) == line.endswith("type it")


@pytest.mark.parametrize(
    "line",
    [
        "Answer: on the line", "Answer: in the table", "Answer: with words", "Answer: in one sentence, it converges.",
        "Answer: put the key in the bucket", "Solution: Show that f is even.", "Answer:", "Solution: Write x = 2.",
    ],
)  # fmt: skip
def test_an_answer_that_begins_like_an_instruction_is_one(line: str) -> None:
    assert is_solution_marker(line)

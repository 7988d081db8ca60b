"""Solutions that stand together, behind the questions they answer."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.document import Line, LoadedDocument
from ingestion.loaders.markdown import read_lines
from ingestion.questions.headers import detect_by_rule
from ingestion.tree import MAX_BLOCK_CHARS, UnstoredNode, build_tree


def blocks_of(markdown: str) -> list[UnstoredNode]:
    document = LoadedDocument("hw", tuple(read_lines(markdown)))
    return list(build_tree(document, detect_by_rule(document, questions=True), solutions=True).blocks())


def solutions_of(markdown: str) -> list[tuple[str | None, str]]:
    """Each question's label with its solution on one line."""
    return [(block.label, " ".join(block.solution.split())) for block in blocks_of(markdown) if block.label]


DECIMAL = """**Question 1** (12 points)

This is the coding strand.

1.1 Write the mRNA.

1.2 Which protein results? Name the type of mutation.

**Solution.**

1.1 GCUU: the coding strand with U for T.

1.2 There are two.

- (A) A stop.
- (B) A frameshift.

**Question 2** (3 points)

2.1 Why?

2.2 How?

**Solution.**

2.1 Because.

2.2 So.
"""
LETTERS = """## Problem 3

A die is thrown.

(a) Compute the mean.

(b) Why is the median the same?

**Solution.** The die is fair.

(a) It is 3.5.

(b) By symmetry.
"""
KEY_AT_THE_END = """# Homework 1

## Question 1

Find a.

## Question 2

(a) Find b.

(b) Find c.

## Solutions

### Question 1

a = 1.

### Question 2

(a) b = 2.

(b) c = 3.
"""
PLAIN_KEY = """Question 1: Find a, the share of heads.

Question 2: Find b, the share of tails.

Answers

Question 1: a = 0.5.

Question 2: b = 0.5.
"""


@pytest.mark.parametrize(
    ("markdown", "solutions"),
    [
        (
            DECIMAL,
            [
                ("1", ""),
                ("1.1", "Solution. 1.1 GCUU: the coding strand with U for T."),
                ("1.2", "1.2 There are two. - (A) A stop. - (B) A frameshift."),
                ("2.1", "Solution. 2.1 Because."),
                ("2.2", "2.2 So."),
            ],
        ),
        (
            LETTERS,
            [("3", ""), ("3a", "**Solution.** The die is fair. (a) It is 3.5."), ("3b", "(b) By symmetry.")],
        ),
        (
            KEY_AT_THE_END,
            [
                ("1", "Solutions Question 1 a = 1."),
                ("2a", "Question 2 (a) b = 2."),
                ("2b", "(b) c = 3."),
            ],
        ),
        (PLAIN_KEY, [("1", "Answers Question 1: a = 0.5."), ("2", "Question 2: b = 0.5.")]),
    ],
)
def test_each_answer_goes_to_its_question(markdown: str, solutions: list[tuple[str, str]]) -> None:
    assert [(label, text.replace("#", "").strip()) for label, text in solutions_of(markdown)] == solutions


def test_a_list_inside_a_solution_stays_with_it() -> None:
    one = "## Question 1\n\nProve it.\n\n**Solution.** Two cases.\n\n(a) x is even.\n\n(b) x is odd.\n"
    assert solutions_of(one) == [("1", "**Solution.** Two cases. (a) x is even. (b) x is odd.")]
    both = "## Question 1\n\n(a) Prove it.\n\n**Solution.** Sure.\n\n(b) Always?\n\n**Solution.** No: (a) used x > 0.\n"
    assert solutions_of(both) == [("1a", "**Solution.** Sure."), ("1b", "**Solution.** No: (a) used x > 0.")]


def test_headings_inside_a_solution_stay_with_it() -> None:
    solution = "### Solution\n\n#### The model\n\nA line.\n\n#### The fit\n\nGood.\n"
    text = f"## Question 1\n\nFit it.\n\n{solution}\n## Question 2\n\nWhy?\n"
    first, second = blocks_of(text)
    assert (first.text, second.text) == ("Question 1\n\nFit it.", "Question 2\n\nWhy?")
    assert "The model" in first.solution
    assert first.solution.endswith("Good.")


def test_a_solution_that_is_very_long_stays_a_solution() -> None:
    secret = "\n\n".join(f"Step {n} takes the answer further." for n in range(MAX_BLOCK_CHARS // 20))
    (block,) = blocks_of(f"## Question 1\n\nFind it.\n\n**Solution.**\n\n{secret}\n")
    assert block.text == "Question 1\n\nFind it."
    assert block.solution.endswith(secret.rsplit("\n", 1)[1])


def test_numbering_that_restarts_behind_solutions_makes_new_questions() -> None:
    halves = ("## Part I\n", "## Part II\n")
    questions = "\n**Question 1.** Find it.\n\n*Solution:* Here.\n\n**Question 2.** Why?\n\n*Solution:* So.\n\n"
    assert [label for label, _ in solutions_of("".join(half + questions for half in halves))] == ["1", "2", "1", "2"]


@pytest.mark.parametrize(
    ("markdown", "solutions"),
    [
        # A solution's heading does not swallow the questions that are no headings.
        (
            "1. What is the mean?\n\n### Solution\n\nThree.\n\n2. Why is it not four?\n\n### Solution\n\nSo.\n",
            [("1", "Solution Three."), ("2", "Solution So.")],
        ),
        # The same numbers in two sections, and one key for both.
        (
            "## A\n\n1. What is x?\n2. What is y?\n\n## B\n\n1. Why is z?\n2. Why is w?\n\n"
            "## Answers\n\n1. x1\n2. y2\n\n1. z1\n2. w2\n",
            [("1", "Answers 1. x1"), ("2", "2. y2"), ("1", "1. z1"), ("2", "2. w2")],
        ),
        # A list inside an answer of a key is no answer.
        (
            "## Question 1\n\nProve it.\n\n## Question 2\n\nFind it.\n\n## Solutions\n\n### Question 1\n\n"
            "Steps:\n\n1. One.\n2. Two.\n\n### Question 2\n\nHere.\n",
            [("1", "Solutions Question 1 Steps: 1. One. 2. Two."), ("2", "Question 2 Here.")],
        ),
        # A list after the beginning of a sentence is none either.
        (
            "1. Explain the algorithm.\n2. Explain its cost.\n\n**Solution.** The two steps are\n\n1. base\n2. step\n",
            [("1", ""), ("2", "**Solution.** The two steps are 1. base 2. step")],
        ),
        # Keys whose headings say whose solution they are.
        (
            "## Problem 1\n\nFind a.\n\n## Problem 2\n\nFind b.\n\n## Solution 1\n\na.\n\n## Solution 2\n\nb.\n",
            [("1", "Solution 1 a."), ("2", "Solution 2 b.")],
        ),
        (
            "## Problem 1\n\nFind a.\n\n## Problem 2\n\nFind b.\n\n# Appendix: Solutions\n\n## Problem 1\n\na.\n\n"
            "## Problem 2\n\nb.\n",
            [("1", "Appendix: Solutions Problem 1 a."), ("2", "Problem 2 b.")],
        ),
        # A number above its parts, printed alone.
        (
            "## Problem 1\n\n(a) Give:\n\n(i) What is x?\n\n(ii) What is y?\n\n(b) Why is it?\n\n**Solution.**\n\n"
            "(a)\n\n(i) x.\n\n(ii) y.\n\n(b) So.\n",
            [("1ai", "Solution. (a) (i) x."), ("1aii", "(ii) y."), ("1b", "(b) So.")],
        ),
    ],
)
def test_keys_of_many_kinds(markdown: str, solutions: list[tuple[str, str]]) -> None:
    assert [(label, text.replace("#", "").strip()) for label, text in solutions_of(markdown)] == solutions


def test_three_questions_of_one_line_are_no_table_of_contents_where_a_key_repeats_them() -> None:
    questions = "".join(f"Question {n}: Find x{n}.\n" for n in (1, 2, 3))
    answers = "".join(f"Question {n}: It is {n}.\n" for n in (1, 2, 3))
    document = LoadedDocument("hw", tuple(Line(line) for line in f"{questions}\nAnswers\n\n{answers}".split("\n")))
    blocks = list(build_tree(document, detect_by_rule(document, questions=True), solutions=True).blocks())
    assert [(block.label, block.text) for block in blocks] == [(str(n), f"Question {n}: Find x{n}.") for n in (1, 2, 3)]


def test_a_solution_document_keeps_its_questions() -> None:
    text = "# Solutions\n\n## Question 1\n\nIt is 3.\n\n## Question 2\n\nIt is 4.\n"
    assert [block.label for block in blocks_of(text)][-2:] == ["1", "2"]


def test_blank_answers_and_numbering_that_restarts_make_new_questions() -> None:
    half = "Question 1. What is a mean?\n\nAnswer:\n\nQuestion 2. What is a mode?\n\nAnswer:\n\n"
    assert [label for label, _ in solutions_of(half + half)] == ["1", "2", "1", "2"]


LINES = st.sampled_from(
    [
        "Question 1", "Question 2: Find it.", "**Question 1.** Why?", "1.1 Compute x.", "1.2 Why?", "(a) Give b.",
        "(b) Is it?", "(i) One.", "1. First?", "2. Second?", "**Solution.**", "Solution: 42", "Answers", "Some text.",
        "## Solutions", "### Question 2", "## Question 3", "", "    x = 1", "- an item",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=30))
def test_no_text_is_lost_or_doubled(lines: list[str]) -> None:
    numbered = [f"{line} {n}" if line in ("Some text.", "- an item") else line for n, line in enumerate(lines)]
    document = LoadedDocument("hw", tuple(Line(line) for line in numbered))
    blocks = build_tree(document, detect_by_rule(document, questions=True), solutions=True).blocks()
    shown = Counter(line for block in blocks for line in f"{block.text}\n{block.solution}".split("\n"))
    assert all(shown[line] == 1 for line in numbered if line[-1:].isdigit() and line.startswith(("Some", "- an")))


@given(st.lists(LINES, max_size=30))
def test_what_follows_a_solution_up_to_a_new_question_is_never_open(lines: list[str]) -> None:
    text = "\n\n".join([*(line for line in lines if "?" in line), "**Solution.** It is SECRET.", "SECRET too."])
    assert not any("SECRET" in block.text for block in blocks_of(text))

"""Solutions that stand together, behind the questions they answer."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.document import Line, LoadedDocument
from ingestion.headers import detect_by_rule
from ingestion.loaders.markdown import read_lines
from ingestion.tree import MAX_BLOCK_CHARS, TreeNode, build_tree


def blocks_of(markdown: str) -> list[TreeNode]:
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

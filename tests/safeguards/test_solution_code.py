"""Code that solves an exercise is withheld, whatever its names."""

from __future__ import annotations

import pytest

from safeguards.solution_code import discloses, without_code, without_solution_code

SOLUTION = "def fact(n):\n    result = 1\n    for k in range(1, n + 1):\n        result *= k\n    return result"
STUDENT = "def fact(n):\n    r = 1\n    for i in range(1, n):\n        r = r * i\n    return r"


@pytest.mark.parametrize(
    "answer",
    [
        "Write:\n\n```python\ndef f(m):\n    p = 1\n    for j in range(1, m + 1):\n        p *= j\n    return p\n```\n",
        "```\nfor z in range(1, z + 1):\n```",
        "Use `range(1, n + 1)` there.",
    ],
)
def test_a_statement_of_the_solution_is_withheld_under_other_names(answer: str) -> None:
    text, withheld = without_solution_code(answer, SOLUTION, [STUDENT])
    assert withheld == 1
    assert "1)" not in text


@pytest.mark.parametrize(
    "answer",
    [
        "Look at `for i in range(1, n):`, where does it end?",
        "```python\nfor letter in word:\n    print(letter)\n```",
        "Set `result = 1` before.",
        "No code at all (1, n + 1).",
    ],
)
def test_what_the_student_has_or_anybody_would_write_stays(answer: str) -> None:
    assert without_solution_code(answer, SOLUTION, [STUDENT]) == (answer, 0)


def test_a_solution_whose_code_has_lost_its_fences_is_known_too() -> None:
    stored = f"Exercise 1\n\nExamples:\n\n```\n>>> fact(3)\n6\n```\n\nSolution\n\n{SOLUTION}\n\n`range` counts."
    assert discloses("Use `range(1, n + 1)` there.", stored, [STUDENT])
    assert not discloses("Use `range(1, n)` there.", stored, [STUDENT])


def test_what_the_textbook_shows_gives_nothing_away() -> None:
    assert not discloses("Use `range(1, n + 1)` there.", SOLUTION, [STUDENT, "As in `range(1, last + 1)`."])


def test_without_a_solution_nothing_is_withheld() -> None:
    assert not discloses("```python\nx = [y * 2 for y in z]\n```", "", [])


SUM = """
```python
def score(values, weights):
    total = 0
    for i in range(len(values)):
        total += values[i] * weights[i]
    return total
```
"""


@pytest.mark.parametrize(
    "answer",
    [
        "Then compute t += a[k] * b[k] for each.",
        "t += a[k] * b[k]",
        "- t += a[k] * b[k]",
        "3. t += a[k] * b[k]",
        "> - t += (a[k]) * (b[k])",
        "Use $t = a[k] \\cdot b[k]$ here.",
        "| t += a[k]*b[k] |",
        "Add a[k] × b[k] to it.",
        "Use `t += a[k] * b[k]` there.",
    ],
)
def test_renamed_code_is_withheld_wherever_it_stands(answer: str) -> None:
    text, withheld = without_solution_code(answer, SUM, [])
    assert withheld == 1
    assert "b[k]" not in text


def test_code_of_the_asker_excuses_what_repeats_it_and_nothing_of_the_same_form() -> None:
    said = "Then t += a[k] * b[k] is added."
    assert without_code(said, [SUM], [], ["t += a[k] * b[k]"]) == (said, 0)
    assert without_code(said, [SUM], [], ["t += x[n] * y[n]"])[1] == 1

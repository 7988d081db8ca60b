"""A course's exercises, and a question about one of them as Dodona stores it."""

from __future__ import annotations

from typing import Any

from core.types import Passage, Source, Visibility
from tests.pipelines.runs import passage

EXERCISE = "Write a function `double(n)` that returns twice the number n. The number may be negative."
SOLUTION = "The number is added to itself, which works for negative numbers and for fractions as well."


def exercise(block_id: str, heading: str, text: str, **fields: object) -> Passage:
    return passage(block_id, text, source=Source.ASSIGNMENT, document="w1.md", heading_path=(heading,), **fields)


PASSAGES = (
    passage("book", "Write a function with def and a number of parameters.", heading_path=("Doc", "Functions")),
    exercise("e1", "1 Triple", "Write a function `triple(text)` that returns the text three times in a row."),
    exercise("e2", "2 Double", f"{EXERCISE}\n\nExample: double(4) is 8."),
    exercise(
        "e2-staff", "2 Double (Solution)", EXERCISE,
        solution=SOLUTION, visibility=Visibility.STAFF,
    ),
)  # fmt: skip


def dodona_entry(**fields: Any) -> dict[str, Any]:
    test = {"accepted": False, "generated": "'44'", "expected": "8", "channel": "return"}
    case = {"accepted": False, "tests": [test], "description": {"format": "code", "description": "double(4)"}}
    return {
        "submission_id": 7,
        "line_number": 2,
        "user_language": "Dutch",
        "programming_language": "Python",
        "question": "waarom krijg ik 44?\n",
        "code": "def double(n):\n    return str(n) * 2\n",
        "exercise_question": EXERCISE,
        "educator_answer": "Kijk van welk type je waarde is voor je ze vermenigvuldigt.",
        "testcases": {
            "accepted": False,
            "annotations": [{"row": 1, "column": 0, "type": "info", "text": "Final newline missing"}],
            "tabs": [{"contexts": [{"accepted": False, "testcases": [case], "description": "calls"}]}],
        },
        **fields,
    }

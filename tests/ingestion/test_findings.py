from __future__ import annotations

import json

import pytest

from core.types import Source
from ingestion.findings import warn_of_staff_text
from ingestion.loaders import load

HIDDEN = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "markdown", "source": "# Joins", "metadata": {}},
            {"cell_type": "code", "source": "# HIDDEN TESTS\nassert n == 3", "metadata": {}, "outputs": []},
        ],
    }
)


@pytest.mark.parametrize(
    ("name", "content", "first"),
    [
        ("faq.md", "# Question 1\n\nWhy?\n\n**Rubric:** 2 points for the reason.\n", "Rubric:"),
        ("joins.ipynb", HIDDEN, "HIDDEN TESTS"),
        ("page.html", "<h1>Quiz</h1><div class='solution'>It is 4.</div>", "It is 4."),
        ("page.md", "# Quiz\n\n<!-- BEGIN SOLUTION -->\nIt is 4.\n<!-- END SOLUTION -->\n", "It is 4."),
    ],
)
def test_what_is_for_staff_outside_assignments_is_warned_about(name: str, content: str, first: str) -> None:
    document = load(name, content.encode())
    (warning,) = warn_of_staff_text(document, Source.LOGISTICS)
    assert first in warning
    assert "ingested as logistics" in warning
    assert not warn_of_staff_text(document, Source.ASSIGNMENT)


def test_proofs_and_grading_rules_for_students_are_not_warned_about() -> None:
    book = b"# Primes\n\n**Theorem.** There are many.\n\n**Proof.** Suppose not.\n"
    assert not warn_of_staff_text(load("primes.md", book), Source.TEXTBOOK)
    chunk = b"# Plots\n\n```python\n# HIDDEN\nimport numpy\n```\n"
    assert not warn_of_staff_text(load("plots.md", chunk), Source.TEXTBOOK)
    rules = b"# Grading scheme\n\nYour grade is the mean of all homework.\n"
    assert not warn_of_staff_text(load("rules.md", rules), Source.LOGISTICS)

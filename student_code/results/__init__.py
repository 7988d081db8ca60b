"""Reads what test runners report: JSON of Dodona and Gradescope, JUnit XML, and what pytest and unittest print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.code import CodeTest
from core.errors import InvalidInput
from student_code.results import dodona, gradescope, junit, printed

MAX_TESTS = 500


def read_results(given: str | Mapping[str, Any]) -> tuple[CodeTest, ...]:
    """The tests of a report. Raises `InvalidInput` for one of an unknown form."""
    if isinstance(given, Mapping):
        found = gradescope.read(given) or dodona.read(given)
    elif given.lstrip().startswith("<"):
        found = junit.read(given)
    else:
        found = printed.read(given)
    if not found:
        raise InvalidInput(
            "tests: no test was found in the report. Send a list of tests, JSON of Dodona or Gradescope, JUnit XML, or "
            "the output of pytest or unittest."
        )
    return tuple(found[:MAX_TESTS])

"""Gradescope's `results.json`, as autograders write it (gradescope-autograders.readthedocs.io, "Specifications")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.code import CodeTest
from student_code.results.values import expected_and_got


def read(result: Mapping[str, Any]) -> list[CodeTest]:
    """The tests of the report; one without a status or a score that tells its outcome is left out."""
    tests = result.get("tests")
    rows = [row for row in tests if isinstance(row, Mapping)] if isinstance(tests, list) else []
    return [_test(row, accepted) for row in rows if (accepted := _accepted(row)) is not None]


def _accepted(row: Mapping[str, Any]) -> bool | None:
    if row.get("status") in ("passed", "failed"):
        return bool(row["status"] == "passed")
    score, most = row.get("score"), row.get("max_score")
    if isinstance(score, (int, float)) and isinstance(most, (int, float)):
        return bool(score >= most)
    return None


def _test(row: Mapping[str, Any], accepted: bool) -> CodeTest:
    output = row.get("output")
    message = output if isinstance(output, str) else ""
    expected, got = (None, None) if accepted else expected_and_got(message)
    name = " ".join(str(row[key]) for key in ("number", "name") if row.get(key))
    return CodeTest(name=name or "test", accepted=accepted, expected=expected, got=got, message=message or None)

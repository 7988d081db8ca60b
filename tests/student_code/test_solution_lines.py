"""Lines of C and Java are compared with the official solution, whatever the names."""

from __future__ import annotations

import pytest

from student_code.catalogue import kind_of
from student_code.findings import CodeWork
from student_code.solution_lines import differing_lines

SOLUTION = """int total(const int *values, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum;
}
"""
OTHER_NAMES = SOLUTION.replace("sum", "t").replace("values", "xs")


def findings(code: str) -> list[tuple[int, str]]:
    work = CodeWork(code, "c", solution=SOLUTION)
    return [(finding.line, kind_of(finding.mistake)) for finding in differing_lines(work)]


def test_the_same_under_other_names_differs_nowhere() -> None:
    assert findings(OTHER_NAMES) == []


@pytest.mark.parametrize(
    ("right", "wrong", "finding"),
    [("i < n", "i <= n", (3, "off_by_one")), ("i < n", "i < n - 1", (3, "off_by_one")), ("+=", "=", (4, "logic"))],
)
def test_the_line_that_differs_is_named_with_its_kind(right: str, wrong: str, finding: tuple[int, str]) -> None:
    assert findings(OTHER_NAMES.replace(right, wrong)) == [finding]


def test_without_a_solution_there_is_nothing_to_compare() -> None:
    assert not [*differing_lines(CodeWork(OTHER_NAMES, "c"))]

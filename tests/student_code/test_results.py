"""The reports of test runners."""

from __future__ import annotations

import pytest

from core.code import CodeTest
from core.errors import InvalidInput
from student_code.results import read_results
from student_code.results.dodona import linting

DODONA = {
    "accepted": False,
    "annotations": [{"row": 16, "column": 0, "text": "Final newline missing", "type": "info"}],
    "groups": [{"groups": [{
        "description": "Correctness", "accepted": False, "groups": [{
            "description": {"description": "`double(2)`", "format": "code"}, "accepted": False,
            "tests": [
                {"accepted": False, "expected": "4\n", "generated": "2\n",
                 "messages": ["one less", {"description": "x"}]},
                {"accepted": True, "expected": "0", "generated": "0"},
            ]}]}]}],
}  # fmt: skip
JUNIT = """<?xml version="1.0"?><testsuites><testsuite name="a">
<testcase classname="A" name="test_two"><failure message="AssertionError: 2 != 4">trace</failure></testcase>
<testcase classname="A" name="test_zero"/><testcase name="later"><skipped/></testcase></testsuite></testsuites>"""
PYTEST = """============================= test session starts =============================
tests/test_a.py::test_two FAILED                                         [ 50%]
tests/test_a.py::test_zero PASSED                                        [100%]

=================================== FAILURES ===================================
___________________________________ test_two ___________________________________

    def test_two():
>       assert double(2) == 4
E       assert 2 == 4
E        +  where 2 = double(2)

tests/test_a.py:4: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_two - assert 2 == 4
========================= 1 failed, 1 passed in 0.01s ==========================
"""
UNITTEST = """test_two (test_a.A.test_two) ... FAIL
test_zero (test_a.A.test_zero) ... ok

======================================================================
FAIL: test_two (test_a.A.test_two)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "test_a.py", line 5, in test_two
    self.assertEqual(double(2), 4)
AssertionError: 2 != 4

----------------------------------------------------------------------
Ran 2 tests in 0.001s
"""


@pytest.mark.parametrize("report", [JUNIT, PYTEST, UNITTEST], ids=["JUnit", "pytest", "unittest"])
def test_a_report_names_the_failing_test_with_both_values_and_the_passing_one(report: str) -> None:
    by_name = {test.name: test for test in read_results(report)}
    assert by_name.keys() == {"test_two", "test_zero"}
    failed = by_name["test_two"]
    assert (failed.accepted, failed.expected, failed.got) == (False, "4", "2")
    assert by_name["test_zero"].accepted


def test_dodonas_tree_of_tests_is_read_to_its_leaves() -> None:
    failed, passed = read_results(DODONA)
    assert failed == CodeTest(name="`double(2)`", accepted=False, expected="4\n", got="2\n", message="one less\nx")
    assert passed.accepted


def test_gradescopes_results_are_read_with_their_status_or_score() -> None:
    failed = {"number": "1.1", "name": "double(2)", "score": 0, "max_score": 2, "output": "AssertionError: 2 != 4"}
    passed = {"name": "double(0)", "status": "passed"}
    first, second = read_results({"score": 3, "tests": [failed, passed, {"name": "a remark", "output": "hello"}]})
    assert (first.name, first.accepted, first.expected, first.got) == ("1.1 double(2)", False, "4", "2")
    assert (second.name, second.accepted) == ("double(0)", True)


def test_dodona_counts_rows_from_zero() -> None:
    assert [(one.line, one.message) for one in linting(DODONA)] == [(17, "Final newline missing")]


@pytest.mark.parametrize(
    "report", ["all is well", {"a": 1}, "<html/>", "<a", '<!DOCTYPE x [<!ENTITY e "e">]><testsuite/>']
)
def test_what_is_no_report_is_said_to_be_none(report: str | dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match="tests:"):
        read_results(report)

"""Questions about code over HTTP and from the page's form."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.app.review.test_axe import axe, violations

CODE = """def total(numbers):
    result = 0
    for i in range(len(numbers) - 1):
        result += numbers[i]
    return result
"""
EXERCISE = "Write a function `total(numbers)` that returns the sum of the numbers."
JUNIT = """<testsuite name="total" tests="1" failures="1">
  <testcase name="total([1, 2])"><failure message="assert 1 == 3">assert total([1, 2]) == 3
E  assert 1 == 3</failure></testcase>
</testsuite>"""
DODONA = {
    "status": "wrong",
    "groups": [
        {
            "description": "total",
            "groups": [
                {
                    "accepted": False,
                    "groups": [
                        {
                            "accepted": False,
                            "description": "total([1, 2])",
                            "tests": [{"accepted": False, "expected": "3", "generated": "1"}],
                        }
                    ],
                }
            ],
        }
    ],
}
PRINTED = """=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 3
E       assert 1 == 3
E        +  where 1 = total([1, 2])

test_total.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_total.py::test_total - assert 1 == 3
============================== 1 failed in 0.01s ===============================
"""
LISTED = [{"name": "total([1, 2])", "accepted": False, "expected": "3", "got": "1"}]


def ask(client: httpx.Client, **fields: Any) -> httpx.Response:
    asked = {"course": "cs", "question": {"body": "Why is my sum too small?"}, "code": CODE, "exercise": EXERCISE}
    return client.post("/answer", json={**asked, **fields})


@pytest.mark.parametrize("tests", [LISTED, JUNIT, DODONA, PRINTED], ids=["list", "junit", "dodona", "pytest"])
def test_the_reply_names_line_and_kind_of_the_mistake(client: httpx.Client, tests: object) -> None:
    reply = ask(client, tests=tests).json()
    assert (reply["issue"]["line"], reply["issue"]["kind"]) == (3, "off_by_one")
    assert "on line 3 stops before its last value" in reply["answer"]
    assert "range(len(numbers))" not in reply["answer"]
    assert client.get(f"/answers/{reply['draft_id']}").json()["issue"] == reply["issue"]


def test_an_exercise_that_the_course_lacks_is_remarked(client: httpx.Client) -> None:
    (warning,) = (one for one in ask(client, exercise="nope-42").json()["warnings"] if "exercise" in one)
    assert warning.startswith('The course has no exercise with the id "nope-42".')


def test_the_issue_is_found_without_exercise_and_tests(client: httpx.Client) -> None:
    assert ask(client, exercise=None, programming_language="python").json()["issue"]["line"] == 3


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"line": 0}, "line"),
        ({"line": 9}, "code has 5 line(s)"),
        ({"tests": "<testsuite><testcase"}, "tests"),
        ({"tests": [{"name": "x"}]}, "accepted"),
        ({"linting": [{"line": 0, "message": "x"}]}, "linting"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(client: httpx.Client, fields: dict[str, Any], problem: str) -> None:
    reply = ask(client, **fields)
    assert reply.status_code == 422
    assert problem in reply.text


@pytest.mark.parametrize(("javascript", "width"), [(True, 1280), (False, 360)])
def test_a_student_asks_about_code_with_and_without_scripts(
    client: httpx.Client, browser_page: Any, javascript: bool, width: int
) -> None:
    context = browser_page.new_context(java_script_enabled=javascript, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(str(client.base_url))
    page.get_by_label("Question").fill("Why is my sum too small?")
    page.get_by_text("Code and tests").click()
    page.get_by_label("Your code").fill(CODE)
    page.get_by_label("What the tests said").fill(PRINTED)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("heading", name="Answer").wait_for()
    noted = page.locator("ol.numbered li.noted")
    assert "range(len(numbers) - 1)" in noted.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if javascript:
        found = violations(page, page.url, axe())
        assert found == []
    context.close()

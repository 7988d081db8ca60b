"""The page at `/homework`, by plain HTTP and in a real browser."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from tests.app.review.test_axe import axe, violations

WORK = "v = v_0 + at\n  = 5 + 2*3 = 12 m/s"


def exercises(client: httpx.Client) -> dict[str, str]:
    """The questions that the form offers, by what it calls them."""
    page = client.get("/homework").text
    return {name.strip(): value for value, name in re.findall(r'<option value="([^"]+)">([^<]+)</option>', page)}


def hand_in(client: httpx.Client, **fields: str) -> httpx.Response:
    exercise = next(iter(exercises(client).values()))
    form = {"course": "mech", "exercise": exercise, "submission": WORK, **fields}
    return client.post("/homework", data=form, headers={"Accept": "text/html"}, follow_redirects=True)


def test_the_form_offers_questions_that_students_may_read(client: httpx.Client) -> None:
    offered = " ".join(exercises(client))
    assert "A car" in offered
    assert "A ball" in offered
    assert "Secret" not in offered


def test_work_is_shown_with_what_was_found_at_its_line(client: httpx.Client) -> None:
    page = hand_in(client).text
    work = page.split('class="numbered"')[1].split("</ol>")[0]
    assert "5 + 2*3 is not 12 m/s" in work.split("12 m/s", 1)[1]
    assert "11 m/s" not in page


def test_a_form_that_is_sent_twice_is_one_submission(client: httpx.Client) -> None:
    first, again, other = hand_in(client, ask="a1"), hand_in(client, ask="a1"), hand_in(client, ask="a2")
    assert first.url == again.url != other.url


@pytest.mark.parametrize(
    ("fields", "problem"),
    [({"submission": "  \n"}, "Your work is missing."), ({"exercise": "x" * 40}, "no question")],
)
def test_a_form_that_cannot_be_used_keeps_what_was_typed(
    client: httpx.Client, fields: dict[str, str], problem: str
) -> None:
    page = hand_in(client, **fields)
    assert page.status_code in (404, 422)
    assert problem in page.text
    assert fields.get("submission", WORK).splitlines()[-1] in page.text


def test_markup_in_work_is_text(client: httpx.Client) -> None:
    page = hand_in(client, submission="<script>alert(1)</script> = 3\n2 + 2 = 5").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize(("javascript", "width"), [(True, 1280), (False, 360)])
def test_a_student_hands_in_with_and_without_scripts(
    client: httpx.Client, browser_page: Any, javascript: bool, width: int
) -> None:
    context = browser_page.new_context(java_script_enabled=javascript, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"{client.base_url}/homework")
    page.get_by_label("Your work").fill(WORK)
    page.get_by_role("button", name="Get feedback").click()
    page.get_by_text("5 + 2*3 is not 12 m/s").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_pages_have_no_violations_and_fit_a_phone(
    client: httpx.Client, browser_page: Any, width: int, scheme: str
) -> None:
    program = axe()
    context = browser_page.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    found = []
    for address in (f"{client.base_url}/homework", str(hand_in(client).url)):
        found += violations(page, address, program)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    context.close()
    assert found == []


def test_a_reviewer_sees_the_problem_the_official_solution_and_the_ground_of_each_verdict(client: httpx.Client) -> None:
    draft = str(hand_in(client).url).rpartition("/")[2]
    page = client.get(f"/review/{draft}").text
    assert "Official solution" in page
    assert "11" in page.split("Official solution")[1]
    assert re.search(r'data-ev="ground-arithmetic" data-line="2"', page)
    assert "Grounds of arithmetic" in page

"""Readers say whether an answer helped, and staff see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from tests.app.people.actors import headers, made_key
from tests.app.review.conftest import Ask


def test_votes_are_counted_once_for_each_reader(reviewing: httpx.Client, review_home: Path, ask: Ask) -> None:
    draft = ask("undecided")
    where = f"/answers/{draft['id']}/vote"
    reader = headers(made_key(review_home, Permission.DRAFTS_READ, Permission.ANSWER, courses=("undecided",)))
    assert reviewing.put(where, json={"helpful": True}).status_code == 204
    for reason in ("wrong", "unclear"):
        assert reviewing.put(where, json={"helpful": False, "reason": reason}, headers=reader).status_code == 204
    page = reviewing.get("/courses/undecided/quality").text
    assert "of 2 votes: the answer helped" in page
    assert "unclear" in page
    assert "wrong" not in page.split("What readers said")[1]
    assert reviewing.delete(where, headers=reader).status_code == 204
    assert reviewing.delete(where).status_code == 204
    assert "What readers said" not in reviewing.get("/courses/undecided/quality").text


def test_only_who_may_read_an_answer_votes_on_it(reviewing: httpx.Client, review_home: Path, ask: Ask) -> None:
    draft = ask()
    other = headers(made_key(review_home, Permission.ANSWER, name="another student"))
    assert reviewing.put(f"/answers/{draft['id']}/vote", json={"helpful": True}, headers=other).status_code == 404
    assert reviewing.put("/answers/none/vote", json={"helpful": True}).status_code == 404
    assert reviewing.put(f"/answers/{draft['id']}/vote", json={"helpful": True, "reason": "no"}).status_code == 422


def test_an_answer_that_is_hidden_is_not_voted_on(reviewing: httpx.Client, ask: Ask) -> None:
    where = f"/answers/{ask('shadow')['id']}"
    assert reviewing.put(f"{where}/vote", json={"helpful": True}).status_code == 409
    assert "Did this help?" not in reviewing.get(where, headers={"Accept": "text/html"}).text


@pytest.mark.parametrize("scripts", [True, False])
def test_a_student_says_why_an_answer_did_not_help(
    reviewing: httpx.Client, ask: Ask, browser_page: Any, scripts: bool
) -> None:
    draft = ask()
    context = browser_page.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{reviewing.base_url}/answers/{draft['id']}")
    page.get_by_role("button", name="No", exact=True).click()
    page.get_by_label("Something is missing").check()
    page.get_by_label("In your words").fill("Which <b>time</b>?")
    page.get_by_role("button", name="Send", exact=True).click()
    assert page.get_by_label("Something is missing").is_checked()
    assert page.get_by_label("In your words").input_value() == "Which <b>time</b>?"
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    assert "incomplete: Which <b>time</b>?" in page.locator("#question .banner.warn").inner_text()
    page.goto(f"{reviewing.base_url}/answers/{draft['id']}")
    page.get_by_role("button", name="It helped after all").click()
    assert page.get_by_text("You said that it helped").count()
    context.close()

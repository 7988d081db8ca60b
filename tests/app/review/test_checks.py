"""What is noticed in a text before it is sent, and confirmed once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.review.checks import against_calendar
from core.types import Role
from tests.app.review.browsing import read, signed_in_page, wait_until_saved, write
from tests.app.review.conftest import Ask
from tests.retrievers.calendar.test_calendar import HOMEWORK, calendar, work


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("Homework 3 is due on Friday.", ["“Homework 3 is due on Friday.”: the calendar has"]),
        ("HW 3 is due on February 20.", ["the calendar has Thursday, 19 February for Homework 3."]),
        ("Homework 3 is due on Friday, February 19.", ["is another weekday"]),
        ("Homework 3 is due on Thursday.", []),
        ("Homework 3 is due on Thursday, February 19, at 23:59.", []),
        ("See section on Friday.", []),
        ("> You may submit homework 3 on Friday. So homework 3 is due on Saturday.", []),
        ("Homework 3 on Friday evening is a day late.", []),
        ("We speak of homework 3 on Friday.", []),
        ("Homework 9 is due on Friday.", []),
        ("Homework 2 and homework 3 are due on Thursdays, the first on February 12.", []),
    ],
)
def test_a_day_is_compared_with_the_calendar(text: str, noticed: list[str]) -> None:
    found = list(against_calendar(text, calendar(HOMEWORK, work("plan", "homework", "2", "02-12"))))
    assert len(found) == len(noticed)
    assert all(words in sentence for words, sentence in zip(noticed, found, strict=True))


WRONG = "Homework 3 is due on Friday, February 20."


def noticed_on(page: str) -> list[str]:
    section = page.split('id="noticed"')[1].split("</section>")[0]
    return re.findall("<li>(.*?)</li>", section)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WRONG, "the calendar has Thursday, 19 February"),
        ("Write to ada@example.edu about it.", "is an e-mail address"),
        ("Dear PERSON_1, see page 2.", "is a placeholder for something personal"),
        ("There are six of thirty-six outcomes, hence one sixth.", "repeats a text for staff"),
    ],
)
def test_what_is_noticed_is_confirmed_once(reviewing: httpx.Client, ask: Ask, text: str, words: str) -> None:
    draft = ask()
    where, form = f"/review/{draft['id']}", {"do": "approve", "was": draft["answer"], "block": text, "reason": "tone"}
    refused = reviewing.post(where, data=form)
    assert refused.status_code == 409
    assert any(words in one.replace("&#39;", "'") for one in noticed_on(refused.text))
    confirmed = re.search(r'name="confirmed" value="(\w+)"', refused.text)
    assert confirmed
    changed = reviewing.post(where, data={**form, "block": f"{text} {WRONG} Sorry.", "confirmed": confirmed[1]})
    if text != WRONG:
        assert changed.status_code == 409, "what is new was not confirmed"
    assert reviewing.post(where, data={**form, "confirmed": confirmed[1]}).status_code in (303, 409)
    assert 'name="confirmed"' not in reviewing.get(where).text


def test_a_text_without_anything_to_notice_is_sent_at_once(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    form = {"do": "approve", "was": draft["answer"], "block": "See page 2 of the syllabus.", "reason": "tone"}
    assert reviewing.post(f"/review/{draft['id']}", data=form).status_code == 303


def test_warnings_follow_the_text_and_the_second_key_sends_it(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any
) -> None:
    draft = ask()
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        page.goto(f"{reviewing.base_url}/review/{draft['id']}")
        read(page)
        assert not page.locator("#noticed").is_visible()
        write(page, WRONG)
        wait_until_saved(page)
        page.locator("#noticed", has_text="Thursday, 19 February").wait_for()
        page.keyboard.press("Escape")
        page.locator("#d-h").click()
        page.keyboard.press("a")
        page.get_by_text("Send it again if it is meant so").wait_for()
        assert page.locator("#block-1").input_value() == WRONG
        read(page)
        page.keyboard.press("a")
        page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == WRONG

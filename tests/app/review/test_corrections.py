"""A final answer that turns out to be wrong is corrected, and everybody who got it hears of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.types import Role
from tests.app.people.actors import headers, made_key
from tests.app.review.browsing import read, signed_in_page, wait_until_saved, write
from tests.app.review.conftest import Ask
from tests.app.review.deciding import decide

WRONG, RIGHT = "Homework 3 is due on Friday the 13th.", "Ask in section."


@pytest.fixture
def sent(reviewing: httpx.Client, ask: Ask) -> dict[str, Any]:
    """A draft whose answer is final."""
    draft = ask("quick")
    assert decide(reviewing, draft, text=WRONG).status_code == 200
    return draft


def correct(client: httpx.Client, draft: dict[str, Any], **fields: Any) -> httpx.Response:
    return client.put(f"/drafts/{draft['id']}/decision", json=fields)


def test_a_final_answer_is_corrected_and_says_so(reviewing: httpx.Client, sent: dict[str, Any]) -> None:
    before = reviewing.get(f"/drafts/{sent['id']}")
    corrected = correct(reviewing, sent, text=RIGHT)
    assert corrected.status_code == 200
    assert (corrected.json()["text"], corrected.json()["is_correction"]) == (RIGHT, True)
    after = reviewing.get(f"/drafts/{sent['id']}")
    assert after.headers["etag"] != before.headers["etag"], "whoever polls must notice"
    assert after.json()["decision"]["text"] == RIGHT
    assert correct(reviewing, sent, text="Ask in the lecture.").status_code == 200, "a correction can be corrected"


@pytest.mark.parametrize(
    ("course", "fields", "status"),
    [("quick", {"text": WRONG}, 422), ("quick", {"text": " "}, 422), ("small", {"text": RIGHT}, 409)],
)
def test_what_is_no_correction_is_refused(
    reviewing: httpx.Client, ask: Ask, course: str, fields: dict[str, str], status: int
) -> None:
    draft = ask(course)
    decide(reviewing, draft, text=WRONG)
    assert correct(reviewing, draft, **fields).status_code == status
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == WRONG


def test_a_draft_without_a_decision_is_not_corrected(reviewing: httpx.Client, ask: Ask) -> None:
    refused = correct(reviewing, ask("quick"), text=RIGHT)
    assert (refused.status_code, "can still be decided" in refused.json()["detail"]) == (409, True)


def test_who_asked_reads_the_corrected_text_and_that_it_was_corrected(
    reviewing: httpx.Client, review_home: Path
) -> None:
    student = headers(made_key(review_home, Permission.ANSWER, courses=("quick",), name="A forum"))
    asked = {"course": "quick", "question": {"body": "When is homework 3 due?"}}
    draft_id = reviewing.post("/answer?pipeline=fc", json=asked, headers=student).json()["draft_id"]
    draft = {"id": draft_id}
    decide(reviewing, draft, text=WRONG)
    assert reviewing.get(f"/answers/{draft_id}", headers=student).json()["corrected_at"] is None
    correct(reviewing, draft, text=RIGHT)
    answer = reviewing.get(f"/answers/{draft_id}", headers=student).json()
    assert answer["answer"] == RIGHT
    assert answer["corrected_at"]
    page = reviewing.get(f"/answers/{draft_id}", headers={**student, "Accept": "text/html"}).text
    assert "This answer was corrected" in page
    assert WRONG not in page


def test_a_correction_is_written_and_sent_on_the_page(
    reviewing: httpx.Client, review_home: Path, sent: dict[str, Any], browser_page: Any
) -> None:
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        page.goto(f"{reviewing.base_url}/review/{sent['id']}")
        page.get_by_role("link", name="Correct it").click()
        page.get_by_text("A correction of what was sent").wait_for()
        write(page, RIGHT)
        wait_until_saved(page)
        page.reload()
        assert page.locator("#block-1").input_value() == RIGHT, "a correction is not lost, either"
        page.keyboard.press("Escape")
        read(page)
        page.locator("#d-h").click()
        page.keyboard.press("a")
        page.get_by_text("Corrected by").wait_for()
    assert reviewing.get(f"/drafts/{sent['id']}").json()["decision"]["text"] == RIGHT


def test_an_answer_can_be_withdrawn(reviewing: httpx.Client, sent: dict[str, Any]) -> None:
    assert correct(reviewing, sent, outcome="discarded").status_code == 200
    assert reviewing.get(f"/drafts/{sent['id']}").json()["decision"]["outcome"] == "discarded"

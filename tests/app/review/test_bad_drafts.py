"""Drafts, clocks and events that go wrong under a reviewer's hands."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.types import Role
from tests.app.live import live, settings_in
from tests.app.review.browsing import read, signed_in_page, wait_until_saved, write, written
from tests.app.review.conftest import Ask

OWN = "Look at page 2 of the syllabus."
TABLE = "\n".join(["|" + " cell |" * 40, "|" + "---|" * 40, *["|" + " 12345 |" * 40] * 5])
LONG = "This sentence is one of very many in a long draft. " * 400


def change(home: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        database.execute(statement, values)
        database.commit()


def rewrite(home: Path, draft: dict[str, Any], answer: str) -> None:
    set_answer = "UPDATE draft SET response = json_set(response, '$.answer', ?) WHERE id = ?"
    change(home, set_answer, answer, draft["id"])


@pytest.mark.parametrize("answer", [TABLE, LONG], ids=["forty columns", "20,000 characters"])
def test_a_large_draft_fits_the_page_and_is_approved(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any, answer: str
) -> None:
    draft = ask()
    rewrite(review_home, draft, answer)
    with signed_in_page(browser_page, reviewing, review_home, viewport={"width": 360, "height": 740}) as page:
        page.goto(f"{reviewing.base_url}/review/{draft['id']}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        read(page)
        page.keyboard.press("a")
        page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["outcome"] == "approved"


def test_a_reviewer_whose_rights_end_can_copy_what_she_wrote(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any
) -> None:
    draft = ask("small")
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        me = page.goto(f"{reviewing.base_url}/me").json()["id"]
        page.goto(f"{reviewing.base_url}/review/{draft['id']}")
        write(page, OWN)
        wait_until_saved(page)
        change(review_home, "DELETE FROM member WHERE person_id = ? AND course_id = 'small'", me)
        write(page, f"{OWN} More.")
        page.get_by_role("button", name="Copy my text").wait_for()
        assert not page.locator("#signed-out").is_visible()
        assert written(page).startswith(f"{OWN} More.")


@pytest.mark.parametrize("created_at", ["2099-01-01 00:00:00.000000", "1971-01-01 00:00:00.000000"])
def test_a_draft_of_a_wrong_clock_is_listed_and_decided(
    reviewing: httpx.Client, review_home: Path, ask: Ask, created_at: str
) -> None:
    draft = ask(body="Where is the sundial?")
    change(review_home, "UPDATE draft SET created_at = ? WHERE id = ?", created_at, draft["id"])
    assert draft["id"] in reviewing.get("/review?q=sundial").text
    where = f"/review/{draft['id']}"
    assert reviewing.get(where).status_code == 200
    assert reviewing.post(where, data={"do": "discard", "reason": "other"}).status_code == 303


def test_what_was_typed_outlives_a_restart_of_the_service(review_home: Path, reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    edit = {"base": "", "revision": 0, "fields": {"was": [draft["answer"]], "block": [OWN]}}
    with live(settings_in(review_home)) as first:
        revision = first.put(f"/review/{draft['id']}/edit", json=edit).json()["revision"]
    with live(settings_in(review_home)) as second:
        assert OWN in second.get(f"/review/{draft['id']}").text
        again = {**edit, "revision": revision, "fields": {**edit["fields"], "block": [f"{OWN} More."]}}
        assert second.put(f"/review/{draft['id']}/edit", json=again).status_code == 200


def test_a_form_with_endless_fields_is_refused(reviewing: httpx.Client, ask: Ask) -> None:
    fields = {"was": ["x"] * 2000, "block": ["x"] * 2000}
    edit = json.dumps({"base": "", "revision": 0, "fields": fields})
    sent = reviewing.put(f"/review/{ask()['id']}/edit", content=edit, headers={"Content-Type": "application/json"})
    assert sent.status_code == 413

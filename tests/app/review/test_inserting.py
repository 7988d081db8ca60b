"""Sources and snippets are inserted where the cursor was, by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.types import Role
from tests.app.people.actors import headers, made_key
from tests.app.review.browsing import read, signed_in_page, wait_until_saved
from tests.app.review.conftest import Ask


def test_the_search_gives_what_students_may_read_and_keeps_numbers(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    found = reviewing.get(f"/review/{draft['id']}/material?q=homework+3+due").json()
    assert found
    assert all(one["title"] and one["excerpt"] for one in found)
    references = {one["reference"] for one in found}
    assert references & {"[1]", "[2]"}, "what the draft cites keeps its number"
    assert reviewing.get(f"/review/{draft['id']}/material?q=").status_code == 422


def test_students_do_not_search_for_staff(reviewing: httpx.Client, review_home: Path, ask: Ask) -> None:
    student = headers(made_key(review_home, Permission.ANSWER, courses=("small",), name="A student"))
    assert reviewing.get(f"/review/{ask()['id']}/material?q=slip", headers=student).status_code == 403
    assert reviewing.get("/courses/small/snippets", headers=student).status_code == 403


def test_a_source_is_inserted_with_the_keyboard(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any
) -> None:
    draft = ask()
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        page.goto(f"{reviewing.base_url}/review/{draft['id']}")
        read(page)
        page.keyboard.press("i")
        page.keyboard.type("slip days")
        page.keyboard.press("Enter")
        page.locator("#sources-found button").first.wait_for()
        page.keyboard.press("Enter")
        wait_until_saved(page)
        area = page.locator("textarea[name=block]:focus")
        assert area.input_value().rstrip().endswith(("]", ")"))


def test_a_snippet_is_written_inserted_and_removed(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any
) -> None:
    text = "Please ask that in section <b>tomorrow</b>."
    where = "/courses/small/snippets"
    assert reviewing.post(where, data={"name": "Section", "text": text}).status_code == 303
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        page.goto(f"{reviewing.base_url}/review/{ask()['id']}")
        read(page)
        page.keyboard.press("i")
        page.get_by_role("button", name="Section").click()
        wait_until_saved(page)
        assert page.locator("textarea[name=block]:focus").input_value().endswith(text)
        page.goto(f"{reviewing.base_url}{where}")
        page.get_by_role("button", name="Remove Section").click()
        page.wait_for_load_state()
        assert page.get_by_role("button", name="Remove Section").count() == 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"name": "", "text": "x"}, "a name and a text"), ({"name": "n", "text": "x" * 5001}, "Shorten it")],
)
def test_a_bad_snippet_is_refused_and_kept_in_the_form(
    reviewing: httpx.Client, fields: dict[str, str], words: str
) -> None:
    refused = reviewing.post("/courses/small/snippets", data=fields)
    assert (refused.status_code, words in refused.text, fields["text"] in refused.text) == (422, True, True)
    assert reviewing.post("/courses/small/snippets", data={"do": "remove", "snippet": "nope"}).status_code == 404

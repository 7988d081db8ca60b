"""What a reviewer typed is there again after whatever happened to its page, in a real browser with a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.people.cookies import SESSION
from core.types import Role
from tests.app.people.actors import sign_in_path
from tests.app.review.browsing import COURSES, read, signed_in_page
from tests.app.review.conftest import Ask

OWN = "Look at page 2 of the syllabus, and ask again in section."
KEPT = "Object.keys(localStorage).filter(key => key.startsWith('kept:'))"


@pytest.fixture
def page(browser_page: Any, reviewing: httpx.Client, review_home: Path) -> Iterator[Any]:
    """A narrow page in which a question about leaving is answered with yes, and counted."""
    with signed_in_page(browser_page, reviewing, review_home, viewport={"width": 360, "height": 740}) as opened:
        opened.dialogs = []
        opened.on("dialog", lambda dialog: (opened.dialogs.append(dialog.type), dialog.accept()))
        yield opened


def typed(page: Any, client: httpx.Client, draft: dict[str, Any]) -> None:
    page.goto(f"{client.base_url}/review/{draft['id']}")
    page.locator("#final").fill(OWN)


def final(page: Any) -> str:
    text: str = page.locator("#final").input_value()
    return text


def test_a_reload_warns_and_brings_the_text_back_until_it_is_discarded(
    reviewing: httpx.Client, ask: Ask, page: Any
) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    page.reload()
    assert page.dialogs == ["beforeunload"]
    assert final(page) == OWN
    note = page.locator("[data-restored]")
    assert "Your unsaved text from" in note.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    note.get_by_role("button", name="Discard it").click()
    assert final(page) == draft["answer"]
    assert page.evaluate(KEPT) == []
    page.reload()
    assert (page.dialogs, final(page)) == (["beforeunload"], draft["answer"])


@pytest.mark.parametrize("button", ["Claim", "Write another beside this one"])
def test_the_other_forms_of_the_page_keep_the_text_without_asking(
    reviewing: httpx.Client, ask: Ask, page: Any, button: str
) -> None:
    typed(page, reviewing, ask())
    page.locator("#regen summary").click()
    page.locator("#instr").fill("Shorter.")
    page.get_by_role("button", name=button).click()
    page.locator("[data-restored]").first.wait_for()
    assert (page.dialogs, final(page)) == ([], OWN)


def test_the_text_of_an_earlier_version_is_offered(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    reviewing.post(f"/review/{draft['id']}/alternative", data={"pipeline": "edison"})
    typed(page, reviewing, draft)
    page.get_by_role("button", name="Take the other one").click()
    note = page.locator("[data-restored]")
    note.wait_for()
    assert final(page) != OWN
    assert "earlier version" in note.inner_text()
    note.get_by_role("button", name="Use it").click()
    assert final(page) == OWN
    page.reload()
    assert final(page) == OWN


def test_a_decision_clears_the_text(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    assert len(page.evaluate(KEPT)) == 1
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    assert (page.evaluate(KEPT), page.dialogs) == ([], [])
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OWN


def test_a_struck_sentence_is_unsaved_work_too(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask(body="When is homework 3 due and how many slip days are there?")
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    page.locator("#sents label").first.click()
    struck = final(page)
    assert struck != draft["answer"]
    page.reload()
    assert final(page) == struck


def test_after_the_end_of_a_session_the_text_is_there_again(
    reviewing: httpx.Client, review_home: Path, ask: Ask, page: Any
) -> None:
    draft = ask()
    path = sign_in_path(review_home, "Grace", Role.TA, COURSES)
    me = page.goto(f"{reviewing.base_url}/me").json()["id"]
    typed(page, reviewing, draft)
    page.context.clear_cookies(name=SESSION)
    page.context.set_extra_http_headers({"X-Forwarded-For": "203.0.113.7"})
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("What you typed is kept").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["state"] == "pending"
    again = sign_in_path(review_home, me, Role.TA, COURSES)
    assert path != again
    page.goto(f"{reviewing.base_url}{again}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    assert final(page) == OWN
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OWN


def test_the_text_is_not_shown_to_the_next_person_of_the_browser(
    reviewing: httpx.Client, review_home: Path, ask: Ask, page: Any
) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    page.goto(f"{reviewing.base_url}{sign_in_path(review_home, 'Hedy', Role.TA, COURSES)}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    assert final(page) == draft["answer"]


def test_signing_out_leaves_nothing_in_the_browser(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    typed(page, reviewing, ask())
    page.goto(f"{reviewing.base_url}/sign-in")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_load_state()
    assert page.evaluate(KEPT) == []


@pytest.mark.parametrize("path", ["/", "/homework?course=small"])
def test_what_a_student_typed_outlives_a_reload(reviewing: httpx.Client, page: Any, path: str) -> None:
    page.goto(f"{reviewing.base_url}{path}")
    field = page.locator("main textarea").first
    field.fill(OWN)
    page.reload()
    assert field.input_value() == OWN
    assert page.dialogs == ["beforeunload"]


def test_an_opinion_is_kept_as_well(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    reviewing.post(f"/drafts/{draft['id']}/decision", json={"text": "Mine."})
    page.goto(f"{reviewing.base_url}/review/{draft['id']}?second=1")
    page.locator("#final").fill(OWN)
    page.reload()
    assert final(page) == OWN
    page.get_by_role("button", name="Save this opinion").click()
    page.get_by_text("Posted").or_(page.get_by_text("To be posted")).first.wait_for()
    assert page.evaluate(KEPT) == []


def test_the_whole_way_by_keyboard_on_a_signed_in_service(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask("quick")
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    read(page)
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type(OWN)
    page.keyboard.press("Escape")
    page.reload()
    read(page)
    assert final(page) == OWN
    page.keyboard.press("a")
    page.wait_for_url(lambda url: "undo=" in url)
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OWN


def test_a_decision_that_is_taken_back_gives_its_text_back(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("its text is in the editor").wait_for()
    assert final(page) == OWN
    assert reviewing.get(f"/drafts/{draft['id']}").json()["state"] == "pending"
    page.get_by_role("link", name="Start from the draft").click()
    page.wait_for_url(lambda url: "undone" not in url)
    assert final(page) == draft["answer"]

"""What a reviewer typed is there again after whatever happened to its page, in a real browser with a session."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.people.cookies import SESSION
from core.types import Role
from tests.app.people.actors import sign_in_path
from tests.app.review.browsing import COURSES, read, signed_in_page, wait_until_saved, write, written
from tests.app.review.conftest import Ask
from tests.sweeps import sweep

OWN = "Look at page 2 of the syllabus, and ask again in section."
LATER = "Something else."
KEPT = "Object.keys(localStorage).filter(key => key.startsWith('kept:'))"


@pytest.fixture
def page(browser_page: Any, reviewing: httpx.Client, review_home: Path) -> Iterator[Any]:
    """A narrow page in which a question about leaving is answered with yes, and counted."""
    with signed_in_page(browser_page, reviewing, review_home, viewport={"width": 360, "height": 740}) as opened:
        opened.dialogs = []
        opened.on("dialog", lambda dialog: (opened.dialogs.append(dialog.type), dialog.accept()))
        yield opened


def address(client: httpx.Client, draft: dict[str, Any]) -> str:
    return f"{client.base_url}/review/{draft['id']}"


def typed(page: Any, client: httpx.Client, draft: dict[str, Any]) -> None:
    page.goto(address(client, draft))
    write(page, OWN)


def reload(page: Any) -> None:
    page.reload()


def claim(page: Any) -> None:
    page.locator("#holding summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    with page.expect_navigation():
        page.get_by_role("button", name="Claim").click()


def regenerate(page: Any) -> None:
    page.get_by_role("link", name="Regenerate").click()
    page.locator("#instr").fill("Shorter.")
    page.get_by_role("button", name="Write another").click()
    page.locator("#alternative").wait_for()
    assert page.locator("#instr").input_value() == "Shorter."


def leave(page: Any) -> None:
    """To another page and back, before the text can have been saved."""
    page.get_by_role("link", name="Back to the queue").click()
    page.wait_for_url(lambda url: "/review/" not in url)
    page.go_back()


def lose_connection(page: Any) -> None:
    """Typed while nothing could be saved, and the page was closed."""
    page.context.set_offline(True)
    write(page, OWN)
    page.locator("#saved[data-state=offline]").wait_for()
    page.context.set_offline(False)
    page.goto(page.url)


def undo(page: Any) -> None:
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_text("its text is in the editor").wait_for()


WAYS = (reload, claim, regenerate, leave, lose_connection, undo)


@pytest.mark.parametrize("way", sweep(WAYS, every=3))
def test_an_edit_survives(reviewing: httpx.Client, ask: Ask, page: Any, way: Callable[[Any], None]) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    way(page)
    page.wait_for_function("text => document.querySelector('#block-1')?.value === text", arg=OWN)
    wait_until_saved(page)
    page.wait_for_function(f"() => !{KEPT}.length")
    assert page.dialogs == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OWN


def type_on(page: Any) -> None:
    """Nothing but typing: the text is saved a moment later."""


@pytest.mark.parametrize("way", [type_on, reload])
def test_a_save_whose_reply_never_came_is_not_another_windows(
    reviewing: httpx.Client, ask: Ask, page: Any, way: Callable[[Any], None]
) -> None:
    draft = ask()
    page.goto(address(reviewing, draft))
    page.route("**/edit?*", lose_reply, times=1)
    write(page, "What arrives without a reply.")
    page.locator("#saved[data-state=offline]").wait_for()
    page.locator("textarea[name=block]").first.fill(OWN)
    way(page)
    page.wait_for_function("text => document.querySelector('#block-1')?.value === text", arg=OWN)
    wait_until_saved(page)
    assert page.locator("#conflict").count() == 0
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OWN


def type_twice(page: Any, client: httpx.Client, draft: dict[str, Any]) -> None:
    """A text, and after the page was opened again another one, while nothing can be saved."""
    page.route("**/edit?*", lambda route: route.abort())
    for text in (OWN, LATER):
        page.goto(address(client, draft))
        if text == LATER:
            page.locator("#saved[data-state=offline]").wait_for()
        write(page, text)
        page.locator("#saved[data-state=offline]").wait_for()


def test_what_was_held_is_not_overwritten_by_what_is_typed_while_it_cannot_be_saved(
    reviewing: httpx.Client, ask: Ask, page: Any
) -> None:
    """The page opens, but what this browser holds from before does not reach the service until later."""
    draft = ask()
    type_twice(page, reviewing, draft)
    page.unroute("**/edit?*")
    page.locator("#conflict").wait_for()
    shown = page.locator("#conflict").inner_text()
    assert (OWN in shown, LATER in shown) == (True, True)


def test_of_three_texts_the_newest_is_compared_and_the_oldest_can_be_copied(
    reviewing: httpx.Client, ask: Ask, page: Any
) -> None:
    """One held by this browser, one saved from another device, and one typed since."""
    draft = ask()
    type_twice(page, reviewing, draft)
    page.route("**/edit?*", lambda route: route.fulfill(status=412, json={"detail": "Changed elsewhere."}))
    page.locator("#conflict").wait_for()
    assert LATER in page.locator("#conflict").inner_text()
    page.unroute("**/edit?*")
    page.get_by_role("button", name="Use mine").click()
    page.locator("#news", has_text=OWN).wait_for()
    assert LATER in written(page)


HOLD = """([id, text]) => {
  const item = `kept:${document.body.dataset.person}:review/${id}/decision@`;
  localStorage.setItem(item, JSON.stringify({ fields: { block: [text] }, base: "", revision: 0, at: Date.now() }));
}"""


def test_a_held_text_that_can_never_be_saved_keeps_no_other_from_it(
    reviewing: httpx.Client, ask: Ask, page: Any
) -> None:
    draft = ask()
    page.goto(f"{reviewing.base_url}/review")
    page.evaluate(HOLD, [draft["id"], "Too long."])
    page.route("**/edit?*", lambda route: route.fulfill(status=413, json={"detail": "That is too much."}))
    page.goto(address(reviewing, draft))
    page.locator("#news", has_text="Too long.").wait_for()
    page.unroute("**/edit?*")
    write(page, OWN)
    wait_until_saved(page)
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OWN


def lose_reply(route: Any) -> None:
    route.fetch()
    route.abort()


def test_reasons_notes_and_strikes_are_edits_too(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(address(reviewing, ask(body="When is homework 3 due and how many slip days are there?")))
    read(page)
    for key in ("x", "2"):
        page.keyboard.press(key)
    page.locator("#more summary").click()
    page.locator("#note").fill("Look at it again.")
    wait_until_saved(page)
    page.reload()
    assert page.locator("[name=strike]:checked").count() == 1
    assert page.locator("[name=reason]").nth(1).is_checked()
    assert page.locator("#note").input_value() == "Look at it again."


def test_an_edit_can_be_given_up(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    wait_until_saved(page)
    page.locator("#log summary").click()
    page.get_by_role("button", name="Start from the draft").click()
    page.wait_for_load_state()
    assert written(page).split() == draft["answer"].split()


@pytest.mark.parametrize(("choice", "text"), [("Use mine", OWN), ("Use new", None), ("merge", "Both of them.")])
def test_another_draft_under_an_edit_is_a_choice(
    reviewing: httpx.Client, review_home: Path, ask: Ask, page: Any, choice: str, text: str | None
) -> None:
    draft = ask()
    with closing(sqlite3.connect(review_home / "edumod.db")) as database:
        other = "json_set(response, '$.answer', 'Ask in section, or read page 3 of the syllabus.')"
        database.execute(f"UPDATE draft SET alternative = {other} WHERE id = ?", [draft["id"]])
        database.commit()
    typed(page, reviewing, draft)
    wait_until_saved(page)
    swapped = reviewing.post(f"/review/{draft['id']}", data={"do": "swap", "version": draft["version"]})
    assert swapped.status_code == 303
    page.reload()
    chooser = page.locator("#conflict")
    assert chooser.locator("ins").count()
    if choice == "merge":
        for number, part in enumerate(chooser.locator(".choose").all()):
            part.get_by_role("radio", name="Merge").check()
            part.locator("textarea").fill("" if number else "Both of them.")
        chooser.get_by_role("button", name="Go on with this text").click()
    else:
        chooser.get_by_role("button", name=choice).click()
    page.locator("#text").wait_for()
    other = reviewing.get(f"/drafts/{draft['id']}").json()["answer"]
    if choice == "merge":
        assert "Both of them." in written(page)
    else:
        assert written(page).split() == (text or other).split()


def test_two_windows_of_one_person_lose_nothing(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    wait_until_saved(page)
    second = page.context.new_page()
    second.goto(address(reviewing, draft))
    write(second, "From the second window.")
    wait_until_saved(second)
    second.close()
    write(page, "From the first window.")
    page.locator("#conflict").wait_for()
    compared = page.locator("#compared").inner_text()
    assert "From the first window." in compared
    assert "From the second window." in compared
    page.get_by_role("button", name="Use mine").click()
    page.locator("#text").wait_for()
    assert written(page) == "From the first window."


def test_a_session_that_ends_is_begun_again_over_the_page(
    reviewing: httpx.Client, review_home: Path, ask: Ask, page: Any
) -> None:
    draft = ask()
    me = page.goto(f"{reviewing.base_url}/me").json()["id"]
    page.goto(address(reviewing, draft))
    write(page, "What is typed first.")  # Opens the editors, which the dialog may cover from now on.
    page.context.clear_cookies(name=SESSION)
    page.context.set_extra_http_headers({"X-Forwarded-For": "203.0.113.7"})
    page.locator("textarea[name=block]").first.fill(OWN)
    dialog = page.locator("#signed-out")
    dialog.wait_for()
    sign_in_again(page, reviewing, review_home, "Hedy")
    dialog.get_by_role("button", name="I have signed in").click()
    page.get_by_text("Somebody else has signed in").wait_for()
    sign_in_again(page, reviewing, review_home, me)
    dialog.get_by_role("button", name="I have signed in").click()
    dialog.wait_for(state="hidden")
    wait_until_saved(page)
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OWN


def sign_in_again(page: Any, reviewing: httpx.Client, home: Path, person: str) -> None:
    """In another tab."""
    tab = page.context.new_page()
    tab.goto(f"{reviewing.base_url}{sign_in_path(home, person, Role.TA, COURSES)}")
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_load_state()
    tab.close()


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_decision_sent_after_the_end_of_a_session_is_not_lost(
    reviewing: httpx.Client, review_home: Path, ask: Ask, page: Any, is_saved: bool
) -> None:
    draft = ask()
    me = page.goto(f"{reviewing.base_url}/me").json()["id"]
    typed(page, reviewing, draft)
    if is_saved:
        wait_until_saved(page)
    page.context.clear_cookies(name=SESSION)
    page.context.set_extra_http_headers({"X-Forwarded-For": "203.0.113.7"})
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("What you typed is kept" if is_saved else "Your session has ended").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["state"] == "pending"
    sign_in_again(page, reviewing, review_home, me)
    page.goto(address(reviewing, draft))
    page.wait_for_function("text => document.querySelector('#block-1')?.value === text", arg=OWN)


def test_a_draft_deleted_under_her_hands_can_be_copied(
    reviewing: httpx.Client, review_home: Path, ask: Ask, page: Any
) -> None:
    draft = ask()
    page.goto(address(reviewing, draft))
    with closing(sqlite3.connect(review_home / "edumod.db")) as database:
        database.execute("DELETE FROM draft WHERE id = ?", [draft["id"]])
        database.commit()
    write(page, OWN)
    page.get_by_role("button", name="Copy my text").wait_for()
    assert written(page) == OWN


def test_the_text_is_not_shown_to_the_next_person_of_the_browser(
    reviewing: httpx.Client, review_home: Path, ask: Ask, page: Any
) -> None:
    draft = ask()
    typed(page, reviewing, draft)
    wait_until_saved(page)
    page.goto(f"{reviewing.base_url}{sign_in_path(review_home, 'Hedy', Role.TA, COURSES)}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()
    page.goto(address(reviewing, draft))
    assert written(page).split() == draft["answer"].split()


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
    page.goto(f"{address(reviewing, draft)}?second=1")
    write(page, OWN)
    wait_until_saved(page)
    page.reload()
    assert written(page) == OWN
    page.get_by_role("button", name="Save this opinion").click()
    page.get_by_text("To be posted").wait_for()
    assert page.evaluate(KEPT) == []
    page.goto(f"{address(reviewing, draft)}?second=1")
    assert written(page).split() == draft["answer"].split()


def test_without_scripts_a_text_is_saved_by_a_button(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any
) -> None:
    with signed_in_page(browser_page, reviewing, review_home, java_script_enabled=False) as page:
        page.goto(address(reviewing, ask()))
        write(page, OWN)
        page.get_by_role("button", name="Save", exact=True).click()
        assert written(page) == OWN

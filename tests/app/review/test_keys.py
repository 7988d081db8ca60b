"""Single keys decide only what was read: on a signed-in service, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.review.browsing import read, signed_in_page
from tests.app.review.conftest import Ask
from tests.sweeps import sweep

LETTERS = "regenerate as a sad radish"
"""Holds every key that decides."""


@pytest.fixture
def page(browser_page: Any, reviewing: httpx.Client, review_home: Path) -> Iterator[Any]:
    with signed_in_page(browser_page, reviewing, review_home) as opened:
        yield opened


def states(client: httpx.Client, drafts: list[dict[str, Any]]) -> list[str]:
    return [client.get(f"/drafts/{draft['id']}").json()["state"] for draft in drafts]


def open_draft(page: Any, client: httpx.Client, draft: dict[str, Any]) -> None:
    page.goto(f"{client.base_url}/review/{draft['id']}")
    read(page)


def test_what_is_typed_after_r_is_the_instruction_and_decides_nothing(
    reviewing: httpx.Client, ask: Ask, page: Any
) -> None:
    drafts = [ask(), ask()]
    open_draft(page, reviewing, drafts[0])
    page.keyboard.press("r")
    assert page.evaluate("document.activeElement.id") == "instr"
    page.keyboard.type(LETTERS)
    assert page.locator("#instr").input_value() == LETTERS
    assert page.locator("#instr").is_visible()
    assert states(reviewing, drafts) == ["pending", "pending"]


def test_a_key_that_is_held_down_decides_one_draft(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    drafts = [ask("quick") for _ in range(4)]
    open_draft(page, reviewing, drafts[0])
    page.keyboard.down("a")
    page.locator(".toast, #text").first.wait_for()
    for _ in range(12):
        page.wait_for_timeout(100)
        page.keyboard.down("a")
    page.keyboard.up("a")
    assert states(reviewing, drafts).count("decided") == 1


def test_keys_struck_before_a_page_can_have_been_read_do_nothing(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    drafts = [ask("quick") for _ in range(3)]
    page.goto(f"{reviewing.base_url}/review/{drafts[0]['id']}")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    for key in "adad":
        page.keyboard.press(key)
    assert states(reviewing, drafts) == ["pending"] * 3


def is_form(request: Any) -> bool:
    """True of a form that was sent, not of the page's heartbeat."""
    return request.method == "POST" and request.is_navigation_request()


def test_a_key_struck_twice_decides_one_draft(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    drafts = [ask("quick") for _ in range(3)]
    open_draft(page, reviewing, drafts[0])
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method) if is_form(request) else None)
    page.evaluate("""() => { for (const key of "aada")
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); }""")
    page.wait_for_url(lambda url: "undo=" in url)
    assert sent == ["POST"]
    assert states(reviewing, drafts).count("decided") == 1


FIELDS = {
    "contenteditable": "<div contenteditable><b id=here tabindex=0>x</b></div>",
    "select": "<select id=here><option>x</select>",
    "number": "<input type=number id=here>",
    "search": "<input type=search id=here>",
}


@pytest.mark.parametrize("field", sweep(FIELDS.keys(), every=2))
def test_letters_in_a_field_are_text(reviewing: httpx.Client, ask: Ask, page: Any, field: str) -> None:
    draft = ask()
    open_draft(page, reviewing, draft)
    page.evaluate("html => document.querySelector('main').insertAdjacentHTML('afterbegin', html)", FIELDS[field])
    page.evaluate("document.querySelector('#here').focus()")
    page.keyboard.type("ad")
    assert states(reviewing, [draft]) == ["pending"]


@pytest.mark.parametrize("kind", ["shadow", "frame"])
def test_letters_in_a_field_inside_another_tree_are_text(
    reviewing: httpx.Client, ask: Ask, page: Any, kind: str
) -> None:
    draft = ask()
    open_draft(page, reviewing, draft)
    page.evaluate(
        """kind => {
        const host = document.createElement(kind === "frame" ? "iframe" : "div");
        document.querySelector("main").append(host);
        const tree = kind === "frame" ? host.contentDocument.body : host.attachShadow({ mode: "open" });
        tree.appendChild(document.createElement("textarea")).focus();
    }""",
        kind,
    )
    page.keyboard.type("ad")
    assert states(reviewing, [draft]) == ["pending"]


@pytest.mark.parametrize("details", sweep(
    [{"ctrlKey": True}, {"metaKey": True}, {"altKey": True}, {"isComposing": True}, {"repeat": True}, {"keyCode": 229}],
    every=3,
))  # fmt: skip
def test_shortcuts_and_input_methods_decide_nothing(
    reviewing: httpx.Client, ask: Ask, page: Any, details: dict[str, Any]
) -> None:
    draft = ask()
    open_draft(page, reviewing, draft)
    page.evaluate(
        "more => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true, ...more }))",
        details,
    )
    page.wait_for_timeout(100)
    assert page.locator("#text").count() == 1
    assert states(reviewing, [draft]) == ["pending"]


def test_a_key_that_is_a_mark_of_selectors_breaks_nothing(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    open_draft(page, reviewing, ask())
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    for key in ('"', "\\", "]"):
        page.keyboard.press(key)
    assert problems == []


def test_a_button_that_is_pressed_twice_sends_one_decision(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    open_draft(page, reviewing, draft)
    page.get_by_role("button", name="Approve").dblclick()
    page.wait_for_url(lambda url: "undo=" in url)
    assert page.locator("#conflict").count() == 0
    assert states(reviewing, [draft]) == ["decided"]

"""The pages for reviewers, in a real browser: by keyboard, without scripts, narrow, and with hostile texts."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

from tests.app.review.browsing import TIMEOUT_MS, read, wait_until_saved, write
from tests.app.review.conftest import Ask
from tests.app.review.deciding import decide
from tests.pipelines.images.drawing import drawn
from tests.pipelines.images.test_reading import needs_tesseract
from tests.sweeps import choose

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)> "onmouseover=alert(1) [x](javascript:alert(1)) {{7*7}}'

TYPED = " See you in section."


@pytest.fixture
def page(browser_page: Any) -> Any:
    context = browser_page.new_context()
    opened = context.new_page()
    opened.set_default_timeout(TIMEOUT_MS)
    opened.alerts = []
    opened.on("dialog", lambda dialog: (opened.alerts.append(dialog.message), dialog.dismiss()))
    yield opened
    context.close()


def draft_of(reviewing: httpx.Client, draft: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = reviewing.get(f"/drafts/{draft['id']}").json()
    return found


@pytest.mark.parametrize("size", choose({"laptop": ((1366, 768),), "desk": ((1920, 1080),)}, "laptop"))
def test_question_draft_and_the_evidence_of_a_sentence_are_in_view_at_once(
    reviewing: httpx.Client, ask: Ask, page: Any, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    draft = ask()
    assert draft["citations"][0]["verified"]
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    read(page)
    assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
    for part in ("#question .post", "#text .here", ".ev.on mark", "[data-key=a]"):
        box = page.locator(part).first.bounding_box()
        assert 0 <= box["y"] <= box["y"] + min(box["height"], 100) <= size[1], part
    page.locator(".ev.on .view").first.evaluate("view => view.scrollTop = 0")
    page.keyboard.press("k")
    page.keyboard.press("j")
    mark, view = (page.locator(part).first.bounding_box() for part in (".ev.on mark", ".ev.on .view"))
    assert view["y"] <= mark["y"] <= view["y"] + view["height"]


def test_on_a_phone_the_parts_come_one_after_the_other_with_a_bar(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{reviewing.base_url}/review/{ask()['id']}")
    parts = {"Question": "#question", "Draft": "#draft", "Evidence": "#evidence"}
    for name, part in parts.items():
        page.get_by_role("radio", name=name).check(force=True)
        assert [page.locator(one).is_visible() for one in parts.values()] == [one == part for one in parts.values()]
        assert page.get_by_role("button", name="Approve").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


COUNT_KEYS = "addEventListener('keydown', () => sessionStorage.keys = 1 + Number(sessionStorage.keys || 0), true)"
WAYS: dict[str, tuple[str, ...]] = {
    "approved": ("a",),
    "edited": ("e", TYPED, "Escape", "1", "a"),
    "discarded": ("d",),
}
"""How a draft gets each outcome by keyboard; an edit with its first reason."""


@pytest.mark.parametrize("number", choose([6, 30], 6))
def test_a_reviewer_clears_drafts_by_keyboard(reviewing: httpx.Client, ask: Ask, page: Any, number: int) -> None:
    for _ in range(number):
        ask("quick")
    page.add_init_script(COUNT_KEYS)
    page.goto(f"{reviewing.base_url}/review?course=quick")
    read(page)
    page.keyboard.press("o")
    page.locator("#text").wait_for()
    interactions, decided = [], {}
    for n in range(number):
        outcome = list(WAYS)[n % len(WAYS)]
        decided[page.url.partition("?")[0].rpartition("/")[2]] = outcome
        before = page.evaluate("Number(sessionStorage.keys)")
        clear(page, WAYS[outcome])
        interactions.append(page.evaluate("Number(sessionStorage.keys)") - before + (TYPED in WAYS[outcome]))
    assert median(interactions) <= 4
    decisions = {one: draft_of(reviewing, {"id": one})["decision"] for one in decided}
    assert {one: decision["outcome"] for one, decision in decisions.items()} == decided
    edited = [one["reasons"] for one in decisions.values() if one["outcome"] == "edited"]
    assert edited == [["conciseness"]] * (number // len(WAYS))


def clear(page: Any, keys: tuple[str, ...]) -> None:
    """Press the keys, and wait for what follows the draft."""
    shown = page.url.partition("?")[0]
    read(page)
    for key in keys:
        if key == TYPED:
            page.keyboard.insert_text(key)
        else:
            page.keyboard.press(key)
    page.wait_for_url(lambda url: url.partition("?")[0] != shown)
    page.wait_for_load_state()


def test_striking_and_editing_shows_what_changed(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    read(page)
    page.locator("[name=strike]").first.focus()
    page.keyboard.press("x")
    page.locator("#diff del").first.wait_for(state="attached")
    page.keyboard.press("e")
    page.keyboard.type(" By hand.")
    page.locator(".blk .body", has_text="By hand.").wait_for()
    page.keyboard.press("Escape")
    assert "By hand." in (page.locator("#diff ins").last.text_content() or "")
    assert "Approve with edits" in page.get_by_role("button", name="Approve").inner_text()
    page.keyboard.press("a")
    page.locator(".toast").wait_for()
    assert draft_of(reviewing, draft)["decision"]["outcome"] in ("edited", "rewritten")
    read(page)
    page.keyboard.press("u")
    page.locator("#text").wait_for()
    assert draft_of(reviewing, draft)["state"] == "pending"
    read(page)
    page.keyboard.press("d")
    page.locator(".toast").wait_for()
    assert draft_of(reviewing, draft)["decision"]["outcome"] == "discarded"


LINES = [f"- Statement {n} of the draft, about tables. See it." for n in range(30)]


@pytest.fixture
def long_draft(review_home: Path, ask: Ask) -> dict[str, Any]:
    """A draft of sixty sentences, half of them the same."""
    draft = ask()
    with closing(sqlite3.connect(review_home / "edumod.db")) as database:
        (stored,) = database.execute("SELECT response FROM draft WHERE id = ?", [draft["id"]]).fetchone()
        response = json.dumps({**json.loads(stored), "answer": "\n".join(LINES)})
        database.execute("UPDATE draft SET response = ? WHERE id = ?", [response, draft["id"]])
        database.commit()
    return draft


@pytest.mark.parametrize("scripts", [True, False])
def test_every_sentence_of_a_long_draft_that_is_struck_goes_and_no_other(
    reviewing: httpx.Client, long_draft: dict[str, Any], browser_page: Any, scripts: bool
) -> None:
    context = browser_page.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(f"{reviewing.base_url}/review/{long_draft['id']}")
    boxes = page.locator("#text input[name=strike]")
    assert boxes.count() == 60
    for number in (*range(2, 58), 59):
        boxes.nth(number).focus()
        page.keyboard.press("Space")
    with page.expect_navigation():
        page.get_by_role("button", name="Approve").click()
    decision = draft_of(reviewing, long_draft)["decision"]
    assert decision["text"] == f"{LINES[0]}\n{LINES[29].removesuffix(' See it.')}"
    assert len(decision["struck"]) == 57
    context.close()


def test_struck_sentences_come_back_where_they_stood(
    reviewing: httpx.Client, long_draft: dict[str, Any], page: Any
) -> None:
    page.goto(f"{reviewing.base_url}/review/{long_draft['id']}")
    read(page)
    for _ in range(3):
        page.keyboard.press("j")
        page.keyboard.press("x")
    page.keyboard.press("e")
    page.keyboard.type(" By hand.")
    page.locator(".body", has_text="By hand.").wait_for()
    assert page.locator("#text input:checked").count() == 3
    page.reload()
    assert page.locator("#text input:checked").count() == 3
    read(page)
    for _ in range(3):
        page.keyboard.press("j")
        page.keyboard.press("x")
    wait_until_saved(page)
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    assert draft_of(reviewing, long_draft)["decision"]["text"] == "\n".join(LINES) + " By hand."


def test_single_keys_can_be_switched_off(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    read(page)
    page.keyboard.press("?")
    page.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    read(page)
    page.keyboard.press("d")
    page.keyboard.press("a")
    assert page.locator("#text").count()
    assert draft_of(reviewing, draft)["state"] == "pending"


def test_without_javascript_a_sentence_is_struck_and_the_rest_is_posted(
    reviewing: httpx.Client, ask: Ask, browser_page: Any
) -> None:
    draft = ask(body="When is homework 3 due and how many slip days are there?")
    context = browser_page.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    page.locator("#text input[name=strike]").first.check()
    page.get_by_role("button", name="Approve").click()
    page.locator(".toast").wait_for()
    decision = draft_of(reviewing, draft)["decision"]
    assert decision["struck"]
    assert page.locator(".toast").is_visible()
    page.get_by_role("button", name="Undo").click()
    assert draft_of(reviewing, draft)["state"] == "pending"
    context.close()


def test_a_conflict_shows_the_first_decision_and_keeps_what_was_typed(
    reviewing: httpx.Client, ask: Ask, page: Any
) -> None:
    draft = ask()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    write(page, "My own words.")
    wait_until_saved(page)
    reviewing.post(f"/drafts/{draft['id']}/decision", json={"text": "The first words.", "reasons": ["tone"]})
    page.get_by_role("button", name="Approve").click()
    page.locator("#conflict").wait_for()
    assert "My own words." in page.locator("#compared").inner_text()
    assert "The first words." in page.locator("#compared").inner_text()
    assert draft_of(reviewing, draft)["decision"]["text"] == "The first words."


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_texts_do_nothing_and_pages_fit_a_phone(
    reviewing: httpx.Client, ask: Ask, browser_page: Any, scheme: str
) -> None:
    draft = ask(body=f"{HOSTILE} When is homework 3 due? {'x' * 300}", title=HOSTILE)
    reviewing.post(f"/review/{draft['id']}/alternative", data={"instruction": HOSTILE})
    context = browser_page.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    alerts: list[str] = []
    told: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: told.append(message.text))
    for path in ("/review", "/review?course=small&view=decided", f"/review/{draft['id']}", f"/answers/{draft['id']}"):
        page.goto(f"{reviewing.base_url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        assert page.locator("main script, main img[onerror]").count() == 0
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    write(page, HOSTILE)
    with page.expect_navigation():
        page.get_by_role("button", name=re.compile("Approve|Send")).click()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    assert (alerts, [one for one in told if "Content Security Policy" in one]) == ([], [])
    context.close()


@needs_tesseract
def test_what_was_read_in_a_picture_stands_with_the_question(reviewing: httpx.Client, ask: Ask) -> None:
    picture = {"media_type": "image/png", "data": base64.b64encode(drawn()).decode()}
    draft = ask(body="What does this error mean?", images=[picture])
    page = reviewing.get(f"/review/{draft['id']}").text
    assert "1 picture" in reviewing.get("/review?q=What+does+this+error").text
    assert "KeyError: &#39;station&#39;" in page.split("Read in pictures")[1]


def test_another_answer_stands_beside_the_draft_and_can_take_its_place(
    reviewing: httpx.Client, ask: Ask, page: Any
) -> None:
    draft = ask()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    read(page)
    page.keyboard.press("r")
    page.locator("#instr").fill("Shorter.")
    page.get_by_label("Pipeline").select_option("edison")
    page.get_by_role("button", name="Write another").click()
    page.locator("#alternative").wait_for()
    page.get_by_role("button", name="Take the other one").click()
    assert draft_of(reviewing, draft)["version"] == draft["version"] + 1
    assert page.get_by_text("edison ·").count()


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000, "²", "-1", "x"])
def test_no_number_in_a_form_or_header_is_too_large_to_be_refused(
    reviewing: httpx.Client, ask: Ask, number: str
) -> None:
    where = f"/review/{ask()['id']}"
    assert reviewing.post(where, data={"do": "swap", "version": number}).status_code == 412
    form = {"do": "approve", "final": "See the syllabus.", "version": number, "strike": number}
    assert reviewing.post(where, data=form).status_code == 303
    long = {"If-Match": f'"{"9" * 5000}"'}
    address = where.replace("review", "drafts") + "/decision"
    assert reviewing.post(address, json={"text": "x"}, headers=long).status_code == 422


def test_a_page_of_the_queue_that_cannot_be_found_names_its_parameter(reviewing: httpx.Client) -> None:
    refused = reviewing.get("/review?after=bad")
    assert (refused.status_code, "`after` is not the `next`" in refused.text) == (422, True)


@pytest.mark.parametrize("seconds", ["inf", "nan", "1e300", "-1"])
def test_a_time_that_nobody_can_have_spent_is_refused(reviewing: httpx.Client, ask: Ask, seconds: str) -> None:
    draft = ask()
    assert decide(reviewing, draft, text="See the syllabus.", seconds=seconds).status_code == 422


def test_a_draft_in_the_shadow_is_shown_after_the_answer(reviewing: httpx.Client, ask: Ask, page: Any) -> None:
    draft = ask("shadow")
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    assert "February 19" not in page.content()
    write(page, "See the syllabus.")
    page.get_by_role("button", name="Send your answer").click()
    page.locator(".toast").wait_for()
    page.goto(f"{reviewing.base_url}/review/{draft['id']}")
    assert page.locator("del").count()


def test_the_queue_is_filtered_and_says_when_nothing_fits(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask(body="zebra crossing: when is homework 3 due?")
    found = reviewing.get("/review", params={"q": "zebra crossing"}).text
    assert draft["id"] in found
    assert "Nothing waits" in reviewing.get("/review", params={"q": "no such words"}).text
    assert draft["id"] not in reviewing.get("/review", params={"q": "zebra", "kind": "error_message"}).text
    claimed = reviewing.post(f"/review/{draft['id']}", data={"do": "claim", "back": "/review?by=me"})
    assert claimed.status_code == 303
    assert draft["id"] in reviewing.get("/review?by=me").text
    assert draft["id"] not in reviewing.get("/review?by=nobody").text


def test_a_citation_leads_to_its_document_with_the_quote_marked(
    reviewing: httpx.Client, ask: Ask, browser_page: Any
) -> None:
    draft = ask()
    page = browser_page.new_page(viewport={"width": 360, "height": 740})
    page.goto(f"{reviewing.base_url}/answers/{draft['id']}")
    page.get_by_role("link", name="Open the source").first.click()
    mark = page.locator("#quote mark").first
    assert mark.inner_text().strip().strip("|").split()[0] in draft["citations"][0]["quote"]
    assert page.url.endswith("#quote")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()

"""The page at `/`, by plain HTTP and in a real browser."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from app.web.markdown import markdown
from core.errors import ModelTimeout
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.types import FunctionCall
from tasks import Statement, WrittenAnswer
from tests.app.live import live, settings_in
from tests.app.pages import QUESTION, submit


def test_the_form_offers_what_there_is(client: httpx.Client) -> None:
    page = client.get("/").text
    for word in ("small", "strict", "fc_forced", "tree", "Offline backend"):
        assert word in page


def test_a_form_gives_answer_citations_and_trace(client: httpx.Client) -> None:
    page = submit(client).text
    for word in ("19 February", "Sources", "logistics/syllabus.md", "verified", "How it was made"):
        assert word in page


def test_the_form_takes_a_category_and_offers_those_of_the_courses(client: httpx.Client) -> None:
    page = client.get("/").text
    assert '<option value="Homework 3">' in page
    asked = {**QUESTION, "course": "strict", "consent": "true", "pipeline": "fc_categorize", "category": "Logistik"}
    page = submit(client, **asked).text
    assert "This course has no category &#39;Logistik&#39;. It has: Homework 3, Logistics." in page
    assert "no category" not in submit(client, **{**asked, "category": " "}).text


def test_a_failed_form_keeps_what_was_typed_and_says_what_is_wrong(client: httpx.Client, home: Path) -> None:
    empty = client.post("/", data={**QUESTION, "body": " ", "title": "My title"})
    assert (empty.status_code, "My title" in empty.text, "body" in empty.text) == (422, True, True)
    assert client.post("/", data={**QUESTION, "course": "none"}).status_code == 422
    with live(settings_in(home), ScriptedLLM([ModelTimeout("The model took too long.")])) as failing:
        failed = failing.post("/", data=QUESTION)
    assert (failed.status_code, "took too long" in failed.text, QUESTION["body"] in failed.text) == (504, True, True)


def test_mathematics_in_a_question_is_shown_as_in_answers(client: httpx.Client) -> None:
    page = submit(client, body="When is homework 3 with $x^n$ due?").text
    trace = page.split('href="/traces/')[1].split('"')[0]
    for shown in (page, client.get(f"/traces/{trace}", headers={"Accept": "text/html"}).text):
        assert "<msup>" in shown


def test_what_students_and_models_write_is_never_markup(home: Path) -> None:
    script = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    llm = ScriptedLLM(
        [
            Choice(calls=(FunctionCall(id="1", name="logistics_retrieval", arguments={"query": script}),)),
            WrittenAnswer(
                status="answered", statements=(Statement(text=f"{script} [x](javascript:alert(1))"),), confidence=1
            ),
        ]
    )
    with live(settings_in(home), llm) as client:
        page = submit(client, title=script, body=script).text
    assert "<script>" not in page
    assert "<img" not in page
    assert 'href="javascript' not in page


def test_references_link_to_their_citation_and_remote_pictures_are_not_loaded() -> None:
    shown = markdown("So [2]. ![p](http://x.example/p.png)")
    assert 'href="#citation-2"' in shown
    assert "<img" not in shown


@pytest.mark.parametrize("javascript", [True, False])
def test_a_person_asks_in_a_browser_with_and_without_javascript(
    client: httpx.Client, browser_page: object, javascript: bool
) -> None:
    context = browser_page.new_context(java_script_enabled=javascript)  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(str(client.base_url))
    page.get_by_label("Question").fill("When is homework 3 due?")
    page.get_by_label("Category").fill("Homework 3")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answer").wait_for()
    assert "19 February" in page.locator(".answer").inner_text()
    page.locator("a.ref").first.click()
    assert page.url.endswith("#citation-1")
    context.close()


def test_pages_look_as_meant_under_their_own_policy(client: httpx.Client, browser_page: object) -> None:
    page = browser_page.new_page()  # type: ignore[attr-defined]
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.goto(str(client.base_url))
    assert page.locator(".field").first.evaluate("one => getComputedStyle(one).display") == "grid"
    page.get_by_label("Question").fill("When is homework 3 due?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answer").wait_for()
    page.get_by_role("link", name="How it was made").click()
    page.get_by_role("heading", name="Steps").wait_for()
    bar = page.locator(".span").last
    assert bar.evaluate("one => getComputedStyle(one).position") == "absolute"
    assert bar.evaluate("one => getComputedStyle(one).getPropertyValue('--at')").endswith("%")
    assert [one for one in told if "Content Security Policy" in one] == []
    page.close()


def test_the_page_fits_a_phone_and_names_its_fields(client: httpx.Client, browser_page: object) -> None:
    context = browser_page.new_context(viewport={"width": 360, "height": 740})  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(str(client.base_url))
    page.get_by_label("Question").fill("When is homework 3 due?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answer").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()

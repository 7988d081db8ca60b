"""The page of a stored trace in a real browser, whose event loop would be in the way of other tests in a module."""

from __future__ import annotations

import httpx
import pytest

from tests.sweeps import choose


@pytest.mark.parametrize(
    ("javascript", "width"),
    choose([(True, 360), (False, 360), (True, 1000), (False, 1000)], (True, 360), (False, 1000)),
)
def test_a_person_opens_the_steps_in_a_browser(
    client: httpx.Client, browser_page: object, javascript: bool, width: int
) -> None:
    context = browser_page.new_context(  # type: ignore[attr-defined]
        java_script_enabled=javascript, viewport={"width": width, "height": 740}
    )
    page = context.new_page()
    page.goto(str(client.base_url))
    page.get_by_label("Question").fill("When is homework 3 due?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("link", name="How it was made").click()
    page.get_by_role("heading", name="Steps").wait_for()
    place = page.get_by_text("Homework due dates").first
    assert not place.is_visible()
    page.locator("summary", has_text="logistics_retrieval").first.click()
    assert place.is_visible()
    lane, bar = (page.locator(part).last.bounding_box() for part in (".lane", ".span"))
    assert lane["x"] < bar["x"]
    assert bar["x"] + bar["width"] == pytest.approx(lane["x"] + lane["width"], abs=1)
    if javascript:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("link", name="Ask", exact=True).first.click()
    page.get_by_role("button", name="Ask").wait_for()
    context.close()

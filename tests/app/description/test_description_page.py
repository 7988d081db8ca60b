"""`/docs` in a real browser that reaches no other host."""

from __future__ import annotations

import re

import httpx


def test_the_page_loads_nothing_from_elsewhere(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert re.findall(r'(?:src|href)="(?!/)', page.text) == []
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert client.get("/redoc").headers["location"] == "/docs"
    for name in re.findall(r'(?:src|href)="(/[^"]+)"', page.text):
        assert client.get(name).status_code == 200


def test_a_person_reads_and_tries_the_description_without_a_network(client: httpx.Client, browser_page: object) -> None:
    page = browser_page.new_page(viewport={"width": 1200, "height": 1600})  # type: ignore[attr-defined]
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{client.base_url}/docs")
    page.locator("[data-path='/courses']").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    page.get_by_text("Response body").first.wait_for()
    own = str(client.base_url).rstrip("/")
    assert [url for url in asked if not url.startswith((own, "data:"))] == []
    assert f"{own}/v1/courses" in asked
    assert [one for one in told if "Content Security Policy" in one or "Failed to load" in one] == []
    page.close()

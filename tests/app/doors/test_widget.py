"""The ask box on a course's own page: in a browser, on a page of another origin."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from core.course import Course
from core.course.widget import WidgetRules
from core.types import Role
from tests.app.conftest import ingest_all
from tests.app.doors.test_guide import blocks
from tests.app.live import live, settings_in
from tests.app.people.actors import ACTORS, THROUGH_A_PROXY, headers, made_key, sign_in_path
from tests.app.review.test_axe import RULES, axe, violations

QUESTION = {"body": "When is homework 3 due?"}


@contextmanager
def serving(page: list[str]) -> Iterator[str]:
    """The origin of a site with this page. Its name is another one than the service's: to a browser another site."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = page[0].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def page() -> list[str]:
    """What the course's site shows."""
    return [""]


@pytest.fixture(scope="module")
def site(page: list[str]) -> Iterator[str]:
    with serving(page) as origin:
        yield origin


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, material: Path, site: str) -> Path:
    """A course whose site may hold the box, and one without."""
    home = tmp_path_factory.mktemp("widget")
    box = WidgetRules(origins=(site, "https://cs.example.edu"))
    courses = (Course(id="small", title="Small", widget=box), Course(id="plain"))
    asyncio.run(ingest_all(settings_in(home), material, *courses))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path, page: list[str]) -> Iterator[httpx.Client]:
    with live(settings_in(own_home)) as client:
        (tag,) = blocks("html")
        tag = tag.replace("http://127.0.0.1:8000", str(client.base_url).rstrip("/"))
        page[0] = f'<!doctype html><html lang="en"><title>Course</title><h1>Course</h1><main>{tag}</main>'
        yield client


def test_only_the_courses_sites_may_frame_the_box(server: httpx.Client, site: str) -> None:
    box = server.get("/widget/small", headers=THROUGH_A_PROXY)
    assert f"frame-ancestors {site} https://cs.example.edu" in box.headers["Content-Security-Policy"]
    script = server.get("/widget.js", headers=THROUGH_A_PROXY)
    assert script.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "frame-ancestors 'none'" in server.get("/").headers["Content-Security-Policy"]


def test_a_course_without_sites_has_no_box(server: httpx.Client) -> None:
    for course in ("plain", "none-such"):
        assert server.get(f"/widget/{course}").status_code == 404
        assert server.post(f"/widget/{course}", data=QUESTION).status_code == 404


@pytest.mark.parametrize("origin", ["https://x.edu/path", "x.edu", "https://x.edu; script-src *", "*", "https://x\n"])
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(ValidationError):
        WidgetRules(origins=(origin,))


def test_nobody_asks_without_having_signed_in(server: httpx.Client) -> None:
    box = server.get("/widget/small", headers=THROUGH_A_PROXY).text
    assert 'target="_blank"' in box
    for path in ("/widget/small", "/widget/small/window"):
        assert server.post(path, data=QUESTION, headers=THROUGH_A_PROXY).status_code == 401


def test_staff_read_the_answer_in_the_box_and_students_that_it_waits(server: httpx.Client, own_home: Path) -> None:
    staff = server.post("/widget/small", data=QUESTION, headers=headers(made_key(own_home, *ACTORS["ta"], name="ta")))
    assert "19 February" in staff.text
    assert "/courses/small/blocks/" in staff.text
    student = headers(made_key(own_home, *ACTORS["student"], name="s"))
    waiting = server.post("/widget/small", data=QUESTION, headers=student)
    assert waiting.status_code == 200
    assert "February" not in waiting.text
    assert re.search(r"/answers/[0-9a-f]{32}", waiting.text)


def test_an_empty_question_is_said_in_the_box(server: httpx.Client) -> None:
    refused = server.post("/widget/small", data={"body": " "})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    assert "frame-ancestors http" in refused.headers["Content-Security-Policy"]


def test_the_window_opens_with_what_was_typed(server: httpx.Client, own_home: Path) -> None:
    session = THROUGH_A_PROXY | {"Cookie": signed_in(server, own_home)}
    opened = server.post("/widget/small/window", data=QUESTION, headers=session)
    assert opened.status_code == 200
    assert ">When is homework 3 due?</textarea>" in opened.text
    assert 'name="csrf"' in opened.text
    # In the box itself the form belongs to a session, so it must repeat what the box was given.
    assert server.post("/widget/small", data=QUESTION, headers=session).status_code == 403


def signed_in(server: httpx.Client, home: Path) -> str:
    done = server.post(sign_in_path(home, "Ada", Role.STUDENT), headers=THROUGH_A_PROXY)
    return done.headers["Set-Cookie"].partition(";")[0]


def html_of(tab: Any, frame: Any) -> str:
    """What a frame shows. Not by a script, since its sandbox lets none run."""
    from playwright.sync_api import Error

    try:
        session = tab.context.new_cdp_session(frame)
    except Error:  # It shares the page's process.
        session = tab.context.new_cdp_session(tab)
    root = session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    return json.dumps(root)


def wait_for_words(tab: Any, words: str) -> None:
    """Wait until the box shows them."""
    end = time.monotonic() + 90
    while True:
        boxes = [frame for frame in tab.frames if "/widget/" in frame.url]
        if any(words in html_of(tab, frame) for frame in boxes):
            return
        assert time.monotonic() < end, [frame.url for frame in tab.frames]
        tab.wait_for_timeout(200)


def test_a_question_is_asked_by_keyboard_on_a_page_of_another_site(
    server: httpx.Client, site: str, browser_page: Any
) -> None:
    tab = browser_page.new_page()
    tab.goto(site)
    assert tab.locator("iframe[title='Ask about this course']").get_attribute("sandbox").split()[0] == "allow-forms"
    wait_for_words(tab, "Your question")
    tab.keyboard.press("Tab")
    tab.keyboard.type("When is homework 3 due?")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    wait_for_words(tab, "19 February")
    tab.close()


def test_who_is_signed_in_elsewhere_asks_in_a_window_with_what_was_typed(
    own_home: Path, site: str, page: list[str], browser_page: Any
) -> None:
    with live(settings_in(own_home, allowed_hosts=("127.0.0.1", "edumod.example.edu"))) as shared:
        base, before = str(shared.base_url).rstrip("/"), page[0]
        page[0] = re.sub(r"http://127\.0\.0\.1:\d+", base, before)
        context = browser_page.new_context()
        tab = context.new_page()
        tab.goto(base + sign_in_path(own_home, "Grace", Role.STUDENT))
        tab.get_by_role("button", name="Sign in").click()
        tab.goto(site)
        wait_for_words(tab, "Ask in a new window")
        tab.keyboard.press("Tab")
        tab.keyboard.type("When is homework 3 due?")
        tab.keyboard.press("Tab")
        with context.expect_page(timeout=60_000) as opened:
            tab.keyboard.press("Enter")
        window = opened.value
        assert window.locator("#body").input_value(timeout=60_000) == "When is homework 3 due?"
        window.locator("form[data-ask] button.primary").click()
        window.wait_for_url("**/answers/*", timeout=90_000)
        context.close()
        page[0] = before


def test_a_page_of_a_site_that_is_not_listed_shows_no_box(
    server: httpx.Client, page: list[str], browser_page: Any
) -> None:
    with serving(page) as other:
        tab = browser_page.new_page()
        problems: list[str] = []
        tab.on("console", lambda message: problems.append(message.text))
        tab.goto(other)
        end = time.monotonic() + 60
        while not any("frame-ancestors" in text for text in problems):
            assert time.monotonic() < end, problems
            tab.wait_for_timeout(200)
        tab.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [600, 320])
def test_the_box_has_no_violations(server: httpx.Client, browser_page: Any, width: int, scheme: str) -> None:
    context = browser_page.new_context(color_scheme=scheme, viewport={"width": width, "height": 420})
    tab = context.new_page()
    address = f"{server.base_url}/widget/small"
    assert violations(tab, address, axe()) == []
    tab.get_by_label("Your question").fill("When is homework 3 due?")
    tab.get_by_role("button", name="Ask").click()
    tab.get_by_text("Another question").wait_for(timeout=90_000)
    tab.evaluate(axe())
    answered = tab.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)["violations"]
    assert [violation["id"] for violation in answered] == []
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()

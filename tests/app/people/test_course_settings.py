"""An instructor changes in the browser what the course file says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import ROLE_PERMISSIONS, Permission
from core.course import Course, ForumRules
from core.types import Role
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key
from tests.app.review.test_axe import axe, violations

PAGE = "/courses/small/settings"
FORUM = ForumRules(kind="ed", url="https://forum.example.edu")
COURSE = Course(id="small", title="Small", categories=("Labs", "Exams"), forum=FORUM)


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    home = tmp_path_factory.mktemp("settings")
    asyncio.run(ingest_all(settings_in(home), material, COURSE, Course(id="other")))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home)) as client:
        yield client


@pytest.fixture(scope="module")
def admin(own_home: Path) -> dict[str, str]:
    return headers(made_key(own_home, *ROLE_PERMISSIONS[Role.INSTRUCTOR]))


def form_of(page: str) -> dict[str, str]:
    """What a browser would send of the page as it is."""
    form = {name: unescape(value) for name, value in re.findall(r'name="(was:[\w.]+)" value="([^"]*)"', page)}
    shown = {name.removeprefix("was:"): text for name, text in form.items()}
    unticked = set(re.findall(r'type="checkbox" value="true"(?! checked)[^>]*name="([\w.]+)"', page))
    return form | {name: text for name, text in shown.items() if name not in unticked}


def save(server: httpx.Client, admin: dict[str, str], **typed: Any) -> httpx.Response:
    form = form_of(server.get(PAGE, headers=admin).text)
    return server.post(PAGE, data=form | typed, headers=admin, follow_redirects=True)


def error_of(page: str, key: str) -> str:
    """The error at a field."""
    given = re.search(rf'name="{key}" aria-describedby="([\w-]+) ([\w-]+)" aria-invalid="true"', page)
    shown = re.search(rf'id="{given[2]}">([^<]*)<', page) if given else None
    return shown[1] if shown else ""


def test_the_page_as_it_is_changes_nothing(server: httpx.Client, admin: dict[str, str]) -> None:
    assert "is changed." not in (page := save(server, admin)).text
    assert page.status_code == 200
    assert "Nothing was changed here yet" in page.text


def test_a_change_holds_says_who_made_it_and_is_taken_back(server: httpx.Client, admin: dict[str, str]) -> None:
    changed = {
        "title": "Small data",
        "review.due_hours": "8",
        "quotas.dollars_a_month": "12.5",
        "categories": "Labs\r\n",
    }
    page = save(server, admin, **changed).text
    assert "4 settings are changed." in page
    assert "the course file says 24." in page
    assert "<h1>Small data</h1>" in server.get("/courses/small", headers=admin).text
    back = save(server, admin, as_file=["title", "review.due_hours", "quotas.dollars_a_month", "categories"]).text
    assert "4 settings are changed." in back
    assert "; the course file says" not in back
    assert back.count("<code>review.due_hours</code>") == 2


def test_a_box_is_ticked_and_unticked(server: httpx.Client, admin: dict[str, str]) -> None:
    form = form_of(server.get(PAGE, headers=admin).text)
    assert "review.remind" in form
    del form["review.remind"]
    assert "1 setting is changed." in server.post(PAGE, data=form, headers=admin, follow_redirects=True).text
    assert "1 setting is changed." in save(server, admin, **{"review.remind": "true"}).text


@pytest.mark.parametrize(
    ("key", "text", "error"),
    [
        ("time_zone", "Vienna", "Is no IANA time zone; write one such as America/New_York or Europe/Vienna."),
        ("review.due_hours", "-1", "This must be a number above 0 and up to 720."),
        ("review.due_hours", "soon", "This must be a number above 0 and up to 720."),
        ("homework.tell_from", "1.5", "This must be a number from 0 to 1."),
        ("quotas.questions_a_day", "2.5", "This must be an integer from 0 to 1,000,000,000."),
        ("forum.posts_a_day", "0", "This must be an integer of 1 or more."),
        ("posting", "sometimes", "This must be `review`, `auto`, `shadow`."),
        ("title", "T" * 5000, "Write at most 4,000 characters."),
    ],
)
def test_a_wrong_value_is_named_at_its_field(
    server: httpx.Client, admin: dict[str, str], key: str, text: str, error: str
) -> None:
    page = save(server, admin, **{key: text, "style.tone": "Dry."})
    assert (page.status_code, unescape(error_of(page.text, key))) == (422, error)
    assert "Dry." in page.text, "what was typed elsewhere is kept"
    assert "Dry." not in server.get(PAGE, headers=admin).text


def test_an_unknown_pipeline_is_refused(server: httpx.Client, admin: dict[str, str]) -> None:
    assert save(server, admin, **{"defaults.pipeline": "magic"}).status_code == 422


def test_of_two_who_change_the_same_the_second_is_told(server: httpx.Client, admin: dict[str, str]) -> None:
    old = form_of(server.get(PAGE, headers=admin).text)
    save(server, admin, title="First")
    refused = server.post(PAGE, data=old | {"title": "Second"}, headers=admin)
    assert "Somebody else has changed this to 'First'" in unescape(error_of(refused.text, "title"))
    another = server.post(PAGE, data=old | {"style.tone": "Warm."}, headers=admin, follow_redirects=True)
    assert "1 setting is changed." in another.text
    assert "<h1>First</h1>" in server.get("/courses/small", headers=admin).text
    again = form_of(refused.text) | {"title": "Second"}
    assert "1 setting is changed." in server.post(PAGE, data=again, headers=admin, follow_redirects=True).text


def test_what_is_no_form_of_ours_is_refused_or_ignored(server: httpx.Client, admin: dict[str, str]) -> None:
    for form in ({}, {"id": "x", "was:id": "small"}, {"was:title": "x", "as_file": "documents"}):
        assert server.post(PAGE, data=form, headers=admin, follow_redirects=True).status_code in (200, 422)


def test_only_those_who_administer_the_course_see_its_settings(
    server: httpx.Client, own_home: Path, admin: dict[str, str]
) -> None:
    reader = headers(made_key(own_home, Permission.ANSWER, Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE))
    assert server.get(PAGE, headers=reader).status_code == 403
    for method in ("GET", "POST"):
        assert server.request(method, "/courses/other/settings", headers=admin).status_code == 403


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_has_no_violations_and_fits_a_phone(
    server: httpx.Client, browser_page: Any, width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    context = browser_page.new_context(java_script_enabled=True, **look)
    page = context.new_page()
    page.goto(f"{server.base_url}{PAGE}")
    page.get_by_label("Posting").select_option("shadow")
    page.get_by_label("Tell from").fill("2")
    page.get_by_role("button", name="Save").click()
    assert page.get_by_text("This must be a number from 0 to 1.").is_visible()
    page.get_by_label("Tell from").fill(".8")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("2 settings are changed.").wait_for()
    assert violations(page, page.url, axe()) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("Posting", "Tell from"):
        page.get_by_label(f"As in the course file: {name}").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("2 settings are changed.").wait_for()
    context.close()

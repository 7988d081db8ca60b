"""Keys, quotas and webhooks on the settings page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.course import Course
from core.quotas import Quotas
from core.store.people.audit import Audit
from core.store.store import Store
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import THROUGH_A_PROXY, headers, made_key
from tests.app.review.test_axe import axe, violations
from tests.servers.homes import database_of

ADMIN = (Permission.ANSWER, Permission.DRAFTS_READ, Permission.COURSE_ADMIN)
KEY = re.compile(r"edm_[0-9a-f]{12}_[\w-]{43}")


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    """A course with quotas, and another one."""
    home = tmp_path_factory.mktemp("settings")
    quotas = Quotas(questions_a_day=4, dollars_a_month=30)
    courses = (Course(id="small", title="Small", quotas=quotas), Course(id="other", title="Other"))
    asyncio.run(ingest_all(settings_in(home), material, *courses))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home, webhook_hosts=["forum.example.edu"])) as client:
        yield client


@pytest.fixture(scope="module")
def admin(own_home: Path) -> dict[str, str]:
    return headers(made_key(own_home, *ADMIN, name="an instructor"))


def made(server: httpx.Client, **form: Any) -> httpx.Response:
    asked = {"name": "forum bot", "course": "small", "scope": ["answer"], "days": "30"} | form
    sender = asked.pop("headers", {})
    return server.post("/settings/keys", data=asked, headers=sender)


def test_a_key_is_made_shown_once_and_revoked(server: httpx.Client, own_home: Path, admin: dict[str, str]) -> None:
    page = made(server, headers=admin, requests_a_day="50")
    assert page.status_code == 200, page.text
    key = KEY.findall(page.text)[0]
    assert key not in server.get("/settings", headers=admin).text
    asked = {"Authorization": f"Bearer {key}"} | THROUGH_A_PROXY
    assert [one["id"] for one in server.get("/courses", headers=asked).json()] == ["small"]
    listed = server.get("/settings", headers=admin).text
    assert "Requests today" in listed.split("forum bot")[1]
    key_id = key.split("_")[1]
    assert server.post(f"/settings/keys/{key_id}/revoke", headers=admin).status_code == 303
    assert server.get("/courses", headers=asked).status_code == 401
    actions = [(one.action, one.subject) for one in asyncio.run(entries(own_home))]
    assert ("key.create", key_id) in actions
    assert ("key.revoke", key_id) in actions


async def entries(home: Path) -> Any:
    store = await Store.open(database_of(home))
    found = await Audit(store.database).page()
    await store.aclose()
    return found


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"scope": ["drafts:decide"]}, 403),
        ({"scope": ["operator"], "course": "*"}, 403),
        ({"course": "other"}, 403),
        ({"course": "none"}, 403),
        ({"course": "*"}, 403),
        ({"scope": []}, 422),
        ({"scope": ["everything"]}, 422),
        ({"name": "  "}, 422),
        ({"days": "soon"}, 422),
        ({"days": "9" * 5000}, 422),
        ({"questions_a_day": "-1"}, 422),
        ({"questions_a_day": "9" * 30}, 422),
        ({"requests_a_day": str(2**63)}, 422),
        ({"dollars_a_month": "1e300"}, 422),
        ({"name": "x" * 201}, 422),
        ({"name": "forum\0bot"}, 422),
        ({"name": "forum\nbot"}, 422),
    ],
)
def test_nobody_makes_a_key_that_may_more_than_they_may(
    server: httpx.Client, admin: dict[str, str], form: dict[str, Any], status: int
) -> None:
    page = made(server, headers=admin, **form)
    assert page.status_code == status, page.text
    assert not KEY.findall(page.text)
    assert 'role="alert"' in page.text


def test_keys_of_other_courses_are_neither_seen_nor_revoked(
    server: httpx.Client, own_home: Path, admin: dict[str, str]
) -> None:
    foreign = made_key(own_home, Permission.ANSWER, courses=("other",), name="the other's bot")
    shared = made_key(own_home, Permission.ANSWER, courses=("small", "other"), name="a shared bot")
    page = server.get("/settings", headers=admin).text
    assert "the other&#39;s bot" not in page
    assert "a shared bot" in page
    for key in (foreign, shared):
        assert server.post(f"/settings/keys/{key.split('_')[1]}/revoke", headers=admin).status_code == 404
    assert server.get("/settings?course=other", headers=admin).status_code == 403
    everything = server.get("/settings").text
    assert "the other&#39;s bot" in everything
    assert "every course, later ones too" in everything


def test_quotas_show_what_is_used_and_when_they_open_again(server: httpx.Client, admin: dict[str, str]) -> None:
    question = {"course": "small", "question": {"body": "When is homework 3 due?"}}
    assert server.post("/answer", json=question, headers=admin).status_code == 200
    page = server.get("/settings?course=small", headers=admin).text
    assert re.search(r"Questions today</th>.*?> 1 <span[^>]*>of 4<", page, re.DOTALL)
    assert re.search(r"spending.*?\$0\.00 <span[^>]*>of \$30\.00<", page, re.DOTALL)
    assert "This course has no limits" in server.get("/settings?course=other").text


def test_navigation_shows_what_one_may_open(server: httpx.Client, own_home: Path, admin: dict[str, str]) -> None:
    def entries_of(sender: dict[str, str]) -> list[str]:
        nav = server.get("/", headers=sender).text.split("</nav>")[0]
        return re.findall(r"data-go=\"\w\">(\w+(?: \w+)?)", nav)

    student = headers(made_key(own_home, Permission.ANSWER, name="a student"))
    assert entries_of(student) == ["Ask", "My questions", "Courses"]
    assert entries_of(admin) == ["Ask", "My questions", "Review", "Courses", "Settings"]
    assert entries_of({}) == ["Ask", "My questions", "Review", "Courses", "Evaluations", "Settings"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_has_no_violations_fits_a_phone_and_needs_no_script(
    server: httpx.Client, browser_page: Any, width: int, scheme: str
) -> None:
    program = axe()
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    context = browser_page.new_context(**look)
    page = context.new_page()
    found = violations(page, f"{server.base_url}/settings?course=small", program)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
    context = browser_page.new_context(**look, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.base_url}/settings?course=small")
    page.get_by_text("Make a key").click()
    page.get_by_label("Name").fill("<b>bot</b>")
    page.get_by_label("answer", exact=True).check()
    page.get_by_role("button", name="Make the key").click()
    assert KEY.fullmatch(page.get_by_label("The new key").input_value())
    assert page.get_by_text("<b>bot</b>").count()
    page.get_by_label("New address").fill("https://forum.example.edu/hook")
    page.get_by_role("button", name="Add", exact=True).click()
    assert page.get_by_text("https://forum.example.edu/hook").count()
    context.close()
    assert found == []

"""An instructor invites people to a course, ends their roles, and sees to a student's data."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import ROLE_PERMISSIONS, Permission
from core.course import Course
from core.store.people.members import Member
from core.store.store import Store
from core.types import Role
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import THROUGH_A_PROXY, headers, made_key
from tests.app.review.test_axe import axe, violations
from tests.servers.homes import database_of

LINK = re.compile(r'value="http://[^/"]+(/sign-in/link/[\w-]+)"')
PAGE = "/courses/small/people"


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    home = tmp_path_factory.mktemp("people")
    asyncio.run(ingest_all(settings_in(home), material, Course(id="small"), Course(id="other")))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home)) as client:
        yield client


@pytest.fixture(scope="module")
def admin(own_home: Path) -> dict[str, str]:
    return headers(made_key(own_home, *ROLE_PERMISSIONS[Role.INSTRUCTOR]))


def member(home: Path, name: str, email: str | None, roles: dict[str, Role], *, is_operator: bool = False) -> Member:
    async def add() -> Member:
        store = await Store.open(database_of(home))
        added = await store.members.add(name, email, roles, is_operator=is_operator)
        await store.aclose()
        return added

    return asyncio.run(add())


def test_who_is_new_gets_a_link_that_signs_in_once(server: httpx.Client, admin: dict[str, str]) -> None:
    page = server.post(PAGE, data={"name": "Noor", "email": "noor@example.edu", "role": "ta"}, headers=admin)
    assert page.status_code == 200, page.text
    address = LINK.findall(page.text)[0]
    assert address not in server.get(PAGE, headers=admin).text
    assert server.post(address, headers=THROUGH_A_PROXY).status_code == 303
    server.cookies.clear()
    row = server.get(PAGE, headers=admin).text.partition("Noor</th>")[2]
    assert "Teaching assistant" in row[:200]


@pytest.mark.parametrize(
    ("roles", "is_operator"), [({"other": Role.INSTRUCTOR}, False), ({}, True)], ids=["another course's", "operator"]
)
def test_nobody_gets_a_link_of_somebody_who_may_do_more(
    server: httpx.Client, admin: dict[str, str], own_home: Path, roles: dict[str, Role], is_operator: bool
) -> None:
    email = f"{len(roles)}@example.edu"
    known = member(own_home, "Known", email, roles, is_operator=is_operator)
    page = server.post(PAGE, data={"name": "x", "email": email, "role": "ta"}, headers=admin)
    assert "has the role now" in page.text
    assert not LINK.findall(page.text)
    assert server.post(f"{PAGE}/{known.id}/link", headers=admin).status_code == 403
    as_name = server.post(PAGE, data={"name": email, "role": "ta"}, headers=admin)
    assert (as_name.status_code, LINK.findall(as_name.text)) == (422, [])


def test_nobody_gives_more_than_they_may_do(server: httpx.Client, admin: dict[str, str], own_home: Path) -> None:
    narrow = headers(made_key(own_home, Permission.ANSWER, Permission.COURSE_ADMIN))
    student = server.post(PAGE, data={"name": "Student", "role": "student"}, headers=narrow)
    assert LINK.findall(student.text)
    for role in ("ta", "instructor"):
        refused = server.post(PAGE, data={"name": f"A {role}", "role": role}, headers=narrow)
        assert (refused.status_code, LINK.findall(refused.text)) == (403, [])
    colleague = member(own_home, "Colleague", None, {"small": Role.INSTRUCTOR})
    assistant = member(own_home, "Assistant", None, {"small": Role.TA})
    assert server.post(f"{PAGE}/{colleague.id}/link", headers=admin).status_code == 403
    assert server.post(f"{PAGE}/{assistant.id}/link", headers=narrow).status_code == 403
    assert LINK.findall(server.post(f"{PAGE}/{assistant.id}/link", headers=admin).text)


def test_a_role_ends_in_this_course_alone(server: httpx.Client, admin: dict[str, str], own_home: Path) -> None:
    both = member(own_home, "Both", "both@example.edu", {"small": Role.TA, "other": Role.TA})
    stranger = member(own_home, "Stranger", None, {"other": Role.TA})
    assert server.post(f"{PAGE}/{both.id}/end", headers=admin).status_code == 303
    assert server.post(f"{PAGE}/{stranger.id}/end", headers=admin).status_code == 404
    assert "Both</th>" not in server.get(PAGE, headers=admin).text

    async def roles() -> dict[str, Role]:
        store = await Store.open(database_of(own_home))
        left = await store.members.get(both.id)
        await store.aclose()
        return left.roles

    assert asyncio.run(roles()) == {"other": Role.TA}


def test_a_students_data_is_counted_exported_and_deleted(server: httpx.Client, admin: dict[str, str]) -> None:
    asked = {"course": "small", "question": {"body": "When is homework 3 due?"}, "author": {"pseudonym": "s-17"}}
    assert server.post("/answer", json=asked, headers=admin).status_code == 200

    def ask_for(action: str) -> httpx.Response:
        return server.post(f"{PAGE}/student", data={"pseudonym": "s-17", "action": action}, headers=admin)

    assert "Stored about s-17:</strong> 1 drafts" in (counted := ask_for("count")).text
    assert "Delete all of it" in counted.text
    assert "When is homework 3 due?" in ask_for("export").text
    assert "Deleted about s-17" in ask_for("delete").text
    assert "Stored about s-17:</strong> nothing" in ask_for("count").text


@pytest.mark.parametrize(
    ("address", "form", "status"),
    [
        (PAGE, {"name": " "}, 422),
        (PAGE, {"name": "Kim", "role": "dean"}, 422),
        (PAGE, {"name": "K" * 300}, 422),
        (f"{PAGE}/student", {"pseudonym": ""}, 422),
        ("/courses/other/people", {"name": "Kim"}, 403),
        ("/courses/other/people/student", {"pseudonym": "s-17", "action": "delete"}, 403),
    ],
)
def test_what_cannot_be_done_is_refused(
    server: httpx.Client, admin: dict[str, str], address: str, form: Any, status: int
) -> None:
    assert server.post(address, data=form, headers=admin).status_code == status


def test_teaching_assistants_see_no_people(server: httpx.Client, own_home: Path) -> None:
    reader = headers(made_key(own_home, Permission.ANSWER, Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE))
    assert server.get(PAGE, headers=reader).status_code == 403


@pytest.fixture(scope="module")
def noor(own_home: Path) -> Member:
    return member(own_home, "Noor", "noor@example.edu", {"small": Role.TA})


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_has_no_violations_and_fits_a_phone(
    noor: Member, server: httpx.Client, browser_page: Any, width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    context = browser_page.new_context(**look)
    page = context.new_page()
    assert violations(page, f"{server.base_url}{PAGE}", axe()) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()

"""Signing in by a link that works once: sessions, their cookies and their forms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.people.cookies import SESSION
from app.routes.people import own_address
from core.store.tables import now
from tests.app.commands import edumod
from tests.app.live import live, settings_in
from tests.app.people.actors import THROUGH_A_PROXY
from tests.servers.homes import rows

ON_EACH_DATABASE = True


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


def browser(server: httpx.Client) -> httpx.Client:
    """A client with cookies of its own, behind a proxy."""
    return httpx.Client(base_url=server.base_url, headers=THROUGH_A_PROXY | {"Accept": "text/html"}, timeout=60)


def invited(home: Path, name: str, *arguments: str) -> Any:
    done = edumod(home, "people", "invite", name, *arguments, "--url", "http://edumod.test", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def path_of(invitation: Any) -> str:
    link: str = invitation["link"]
    assert link.startswith("http://edumod.test/sign-in/link/")
    return link.removeprefix("http://edumod.test")


@contextmanager
def signed_in(server: httpx.Client, home: Path, name: str, *arguments: str) -> Iterator[httpx.Client]:
    with browser(server) as client:
        assert client.post(path_of(invited(home, name, *arguments))).status_code == 303
        yield client


def csrf_of(page: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def test_a_link_signs_in_once_with_the_role_of_the_invitation(server: httpx.Client, home: Path) -> None:
    path = path_of(invited(home, "Ada Byron", "--course", "small", "--role", "ta"))
    with browser(server) as mine, browser(server) as second:
        assert "Ada Byron" in mine.get(path).text
        assert "Ada Byron" in mine.get(path).text, "Looking at the link, as mail programs do, does not use it up."
        assert mine.post(path).status_code == 303
        me = mine.get("/me").json()
        assert (me["name"], me["courses"]["small"]) == ("Ada Byron", ["answer", "drafts:decide", "drafts:read"])
        assert mine.get("/drafts").status_code == 200
        assert mine.get("/drafts?course=strict").status_code == 403
        assert mine.get("/metrics").status_code == 403
        assert second.post(path).status_code == 404
        assert second.get("/drafts").status_code == 401


def test_of_two_who_use_a_link_at_once_one_is_signed_in(server: httpx.Client, home: Path) -> None:
    path = path_of(invited(home, "Twice", "--operator"))
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: httpx.post(f"{server.base_url}{path}", timeout=60).status_code, range(8)))
    assert sorted(statuses) == [303] + [404] * 7


def test_an_old_link_is_refused(server: httpx.Client, home: Path) -> None:
    path = path_of(invited(home, "Late", "--operator"))
    rows(home, "UPDATE sign_in_link SET expires_at = :past", past=now() - timedelta(minutes=1))
    with browser(server) as mine:
        assert mine.get(path).status_code == 404
        assert mine.post(path).status_code == 404


def test_the_cookie_is_signed_and_out_of_reach_of_scripts_and_other_sites(server: httpx.Client, home: Path) -> None:
    path = path_of(invited(home, "Grace", "--operator"))
    plain = server.post(path, headers=THROUGH_A_PROXY | {"X-Forwarded-Proto": "https"}).headers["set-cookie"]
    attributes = {one.strip().lower() for one in plain.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/", "secure"} <= attributes
    value = plain.split(";")[0].removeprefix(f"{SESSION}=")
    server.cookies.clear()
    token = value.rpartition(".")[0]
    for changed, status in ((value, 200), (token, 401), (f"{value}x", 401), (f"{token}.{'x' * 27}", 401), ("", 401)):
        sent = server.get("/drafts", headers=THROUGH_A_PROXY | {"Cookie": f"other=1; {SESSION}={changed}"})
        assert sent.status_code == status, changed
    stored = json.dumps(rows(home, "SELECT * FROM session"), default=str)
    assert token not in stored


def test_a_form_must_come_from_a_page_of_the_same_session(server: httpx.Client, home: Path) -> None:
    with signed_in(server, home, "Form", "--operator") as mine, signed_in(server, home, "Other", "--operator") as other:
        form = {"course": "small", "body": "When is homework 3 due?"}
        own, foreign = csrf_of(mine.get("/").text), csrf_of(other.get("/").text)
        for token, status in ((own, 303), (foreign, 403), ("", 403), (None, 403)):
            sent = mine.post("/", data=form | ({"csrf": token} if token is not None else {}))
            assert sent.status_code == status, token
        question = {"course": "small", "question": {"body": "When is homework 3 due?"}}
        assert mine.post("/answer", json=question).status_code == 403
        assert mine.post("/answer", json=question, headers={"X-CSRF-Token": own}).status_code == 200


def test_whoever_signs_out_is_nobody_again_and_the_cookie_is_worthless(server: httpx.Client, home: Path) -> None:
    with signed_in(server, home, "Leaving", "--operator") as mine:
        kept = mine.cookies[SESSION]
        assert mine.post("/sign-out", data={"csrf": "wrong"}).status_code == 403
        assert mine.post("/sign-out", data={"csrf": csrf_of(mine.get("/sign-in").text)}).status_code == 303
        assert mine.get("/drafts").status_code == 401
        sent = server.get("/drafts", headers=THROUGH_A_PROXY | {"Cookie": f"{SESSION}={kept}"})
        assert sent.status_code == 401


def test_a_person_who_is_removed_is_signed_out(server: httpx.Client, home: Path) -> None:
    with signed_in(server, home, "Gone", "--email", "Gone@example.edu", "--course", "small") as mine:
        assert mine.get("/drafts").status_code == 200
        assert edumod(home, "people", "remove", "gone@example.edu", "--course", "small").returncode == 0
        assert mine.get("/drafts").status_code == 403
        assert edumod(home, "people", "remove", "gone@example.edu").returncode == 0
        assert mine.get("/drafts").status_code == 401


def test_someone_known_is_invited_again_by_their_address_and_keeps_their_roles(home: Path) -> None:
    first = invited(home, "Emmy", "--email", "emmy@example.edu", "--course", "small", "--role", "instructor")
    again = invited(home, "EMMY@example.edu", "--course", "strict", "--role", "student")
    assert (again["id"], again["name"]) == (first["id"], "Emmy")
    assert again["roles"] == {"small": "instructor", "strict": "student"}
    listed = edumod(home, "people", "list", "--course", "strict", "--json")
    assert [one["id"] for one in json.loads(listed.stdout)] == [first["id"]]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(("Nobody",), "--course"), (("Nobody", "--course", "smal"), "'small'"), (("N", "--role", "dean"), "dean")],
)
def test_an_invitation_to_nothing_is_refused(home: Path, arguments: tuple[str, ...], says: str) -> None:
    refused = edumod(home, "people", "invite", *arguments)
    assert (refused.returncode, says in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [("/review?kind=logistics", "/review?kind=logistics"), ("//evil.example", "/"), ("https://evil.example", "/"),
     ("/\\evil.example", "/"), ("", "/"), ("/a\nb", "/")],
)  # fmt: skip
def test_after_signing_in_one_stays_on_this_service(address: str, leads_to: str) -> None:
    assert own_address(address) == leads_to

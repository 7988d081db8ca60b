"""Every route x every role x every course, from the route table itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter

from app.features import FEATURES
from app.people.rules import ANYONE, needs, rules_of
from core.access import Access, Permission, Person, access_of_key
from core.errors import SetupError, Unauthenticated
from tests.app.live import live, settings_in
from tests.app.people.actors import (
    ACTORS,
    THROUGH_A_PROXY,
    headers,
    made_key,
    stored_draft,
    stored_evaluation,
    stored_quiz,
)
from tests.servers.homes import rows

ON_EACH_DATABASE = True
TABLE = rules_of(router for feature in FEATURES for router in feature.routers())
ROUTES = [(method, route.path, rule) for route, rule in TABLE for method in sorted(route.methods or ())]
SIGNED = "/forums/{course_id}/webhook"
"""Open to everybody, and refused to whoever has no signature of the course's forum."""
QUESTION = {"course": "small", "question": {"body": "When is homework 3 due?"}}


class Ids:
    """Ids of rows of one course, by the names that parameters of routes have."""

    def __init__(self, home: Path, course: str) -> None:
        draft, trace = stored_draft(home, course)
        query = "SELECT id, document_id FROM node WHERE kind = 'block' AND course_id = :course LIMIT 1"
        ((block, document),) = rows(home, query, course=course)
        place = {
            "course_id": course,
            "document_id": document,
            "block_id": block,
            "number": "1",
            "webhook_id": "w",
            "delivery_id": "d",
            "token": "x",
            "key_id": made_key(home, Permission.ANSWER, courses=(course,)).split("_")[1],
            "quiz_id": stored_quiz(home, course),
            "format_name": "json",
            "model": course,
            "person_id": "p",
            "job_id": "j",
            "evaluation_id": stored_evaluation(home, course),
        }
        self.values = {"draft_id": draft, "answer_id": draft, "trace_id": trace, **place}

    def path(self, template: str) -> str:
        """The address with the ids. A parameter that is not known here fails the test: name it above."""
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: self.values[found[1]], template)


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


@pytest.fixture(scope="module")
def keys(home: Path) -> dict[str, str | None]:
    return {"nobody": None} | {name: made_key(home, *scopes, name=name) for name, scopes in ACTORS.items()}


def allowed(actor: str, permission: Permission | None) -> bool:
    scopes = ACTORS.get(actor, ())
    return permission is None or permission in scopes or Permission.OPERATE in scopes


def sent(server: httpx.Client, method: str, path: str, made: str | None, **more: Any) -> httpx.Response:
    return server.request(method, path, headers=headers(made), **more)


@pytest.mark.parametrize("actor", ["nobody", *ACTORS])
def test_only_those_with_the_permission_of_a_route_reach_it(
    server: httpx.Client, home: Path, keys: dict[str, str | None], actor: str
) -> None:
    mine = Ids(home, "small")
    refused = 401 if actor == "nobody" else 403
    for method, template, rule in ROUTES:
        # Not the body that the route wants: what is refused is refused before a body is read.
        response = sent(server, method, mine.path(template), keys[actor], content=b"{")
        may = allowed(actor, rule.permission)
        if template == SIGNED:
            assert response.status_code in (401, 403, 404)
            continue
        assert (response.status_code == refused) is not may, (actor, method, template, response.status_code)


@pytest.mark.parametrize("actor", ["nobody", "student", "ta", "instructor"])
def test_nothing_of_another_course_is_seen_or_changed(
    server: httpx.Client, home: Path, keys: dict[str, str | None], actor: str
) -> None:
    foreign = Ids(home, "strict")
    for method, template, _ in ROUTES:
        path = foreign.path(template)
        response = sent(server, method, path, keys[actor], params={"course": "strict"})
        assert "the secret of strict" not in response.text, (actor, method, template)
        if "{token}" not in template and path != template:
            # 422: the body that is missing is demanded before anything is looked up.
            assert response.status_code in (401, 403, 404, 422), (actor, method, template, response.status_code)


def test_an_operator_sees_every_course(server: httpx.Client, home: Path, keys: dict[str, str | None]) -> None:
    for course in ("small", "strict"):
        ids = Ids(home, course)
        for template in ("/answers/{answer_id}", "/traces/{trace_id}"):
            assert f"the secret of {course}" in sent(server, "GET", ids.path(template), keys["operator"]).text


def test_a_question_about_another_course_is_refused_whether_that_exists_or_not(
    server: httpx.Client, keys: dict[str, str | None]
) -> None:
    for course in ("strict", "none-such"):
        response = sent(server, "POST", "/answer", keys["student"], json={**QUESTION, "course": course})
        assert (response.status_code, response.json()["type"]) == (403, "urn:edumod:problem:forbidden")
        assert course not in response.json()["detail"]


def test_lists_hold_the_courses_of_the_key_alone(server: httpx.Client, home: Path, keys: dict[str, str | None]) -> None:
    mine, foreign = Ids(home, "small").values["draft_id"], Ids(home, "strict").values["draft_id"]
    assert [one["id"] for one in sent(server, "GET", "/courses", keys["student"]).json()] == ["small"]
    listed = sent(server, "GET", "/drafts?limit=100", keys["ta"]).json()["drafts"]
    ids = {one["id"] for one in listed}
    assert mine in ids
    assert foreign not in ids
    page = sent(server, "GET", "/", keys["student"]).text
    assert '<option value="small"' in page
    assert '<option value="strict"' not in page


def test_whoever_asked_sees_the_answer_and_its_trace_and_another_student_does_not(
    server: httpx.Client, home: Path, keys: dict[str, str | None]
) -> None:
    answered = sent(server, "POST", "/answer", keys["student"], json=QUESTION).json()
    other = made_key(home, Permission.ANSWER)
    for path in (f"/answers/{answered['draft_id']}", f"/traces/{answered['trace_id']}"):
        statuses = [sent(server, "GET", path, one).status_code for one in (keys["student"], keys["ta"], other)]
        assert statuses == [200, 200, 404]


def test_without_a_proxy_everything_on_this_machine_works_without_a_key(server: httpx.Client, home: Path) -> None:
    ids = Ids(home, "strict")
    assert server.get(ids.path("/answers/{answer_id}")).status_code == 200
    assert server.get("/drafts").status_code == 200
    assert server.post("/answer", json=QUESTION).status_code == 200


@pytest.mark.parametrize("hosts", [("0.0.0.0",), ("127.0.0.1", "edumod.example.edu"), ("::",)])
def test_a_service_for_other_hosts_needs_keys_on_its_own_machine_too(home: Path, hosts: tuple[str, ...]) -> None:
    with live(settings_in(home, allowed_hosts=hosts)) as client:
        assert client.get("/drafts").status_code == 401
        assert client.get("/healthz").status_code == 200


def test_a_browser_is_told_on_a_page_that_it_must_sign_in(server: httpx.Client) -> None:
    page = server.get("/", headers=THROUGH_A_PROXY | {"Accept": "text/html"})
    assert (page.status_code, page.headers["www-authenticate"]) == (401, "Bearer")
    assert "sign in" in page.text
    assert page.text.startswith("<!doctype html>")


def test_a_route_without_a_rule_stops_the_service() -> None:
    router = APIRouter()
    router.get("/open", dependencies=[ANYONE])(lambda: None)
    router.get("/forgotten")(lambda: None)
    with pytest.raises(SetupError, match="/forgotten"):
        rules_of([router])


def test_a_route_with_two_rules_stops_the_service() -> None:
    router = APIRouter(dependencies=[ANYONE])
    router.get("/both", dependencies=[needs(Permission.OPERATE)])(lambda: None)
    with pytest.raises(SetupError, match="/both"):
        rules_of([router])


def test_nobody_acts_without_having_signed_in() -> None:
    with pytest.raises(Unauthenticated):
        _ = Access(None).actor


def test_a_key_for_no_course_in_particular_is_for_those_that_come_later() -> None:
    unbound = access_of_key(Person("key-1", "bot"), [Permission.ANSWER], None)
    assert unbound.may(Permission.ANSWER, "later")
    assert not unbound.may(Permission.DRAFTS_READ)
    assert unbound.courses(Permission.ANSWER) is None


def test_an_idempotency_key_is_its_clients_own(server: httpx.Client, home: Path) -> None:
    first, second = (headers(made_key(home, Permission.ANSWER, name=name)) for name in ("one bot", "other bot"))
    drafts = [
        server.post("/answer", json=QUESTION, headers={**one, "Idempotency-Key": "thread-77"}).json()["draft_id"]
        for one in (first, second, first)
    ]
    assert drafts[0] == drafts[2] != drafts[1]


def test_an_unknown_view_of_the_queue_is_the_first_one(server: httpx.Client) -> None:
    assert server.get("/review?view=x").status_code == 200

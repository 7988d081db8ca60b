"""People enter from a platform: who gets in as what, what is refused, members, links and frames."""

from __future__ import annotations

import asyncio
import hmac
import html
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from jwt.utils import base64url_encode

from app.doors.lti.registration import new_platform
from app.doors.lti.roles import role_of
from app.edge.origins import FROM_ELSEWHERE
from app.features import FEATURES
from app.people.rules import Rule, rules_of
from core.store.store import Store
from core.store.tables import LtiLinkRow
from core.types import Role
from tests.app.commands import edumod
from tests.app.live import live, settings_in
from tests.app.people.actors import THROUGH_A_PROXY
from tests.doubles.lti_platform import (
    ADMINISTRATOR,
    ASSISTANT,
    CLAIM,
    INSTRUCTOR,
    LEARNER,
    PlatformDouble,
    new_key,
    running_platform,
)
from tests.servers.homes import database_of, rows

ON_TOP = {**THROUGH_A_PROXY, "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"}
"""A navigation of a whole window that another site began."""
IN_A_FRAME = ON_TOP | {"Sec-Fetch-Dest": "iframe"}
FAR_AHEAD = int(time.time()) + 10**6


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


@pytest.fixture
def platform(home: Path, server: httpx.Client) -> Iterator[PlatformDouble]:
    """A platform that is registered, and whose course `course-9` is `small`."""
    with running_platform() as double:
        double.tool = str(server.base_url).rstrip("/")
        own_id = register(home, double)
        yield double
        store_of(home, lambda store: store.lti.remove(own_id))


def store_of(home: Path, work: Callable[[Store], Awaitable[None]]) -> None:
    async def run() -> None:
        store = await Store.open(database_of(home))
        await work(store)
        await store.aclose()

    # In a thread: a browser may run an event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(run())).result()


def register(home: Path, platform: PlatformDouble) -> str:
    """The id of the platform, whose course is `small`."""
    urls = (f"{platform.url}/{path}" for path in ("auth", "token", "keys"))
    row = new_platform(platform.url, platform.client_id, *urls)
    link = LtiLinkRow(
        platform_id=row.id, deployment_id=platform.deployment, context_id=platform.context, course_id="small"
    )

    async def work(store: Store) -> None:
        await store.lti.put(row.model_copy())
        await store.lti.put_link(link)

    store_of(home, work)
    return row.id


class Visit:
    """One login in one browser, up to the platform's message."""

    def __init__(self, server: httpx.Client, platform: PlatformDouble, **sent: str) -> None:
        self.server, self.platform = server, platform
        answer = server.get("/lti/login", params=platform.login | sent, headers=ON_TOP)
        assert answer.status_code == 303, answer.text
        self.cookie = answer.headers["Set-Cookie"].partition(";")[0]
        self.query = dict(parse_qsl(urlsplit(answer.headers["Location"]).query))

    def enter(self, token: str | None = None, *, path: str = "/lti/launch", **more: Any) -> httpx.Response:
        """Send the platform's message; without a `token`, that of a student with `more` claims."""
        token = token or self.platform.sign(self.claims(**more))
        form = {"state": self.query["state"], "id_token": token}
        headers = {**ON_TOP, "Origin": self.platform.url, "Cookie": self.cookie}
        return self.server.post(path, data=form, headers=headers)

    def claims(self, roles: list[str] = LEARNER, **changes: Any) -> dict[str, Any]:
        return self.platform.claims(self.query["nonce"], roles, **changes)


def session_of(entered: httpx.Response) -> dict[str, str]:
    """The headers of later requests of that browser."""
    cookies = entered.headers.get_list("Set-Cookie")
    return {**THROUGH_A_PROXY, "Cookie": next(one for one in cookies if "session" in one).partition(";")[0]}


def test_a_student_enters_without_an_account_and_asks(server: httpx.Client, platform: PlatformDouble) -> None:
    visit = Visit(server, platform)
    assert visit.query["response_mode"] == "form_post"
    assert visit.query["lti_message_hint"] == "m"
    entered = visit.enter()
    assert (entered.status_code, entered.headers["Location"]) == (303, "/")
    me = server.get("/me", headers=session_of(entered)).json()
    assert "Ada Byron" in str(me)
    page = server.get("/", headers=session_of(entered)).text
    assert '<option value="small"' in page
    assert '<option value="strict"' not in page
    assert server.get("/drafts", headers=session_of(entered)).status_code == 403


@pytest.mark.parametrize(("roles", "status"), [(LEARNER, 403), (ASSISTANT, 200), (INSTRUCTOR, 200)])
def test_staff_of_the_platforms_course_are_staff_here(
    server: httpx.Client, platform: PlatformDouble, roles: list[str], status: int
) -> None:
    entered = Visit(server, platform).enter(roles=roles)
    assert server.get("/drafts", headers=session_of(entered)).status_code == status


def test_the_role_is_what_the_platform_said_last(server: httpx.Client, platform: PlatformDouble) -> None:
    was = session_of(Visit(server, platform).enter(roles=INSTRUCTOR))
    Visit(server, platform).enter(roles=LEARNER)
    assert server.get("/drafts", headers=was).status_code == 403


def test_sub_roles_and_short_names_are_understood_and_roles_elsewhere_give_none() -> None:
    membership = "http://purl.imsglobal.org/vocab/lis/v2/membership"
    assert role_of(ASSISTANT) is Role.TA
    assert role_of([f"{membership}/instructor#TeachingAssistant"]) is Role.TA
    assert role_of(["Instructor"]) is Role.INSTRUCTOR
    assert role_of([*ADMINISTRATOR, *LEARNER]) is Role.STUDENT
    assert role_of([f"{membership}#Mentor", f"{membership}evil#Instructor"]) is None


@pytest.mark.parametrize("name", ["Instructor", "TeachingAssistant", "Grader", "GuestLearner"])
def test_a_learner_stays_a_student_whatever_the_sub_role_is_called(name: str) -> None:
    """The vocabulary has `membership/Learner#Instructor`, a kind of learner."""
    membership = "http://purl.imsglobal.org/vocab/lis/v2/membership"
    assert role_of([f"{membership}#Learner", f"{membership}/Learner#{name}"]) is Role.STUDENT
    assert role_of([f"{membership}/Learner#{name}"]) is Role.STUDENT


def test_who_has_no_role_in_the_course_is_refused(server: httpx.Client, platform: PlatformDouble) -> None:
    refused = Visit(server, platform).enter(roles=ADMINISTRATOR)
    assert refused.status_code == 403
    assert "no role" in refused.text


def test_a_message_is_accepted_once(server: httpx.Client, platform: PlatformDouble) -> None:
    visit = Visit(server, platform)
    token = platform.sign(visit.claims())
    assert visit.enter(token).status_code == 303
    replayed = visit.enter(token)
    assert (replayed.status_code, "used before" in replayed.text) == (401, True)


WRONG: dict[str, dict[str, Any]] = {
    "of another issuer": {"iss": "https://elsewhere.example.edu"},
    "for another tool": {"aud": "tool-2"},
    "for several tools without naming us": {"aud": ["tool-1", "tool-2"]},
    "that has ended": {"exp": int(time.time()) - 3600},
    "without an end": {"exp": None},
    "of an hour ago": {"iat": int(time.time()) - 3600, "exp": FAR_AHEAD},
    "of tomorrow": {"iat": FAR_AHEAD, "exp": FAR_AHEAD + 60},
    "of another login": {"nonce": "x"},
    "without a nonce": {"nonce": None},
    "of nobody": {"sub": None},
    "of another version": {f"{CLAIM}version": "1.1"},
    "of another kind": {f"{CLAIM}message_type": "LtiSubmissionReviewRequest"},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_a_message_is_refused(server: httpx.Client, platform: PlatformDouble, changes: dict[str, Any]) -> None:
    refused = Visit(server, platform).enter(**changes)
    assert (refused.status_code, "set-cookie" in refused.headers) == (401, False)


@pytest.mark.parametrize("changes", [{f"{CLAIM}deployment_id": "d-2"}, {f"{CLAIM}context": {"id": "course-10"}}])
def test_a_course_that_is_not_linked_is_refused(
    server: httpx.Client, platform: PlatformDouble, changes: dict[str, Any]
) -> None:
    refused = Visit(server, platform).enter(**changes)
    assert (refused.status_code, "linked to no course" in refused.text) == (403, True)


def unsigned(platform: PlatformDouble, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, "", "none", headers={"kid": "k1"})


def signed_with_the_public_key(platform: PlatformDouble, claims: dict[str, Any]) -> str:
    """HS256, with the platform's public key as the shared secret. By hand: the library refuses to do it."""
    public = platform.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "typ": "JWT", "kid": "k1"}, claims)]
    signed = b".".join(map(base64url_encode, parts))
    return (signed + b"." + base64url_encode(hmac.digest(public, signed, "sha256"))).decode()


def signed_by_another(platform: PlatformDouble, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, new_key(), "RS256", headers={"kid": "k1"})


def of_an_unlisted_key(platform: PlatformDouble, claims: dict[str, Any]) -> str:
    return platform.sign(claims, kid="k2")


def with_a_key_of_its_own(platform: PlatformDouble, claims: dict[str, Any]) -> str:
    other = new_key()
    own = jwt.algorithms.RSAAlgorithm.to_jwk(other.public_key(), as_dict=True)
    return jwt.encode(claims, other, "RS256", headers={"kid": "k1", "jwk": own, "jku": f"{platform.url}/evil"})


@pytest.mark.parametrize(
    "forge", [unsigned, signed_with_the_public_key, signed_by_another, of_an_unlisted_key, with_a_key_of_its_own]
)
def test_a_forged_message_is_refused(
    server: httpx.Client, platform: PlatformDouble, forge: Callable[[PlatformDouble, dict[str, Any]], str]
) -> None:
    visit = Visit(server, platform)
    assert visit.enter(forge(platform, visit.claims(INSTRUCTOR))).status_code == 401
    assert "/evil" not in platform.paths


def test_a_login_belongs_to_the_browser_that_began_it(server: httpx.Client, platform: PlatformDouble) -> None:
    mine, other = Visit(server, platform), Visit(server, platform)
    stolen = platform.sign(mine.claims())
    mine.cookie = other.cookie
    assert mine.enter(stolen).status_code == 401
    mine.cookie = "edumod_lti_x=1"
    assert "another browser" in mine.enter(stolen).text


def test_the_keys_of_a_platform_may_change(server: httpx.Client, platform: PlatformDouble) -> None:
    assert Visit(server, platform).enter().status_code == 303
    assert platform.paths.count("/keys") == 1
    assert Visit(server, platform).enter().status_code == 303
    assert platform.paths.count("/keys") == 1


@pytest.mark.parametrize(
    ("sent", "status"), [({"iss": "https://unknown"}, 422), ({"login_hint": ""}, 422), ({"client_id": "x"}, 422)]
)
def test_a_login_of_nobody_known_leads_nowhere(
    server: httpx.Client, platform: PlatformDouble, sent: dict[str, str], status: int
) -> None:
    answer = server.get("/lti/login", params=platform.login | sent, headers=ON_TOP)
    assert (answer.status_code, "Location" in answer.headers) == (status, False)


def test_in_a_frame_a_button_opens_a_window_and_carries_the_login_on(
    server: httpx.Client, platform: PlatformDouble
) -> None:
    framed = server.get("/lti/login", params=platform.login, headers=IN_A_FRAME)
    assert framed.status_code == 200
    assert "frame-ancestors *" in framed.headers["Content-Security-Policy"]
    assert 'target="_blank"' in framed.text
    assert "set-cookie" not in framed.headers
    (address,) = re.findall(r'href="(/lti/login[^"]+)"', framed.text)
    continued = server.get(html.unescape(address), headers=THROUGH_A_PROXY)
    assert continued.status_code == 303
    assert continued.headers["Location"].startswith(f"{platform.url}/auth?")
    assert {"Secure", "SameSite=None", "Partitioned", "HttpOnly"} <= set(continued.headers["Set-Cookie"].split("; "))


def test_errors_show_in_the_frame_too(server: httpx.Client) -> None:
    refused = server.get("/lti/login", headers=IN_A_FRAME)
    assert refused.status_code == 422
    assert "frame-ancestors *" in refused.headers["Content-Security-Policy"]


def test_only_these_addresses_take_forms_of_other_sites(server: httpx.Client) -> None:
    assert server.post("/", data={"course": "small"}, headers=IN_A_FRAME).status_code == 403
    assert server.post("/sign-out", headers=IN_A_FRAME).status_code == 403


def test_members_names_become_pseudonyms_and_who_left_loses_the_role(
    server: httpx.Client, home: Path, platform: PlatformDouble
) -> None:
    def member(number: int, name: str, roles: list[str] = LEARNER, **more: str) -> dict[str, Any]:
        return {"user_id": f"u{number}", "name": name, "roles": roles, **more}

    entered = session_of(Visit(server, platform).enter())
    platform.members = [
        member(1, "Ada Byron"),
        member(2, "Grace Hopper", email="grace@example.edu"),
        {"user_id": "u3", "roles": LEARNER},
        member(4, "Alan Turing", status="Inactive"),
        member(5, "Kurt Gödel", ASSISTANT),
    ]
    done = edumod(home, "lti", "roster", "small", "--json")
    assert done.returncode == 0, done.stderr
    names = {row[0] for row in rows(home, "SELECT name FROM roster WHERE pseudonym LIKE 'lti-%'")}
    assert names == {"Ada Byron", "Grace Hopper", "Kurt Gödel"}
    assert platform.paths.count("/members") >= 3
    assert server.get("/", headers=entered).status_code == 200
    platform.members = platform.members[1:]
    assert '"left": 1' in edumod(home, "lti", "roster", "small", "--json").stdout
    assert server.get("/", headers=entered).status_code == 403


def test_the_first_who_enters_has_the_members_read(server: httpx.Client, home: Path, platform: PlatformDouble) -> None:
    platform.members = [{"user_id": "u8", "name": "Emmy Noether", "roles": LEARNER}]
    Visit(server, platform).enter()
    end = time.monotonic() + 20
    while "/members" not in platform.paths and time.monotonic() < end:
        time.sleep(0.05)
    assert "/members" in platform.paths
    again = platform.paths.count("/members")
    Visit(server, platform).enter()
    assert platform.paths.count("/members") == again


def test_a_list_of_members_that_leads_elsewhere_is_not_followed(
    server: httpx.Client, home: Path, platform: PlatformDouble
) -> None:
    Visit(server, platform).enter()
    platform.page_of_members = lambda number: ({"members": []}, "http://127.0.0.1:1/x")  # type: ignore[method-assign]
    done = edumod(home, "lti", "roster", "small")
    assert "another host" in done.stderr


def test_staff_add_a_link_to_the_course_and_students_do_not(server: httpx.Client, platform: PlatformDouble) -> None:
    target = {"target_link_uri": f"{platform.tool}/lti/choose"}
    visit = Visit(server, platform, **target)
    page = visit.enter(path="/lti/choose", roles=INSTRUCTOR, **platform.choice_claims())
    assert page.status_code == 200, page.text
    assert f"form-action {platform.url}" in page.headers["Content-Security-Policy"]
    (token,) = re.findall(r'name="JWT" value="([^"]+)"', page.text)
    httpx.post(f"{platform.url}/links", data={"JWT": token}).raise_for_status()
    assert platform.links == [
        {"type": "ltiResourceLink", "title": "Ask about Small", "url": f"{platform.tool}/lti/launch"}
    ]
    refused = Visit(server, platform, **target).enter(path="/lti/choose", **platform.choice_claims())
    assert refused.status_code == 403


def test_the_commands_register_list_and_remove(home: Path, tmp_path: Path) -> None:
    unsafe = edumod(home, "lti", "add", "https://x", "c", "--auth-url=http://x.edu/a", "--token-url=https://x.edu/t",
                    "--jwks-url=https://x.edu/k")  # fmt: skip
    assert (unsafe.returncode, "https://" in unsafe.stderr) == (2, True)
    safe = [f"--{name}-url=https://x.edu/{name}" for name in ("auth", "token", "jwks")]
    added = edumod(home, "lti", "add", "https://x", "c", *safe, "--url", "https://edumod.example.edu")
    assert "https://edumod.example.edu/lti/launch" in added.stdout
    assert edumod(home, "lti", "link", "https://x", "--course", "none", "--deployment", "1").returncode == 2
    assert "no course" in edumod(home, "lti", "list").stdout
    assert edumod(home, "lti", "remove", "https://x").returncode == 0
    assert "https://x " not in edumod(home, "lti", "list").stdout
    assert edumod(home, "lti", "remove", "https://x").returncode == 2


def test_an_account_at_a_platform_is_no_account_elsewhere(
    server: httpx.Client, home: Path, platform: PlatformDouble
) -> None:
    entered = Visit(server, platform).enter(sub="ada", email="ada@example.edu")
    assert parse_qs(urlsplit(entered.headers["Location"]).query) == {}
    ((issuer, email),) = rows(home, "SELECT issuer, email FROM person WHERE subject = 'ada'")
    assert issuer.startswith("lti:")
    assert email is None


def test_in_a_browser_the_button_of_the_frame_leads_into_the_course(
    server: httpx.Client, platform: PlatformDouble, browser_page: Any
) -> None:
    context = browser_page.new_context()
    tab = context.new_page()
    tab.goto(f"{platform.url}/course")
    button = tab.frame_locator("iframe[title=EduMod]").get_by_role("link", name="Open in a new window")
    with context.expect_page() as opened:
        button.click(timeout=60_000)
    window = opened.value
    window.wait_for_url(f"{platform.tool}/", timeout=60_000)
    assert window.locator(".who").inner_text() == "Ada Byron"
    assert window.get_by_label("Your question").or_(window.get_by_label("Question")).count()
    cookies = {one["name"]: one for one in context.cookies(platform.tool)}
    assert cookies["edumod_session"]["sameSite"] == "Lax"
    context.close()


def test_forms_of_other_sites_go_where_the_route_itself_checks_them() -> None:
    table = rules_of(router for feature in FEATURES for router in feature.routers())
    assert {route.path for route, rule in table if rule == Rule(None, checks_form=False)} == FROM_ELSEWHERE

"""Requests meant for another host, or sent by the page of another site, are refused."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from app.edge.hosts import Hosts
from core.access import Permission
from core.errors import SetupError
from core.settings import read_settings
from tests.app.edge.raw import Raw
from tests.app.live import live, settings_in
from tests.app.people.actors import made_key

QUESTION = {"course": "small", "question": {"body": "When is homework 3 due?"}}


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/courses", "/nope"])
def test_a_foreign_host_is_refused_on_every_path(client: httpx.Client, path: str) -> None:
    response = client.get(path, headers={"Host": "evil.example"})
    assert (response.status_code, response.json()["type"]) == (421, "urn:edumod:problem:foreign-host")
    assert "EDUMOD_ALLOWED_HOSTS" in response.json()["detail"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:9", "[::1]", "[::1]:8000"])
def test_this_machine_is_known_by_its_names_at_any_port(client: httpx.Client, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["", "127.0.0.1:x", "127.0.0.1:99999", "127.0.0.1@evil.example", "evil.example/localhost", "localhost,evil.example",
     "localhost.evil.example", "[::1", "127.0.0.2", "10.0.0.1", "localhost:80:80", "local host"],
)  # fmt: skip
def test_a_host_that_is_malformed_or_another_address_is_refused(client: httpx.Client, host: str) -> None:
    with Raw(client) as raw:
        raw.request("GET", "/healthz", host=host)
        assert raw.reply().status == 421


@pytest.mark.parametrize("hosts", [(), ("localhost", "localhost"), ("localhost", "evil.example")])
def test_a_request_names_its_host_exactly_once(client: httpx.Client, hosts: tuple[str, ...]) -> None:
    with Raw(client) as raw:
        raw.send(b"GET /healthz HTTP/1.1\r\n" + b"".join(b"Host: %s\r\n" % one.encode() for one in hosts) + b"\r\n")
        assert raw.reply().status == 421


def test_further_hosts_are_a_setting(home: Path) -> None:
    with live(settings_in(home, allowed_hosts=("api", "*.Example.edu"))) as client:
        for host, status in (
            ("api:8000", 200), ("course.example.edu", 200), ("a.b.example.EDU:443", 200),
            ("example.edu", 421), ("badexample.edu", 421), ("api.evil.example", 421),
        ):  # fmt: skip
            assert client.get("/healthz", headers={"Host": host}).status_code == status


@pytest.mark.parametrize("server", ["192.168.1.5", "::ffff:192.168.1.5"])
def test_the_address_that_a_connection_came_in_on_is_allowed(server: str) -> None:
    hosts = Hosts(())
    assert hosts.permit(b"192.168.1.5:8000", server)
    assert not hosts.permit(b"192.168.1.6:8000", server)
    assert hosts.permit(b"[fe80::1]", "fe80::1%eth0")
    assert not hosts.permit(b"server.example", "server.example")


@pytest.mark.parametrize("wrong", ["http://api", "api:8000", "*", "a.*.edu", "", "a b"])
def test_an_allowed_host_that_is_not_a_name_is_named(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("EDUMOD_ALLOWED_HOSTS", f'["{wrong}"]')
    with pytest.raises(SetupError, match="EDUMOD_ALLOWED_HOSTS"):
        read_settings()


@pytest.mark.parametrize("path", ["/answer", "/"])
@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}, {"Origin": ""},
     {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
     {"Origin": "file://"}, {"Origin": "http://127.0.0.1:x"}],
)  # fmt: skip
def test_a_post_from_another_site_is_refused(client: httpx.Client, path: str, headers: dict[str, str]) -> None:
    response = client.post(path, json=QUESTION, headers=headers)
    assert (response.status_code, response.json()["type"]) == (403, "urn:edumod:problem:foreign-origin")


def test_a_post_from_our_own_page_is_answered(client: httpx.Client) -> None:
    headers = {"Origin": str(client.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert client.post("/answer", json=QUESTION, headers=headers).status_code == 200


def test_an_origin_is_the_hosts_own_with_or_without_the_usual_port(home: Path) -> None:
    made = made_key(home, Permission.ANSWER)
    with live(settings_in(home, allowed_hosts=("edumod.example.edu",))) as client:
        for origin, host in (
            ("https://edumod.example.edu", "edumod.example.edu"),
            ("https://EduMod.example.edu", "edumod.example.edu:443"),
            ("http://edumod.example.edu:80", "edumod.example.edu"),
        ):
            headers = {"Origin": origin, "Host": host, "Authorization": f"Bearer {made}"}
            assert client.post("/answer", json=QUESTION, headers=headers).status_code == 200


def test_another_site_may_link_to_a_page(client: httpx.Client) -> None:
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200

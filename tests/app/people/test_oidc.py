"""Signing in with an account elsewhere, at a real provider."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.people.oidc import Provider
from core.errors import SetupError, Unauthenticated
from core.store.store import Store
from core.types import Role
from tests.app.live import live, settings_in
from tests.app.people.actors import THROUGH_A_PROXY
from tests.servers.homes import database_of

VERIFIED = {"email": "ada@example.edu", "email_verified": True}


@contextmanager
def provider(**claims: dict[str, object]) -> Iterator[str]:
    """The issuer's address; accounts by subject, with their claims."""
    with warnings.catch_warnings(action="ignore"):
        # Its own dependencies are deprecated in parts.
        from oidc_provider_mock import User, run_server_in_thread

        users = [User(sub=sub, claims=own) for sub, own in claims.items()]
        with run_server_in_thread(require_nonce=True, user_claims=users) as server:
            yield f"http://localhost:{server.server_port}"


@contextmanager
def signing_in(home: Path, issuer: str) -> Iterator[httpx.Client]:
    """A browser in front of a service whose people sign in at that provider."""
    settings = settings_in(home, oidc_issuer=issuer, oidc_client_id="edumod", oidc_client_secret="s")
    with live(settings) as client:
        client.headers.update(THROUGH_A_PROXY)
        yield client


def authorized(client: httpx.Client, subject: str) -> str:
    """The address on this service to which the provider sends the browser back."""
    begun = client.get("/sign-in/oidc", params={"next": "/drafts"})
    assert begun.status_code == 303
    address = begun.headers["location"]
    asked = parse_qs(urlsplit(address).query)
    assert asked["code_challenge_method"] == ["S256"]
    back = httpx.post(address, data={"sub": subject})
    assert back.status_code == 302, back.text
    return str(back.headers["location"])


def invite(home: Path, email: str) -> None:
    async def add() -> None:
        store = await Store.open(database_of(home))
        await store.members.add("Ada", email, {"small": Role.TA})
        await store.aclose()

    asyncio.run(add())


def test_an_invited_person_signs_in_with_a_verified_address_and_is_known_afterwards(home: Path) -> None:
    invite(home, "ada@example.edu")
    with provider(ada=VERIFIED, changed={}) as issuer, signing_in(home, issuer) as client:
        back = client.get(authorized(client, "ada"))
        assert (back.status_code, back.headers["location"]) == (303, "/drafts")
        assert client.get("/me").json()["courses"] == {"small": ["answer", "drafts:decide", "drafts:read"]}
        client.cookies.clear()
        assert client.get(authorized(client, "ada")).status_code == 303
        client.cookies.clear()
        assert client.get(authorized(client, "changed")).status_code == 401


@pytest.mark.parametrize(
    "claims",
    [{"email": "eve@example.edu", "email_verified": True}, {"email": "bob@example.edu", "email_verified": False},
     {"email": "bob@example.edu"}, {}],
)  # fmt: skip
def test_an_account_that_nobody_invited_or_whose_address_is_not_verified_is_refused(
    home: Path, claims: dict[str, object]
) -> None:
    invite(home, "bob@example.edu")
    with provider(eve=claims) as issuer, signing_in(home, issuer) as client:
        refused = client.get(authorized(client, "eve"))
        assert (refused.status_code, "invited" in refused.json()["detail"]) == (401, True)
        assert client.get("/drafts").status_code == 401


def test_what_another_browser_began_cannot_be_finished(home: Path) -> None:
    with provider(ada=VERIFIED) as issuer, signing_in(home, issuer) as client:
        back = authorized(client, "ada")
        began = dict(client.cookies)
        client.cookies.clear()
        assert client.get(back).status_code == 401
        client.get("/sign-in/oidc")
        assert client.get(back).status_code == 401, "The state is that of another beginning."
        client.cookies.clear()
        client.cookies.update(began)
        assert client.get(back.replace("code=", "code=x")).status_code == 401


def test_a_provider_that_is_away_is_said(home: Path) -> None:
    with signing_in(home, "http://127.0.0.1:9") as client:
        refused = client.get("/sign-in/oidc")
        assert (refused.status_code, "cannot be reached" in refused.json()["detail"]) == (401, True)
        assert "/sign-in/oidc" in client.get("/sign-in").text


async def test_a_token_for_another_client_is_refused() -> None:
    with provider(ada=VERIFIED) as issuer:
        one = Provider(issuer, "one", "s")
        url, begun = await one.begin("http://127.0.0.1/back")
        async with httpx.AsyncClient() as client:
            back = str((await client.post(url, data={"sub": "ada"})).headers["location"])
        with pytest.raises(Unauthenticated):
            await one.finish("http://127.0.0.1/back", back, begun | {"nonce": "another"})


def test_an_issuer_without_a_client_stops_at_once(home: Path) -> None:
    with pytest.raises(SetupError, match="EDUMOD_OIDC_CLIENT_ID"):
        Provider.of(settings_in(home, oidc_issuer="https://login.example.edu"))


def test_without_a_provider_there_is_nothing_to_begin(home: Path) -> None:
    with live(settings_in(home)) as client:
        assert client.get("/sign-in/oidc").status_code == 404
        assert "/sign-in/oidc" not in client.get("/sign-in").text

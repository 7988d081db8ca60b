"""Keys: made and revoked on the command line, sent to a service that needs them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.store.people.keys import NewKey
from core.store.store import Store
from core.store.tables import KeyRow, now
from tests.app.commands import edumod
from tests.app.live import live, settings_in
from tests.app.people.actors import THROUGH_A_PROXY, headers, made_key
from tests.servers.homes import database_of, rows

ON_EACH_DATABASE = True


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


def of_command(home: Path, *arguments: str) -> Any:
    done = edumod(home, "keys", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ended_key(home: Path) -> str:
    async def make() -> str:
        store = await Store.open(database_of(home))
        _, made = await store.keys.create(NewKey("old", (Permission.ANSWER,), ("small",), now() - timedelta(days=1)))
        await store.aclose()
        return made

    return asyncio.run(make())


def stored_key(home: Path, made: str) -> KeyRow:
    async def find() -> KeyRow | None:
        store = await Store.open(database_of(home))
        found = await store.keys.find(made)
        await store.aclose()
        return found

    found = asyncio.run(find())
    assert found is not None
    return found


def test_a_key_from_the_command_line_works_until_it_is_revoked(server: httpx.Client, home: Path) -> None:
    made = of_command(home, "create", "forum bot", "--scope", "answer", "--scope", "drafts:read", "--course", "small")
    assert server.get("/drafts", headers=headers(made["key"])).status_code == 200
    assert server.get("/metrics", headers=headers(made["key"])).status_code == 403
    (listed,) = (one for one in of_command(home, "list", "--course", "small") if one["id"] == made["id"])
    assert (listed["name"], listed["scopes"], listed["state"]) == ("forum bot", ["answer", "drafts:read"], "valid")
    assert listed["shown"] in made["key"].replace(made["key"][17:], "…")
    assert of_command(home, "revoke", made["id"])["state"] == "revoked"
    refused = server.get("/drafts", headers=headers(made["key"]))
    assert (refused.status_code, "was revoked" in refused.json()["detail"]) == (401, True)


def test_a_key_is_shown_once_and_stored_as_a_hash(home: Path) -> None:
    made = of_command(home, "create", "bot", "--scope", "answer", "--all-courses")["key"]
    stored = json.dumps(rows(home, "SELECT id, name, digest, scopes FROM api_key"), default=str)
    assert made not in stored + edumod(home, "keys", "list").stdout
    assert made[17:] not in stored


def test_a_key_that_has_ended_is_refused_and_says_when(server: httpx.Client, home: Path) -> None:
    refused = server.get("/courses", headers=headers(ended_key(home)))
    assert refused.status_code == 401
    assert f"ended on {now() - timedelta(days=1):%Y-%m-%d}" in refused.json()["detail"]


@pytest.mark.parametrize(
    "value",
    ["Bearer nonsense", "Bearer", "Basic dXNlcjpwYXNz", "Bearer edm_0123456789ab_" + "x" * 43, "Bearer edm_\xe9", ""],
)
@pytest.mark.parametrize("way", [{}, THROUGH_A_PROXY], ids=["here", "through a proxy"])
def test_what_is_no_key_is_refused_everywhere_and_not_repeated(
    server: httpx.Client, value: str, way: dict[str, str]
) -> None:
    refused = server.get("/courses", headers=way | {"Authorization": value.encode("latin-1")})  # type: ignore[dict-item]
    assert (refused.status_code, refused.headers["content-type"]) == (401, "application/problem+json")
    assert refused.headers["www-authenticate"] == "Bearer"
    assert "xxx" not in refused.text


def test_a_key_whose_secret_was_changed_is_refused(server: httpx.Client, home: Path) -> None:
    made = made_key(home, Permission.ANSWER)
    changed = made[:-1] + ("A" if made[-1] != "A" else "B")
    assert server.get("/courses", headers=headers(made)).status_code == 200
    assert server.get("/courses", headers=headers(changed)).status_code == 401


def test_a_key_on_the_servers_own_machine_has_its_own_rights_alone(server: httpx.Client, home: Path) -> None:
    made = made_key(home, Permission.ANSWER)
    assert server.get("/drafts", headers={"Authorization": f"Bearer {made}"}).status_code == 403


def test_the_last_use_is_noted_once_a_minute(server: httpx.Client, home: Path) -> None:
    made = made_key(home, Permission.ANSWER)
    assert stored_key(home, made).used_at is None
    used = []
    for _ in range(3):
        assert server.get("/courses", headers=headers(made)).status_code == 200
        for _ in range(200):
            if (at := stored_key(home, made).used_at) is not None:
                used.append(at)
                break
            time.sleep(0.02)
    assert len(used) == 3
    assert len(set(used)) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("bot", "--course", "small"), "--scope"),
        (("bot", "--scope", "answer"), "--course"),
        (("bot", "--scope", "answer", "--course", "smal"), "Did you mean 'small'?"),
        (("bot", "--scope", "everything", "--course", "small"), "everything"),
        (("bot", "--scope", "operator", "--course", "small"), "operator"),
    ],
)
def test_a_key_that_makes_no_sense_is_not_made(home: Path, arguments: tuple[str, ...], says: str) -> None:
    refused = edumod(home, "keys", "create", *arguments)
    assert (refused.returncode, says in refused.stderr) == (2, True)


def test_a_draft_says_which_key_asked(home: Path, server: httpx.Client) -> None:
    made = made_key(home, Permission.ANSWER)
    asked = server.post(
        "/v1/answer",
        json={"course": "small", "question": {"body": "When is homework 3 due?"}},
        headers=headers(made),
    )
    assert asked.status_code == 200
    assert rows(home, "SELECT asked_by FROM draft WHERE id = :id", id=asked.json()["draft_id"]) == [
        (f"key-{stored_key(home, made).id}",)
    ]

"""A key does no more than whoever made it may do now."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from app.people.keys import access_of
from core.access import Access, Permission
from core.errors import Unauthenticated
from core.store.people.keys import NewKey
from core.store.store import Store
from core.store.tables import KeyRow
from core.types import Role
from tests.app.commands import edumod
from tests.app.live import live, settings_in
from tests.app.people.actors import headers
from tests.servers.homes import database_of

T = TypeVar("T")
ON_EACH_DATABASE = True
ADMIN = (Permission.ANSWER, Permission.DRAFTS_READ, Permission.COURSE_ADMIN)


def stored(home: Path, work: Callable[[Store], Awaitable[T]]) -> T:
    async def run() -> T:
        store = await Store.open(database_of(home))
        try:
            return await work(store)
        finally:
            await store.aclose()

    return asyncio.run(run())


def instructor_with_key(home: Path, name: str, scopes: tuple[Permission, ...] = ADMIN) -> tuple[str, str, str]:
    """The ids of a new instructor and of her key, and the key."""

    async def make(store: Store) -> tuple[str, str, str]:
        member = await store.members.add(name, f"{name}@example.edu", {"small": Role.INSTRUCTOR})
        row, key = await store.keys.create(NewKey(f"{name}'s bot", scopes, ("small",), owner=member.id))
        return member.id, row.id, key

    return stored(home, make)


def drafts(client: httpx.Client, key: str) -> int:
    return client.get("/drafts", headers=headers(key)).status_code


def test_the_key_of_someone_who_left_is_refused_by_a_running_service_at_once(home: Path) -> None:
    person, _, key = instructor_with_key(home, "ann")
    with live(settings_in(home)) as client:
        before = drafts(client, key)
        stored(home, lambda store: store.members.remove(person, "small"))
        refused = client.get("/drafts", headers=headers(key))
    assert (before, refused.status_code) == (200, 401)
    assert "belongs to someone who has left" in refused.json()["detail"]


def test_a_key_loses_what_a_lower_role_of_its_owner_does_not_have(home: Path) -> None:
    person, _, key = instructor_with_key(home, "ben")
    with live(settings_in(home)) as client:
        before = client.get("/settings", headers=headers(key)).status_code
        stored(home, lambda store: store.members.add(person, roles={"small": Role.TA}))
        after = (client.get("/settings", headers=headers(key)).status_code, drafts(client, key))
    assert (before, after) == (200, (403, 200))


def test_a_key_that_was_made_with_a_key_ends_with_it_and_with_the_person_behind_it(home: Path) -> None:
    _, first, parent = instructor_with_key(home, "cleo")
    with live(settings_in(home)) as client:
        page = client.post(
            "/settings/keys", data={"name": "child", "course": "small", "scope": "answer"}, headers=headers(parent)
        )
        child = page.text.split('id="made" readonly value="')[1].split('"')[0]
        before = client.get("/courses", headers=headers(child)).status_code
        stored(home, lambda store: store.keys.revoke(first))
        after = client.get("/courses", headers=headers(child)).status_code
    assert (page.status_code, before, after) == (200, 200, 401)


def test_a_key_that_is_made_by_the_operator_on_the_command_line_says_so_and_outlasts_everybody(home: Path) -> None:
    person, key_id, _ = instructor_with_key(home, "dora")
    made = json.loads(edumod(home, "keys", "create", "bot", "-s", "answer", "-c", "small", "--json").stdout)
    assert (made["owner"], made["state"]) == (None, "valid")
    stored(home, lambda store: store.members.remove(person))
    listed = {one["id"]: one for one in json.loads(edumod(home, "keys", "list", "--json").stdout)}
    assert listed[key_id]["state"] == "owner left"
    assert listed[made["id"]]["state"] == "valid"
    assert "operator" in edumod(home, "keys", "list").stdout


def test_a_key_that_somebody_makes_on_the_page_is_listed_with_her_name(home: Path) -> None:
    _, _, key = instructor_with_key(home, "erna")
    with live(settings_in(home)) as client:
        page = client.get("/settings", headers=headers(key)).text
    assert 'data-h="Owner">erna<' in page


@pytest.mark.parametrize(
    ("scopes", "courses", "allowed"),
    [((Permission.ANSWER,), None, {"a": {Permission.ANSWER}}),
     ((Permission.OPERATE,), None, {"a": set(Permission) - {Permission.OPERATE}}),
     ((Permission.ANSWER, Permission.EVAL), ("a", "b"), {"a": {Permission.ANSWER, Permission.EVAL}})],
)  # fmt: skip
async def test_what_a_key_may_do_is_what_both_it_and_its_owner_may(
    database_url: str,
    scopes: tuple[Permission, ...],
    courses: tuple[str, ...] | None,
    allowed: dict[str, set[Permission]],
) -> None:
    store = await Store.open(database_url)
    for course in ("a", "b"):
        await store.courses.put(course, {"id": course})
    owner = await store.members.add("ann", roles={"a": Role.INSTRUCTOR})
    row, _ = await store.keys.create(NewKey("bot", scopes, courses, owner=owner.id))
    assert permissions(await access_of(row, store)) == allowed
    await store.members.remove(owner.id)
    with pytest.raises(Unauthenticated):
        await access_of(row, store)
    await store.aclose()


def permissions(access: Access) -> dict[str, set[Permission]]:
    assert not access.everywhere
    return {course: set(allowed) for course, allowed in access.by_course.items() if allowed}


async def test_a_key_whose_maker_is_not_known_any_more_does_nothing(database_url: str) -> None:
    store = await Store.open(database_url)
    for owner in ("person-0", "key-000000000000"):
        with pytest.raises(Unauthenticated):
            await access_of(KeyRow(id="1", name="bot", digest="", scopes=["answer"], owner=owner), store)
    await store.aclose()

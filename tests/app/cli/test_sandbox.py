"""`edumod sandbox`: a course and a key for who writes a bot, of which nothing is kept or posted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError

from app.jobs.retention import delete_old
from core.course import Course
from core.store.store import Store
from core.store.tables import DraftRow, now, table_of
from tests.app.commands import edumod
from tests.app.live import live, settings_in
from tests.app.people.actors import headers
from tests.servers.homes import database_of, rows

ASK = {"course": "sandbox", "question": {"body": "When is homework 2 due?"}}


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sandbox")


@pytest.fixture(scope="module")
def key(own_home: Path) -> str:
    done = edumod(own_home, "sandbox", "--json")
    assert done.returncode == 0, done.stderr
    made: str = json.loads(done.stdout)["key"]
    return made


@pytest.fixture(scope="module")
def server(own_home: Path, key: str) -> Iterator[httpx.Client]:
    with live(settings_in(own_home), real_embedder=True) as client:
        yield client


def test_a_bot_asks_reads_and_decides_with_the_key(server: httpx.Client, key: str) -> None:
    bot = headers(key)
    reply = server.post("/v1/answer", json=ASK, headers=bot).json()
    assert "13 February" in reply["answer"] or "February 13" in reply["answer"]
    decided = server.post(f"/drafts/{reply['draft_id']}/decision", json={"text": reply["answer"]}, headers=bot)
    assert decided.status_code == 200
    assert [course["id"] for course in server.get("/courses", headers=bot).json()] == ["sandbox"]


def test_a_second_time_only_a_key_is_made(own_home: Path, key: str) -> None:
    again = edumod(own_home, "sandbox")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("edm_")
    assert key not in again.stdout


def test_what_was_asked_is_deleted_after_an_hour(server: httpx.Client, own_home: Path, key: str) -> None:
    draft = server.post("/v1/answer", json=ASK, headers=headers(key)).json()["draft_id"]

    async def delete() -> None:
        store = await Store.open(database_of(own_home))
        await delete_old(store)
        await store.aclose()

    asyncio.run(delete())
    assert rows(own_home, "SELECT count(*) FROM draft WHERE id = :id", id=draft) == [(1,)]
    rows(own_home, table_of(DraftRow).update().values(created_at=now() - timedelta(hours=2)))
    asyncio.run(delete())
    assert rows(own_home, "SELECT count(*) FROM draft") == [(0,)]
    assert rows(own_home, "SELECT count(*) FROM decision") == [(0,)]


def test_a_course_that_is_called_sandbox_is_left_alone(tmp_path: Path) -> None:
    """A sandbox forgets what was asked within hours."""

    async def put() -> None:
        store = await Store.of(settings_in(tmp_path))
        await store.courses.put("sandbox", Course(id="sandbox", title="Sand in boxes").model_dump(mode="json"))
        await store.aclose()

    asyncio.run(put())
    done = edumod(tmp_path, "sandbox")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has a course sandbox" in done.stderr
    assert "Sand in boxes" in str(rows(tmp_path, "SELECT config FROM course"))


def test_a_sandbox_has_no_forum() -> None:
    forum = {"kind": "discourse", "url": "https://forum.example.edu"}
    with pytest.raises(ValidationError, match="no `forum`"):
        Course.model_validate({"id": "x", "sandbox": True, "forum": forum})

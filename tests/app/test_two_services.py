"""Two services that share one PostgreSQL database, as on two machines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.wiring import build_services
from core.course import Course
from core.settings import Settings
from core.types import Source
from ingestion.files import discover
from tests.app.asking import request
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.fakes import FakeEmbedder
from tests.servers.postgresql import PostgreSQLServer

SEEN_SECONDS = 1.0
"""How soon a change is seen by every process."""

Pair = tuple[httpx.Client, httpx.Client]


@pytest.fixture
def settings(tmp_path: Path, postgresql_url: str) -> tuple[Settings, Settings]:
    """Of two services, each with a home of its own."""
    one, two = (settings_in(tmp_path / name, database_url=postgresql_url) for name in ("one", "two"))
    return one, two


@pytest.fixture
def services(settings: tuple[Settings, Settings], material: Path) -> Iterator[Pair]:
    asyncio.run(ingest_all(settings[0], material, Course(id="small", title="Small")))
    with live(settings[0]) as one, live(settings[1]) as two:
        yield one, two


def test_an_answer_of_one_is_found_in_the_other(services: Pair) -> None:
    one, two = services
    answered = one.post("/answer", json=request()).json()
    assert answered["status"] == "answered"
    trace = two.get(f"/traces/{answered['trace_id']}")
    assert (trace.status_code, trace.json()["draft_id"]) == (200, answered["draft_id"])
    listed = two.get("/drafts", params={"course": "small", "state": "pending"}).json()["drafts"]
    assert [draft["id"] for draft in listed] == [answered["draft_id"]]


def test_a_retry_at_the_other_gets_the_answer_of_the_first(services: Pair) -> None:
    one, two = services
    headers = {"Idempotency-Key": "bot-1"}
    first = one.post("/answer", json=request(), headers=headers).json()
    assert two.post("/answer", json=request(), headers=headers).json() == first
    reused = two.post("/answer", json=request("Another question?"), headers=headers)
    assert (reused.status_code, reused.json()["type"]) == (422, "urn:edumod:problem:idempotency-key-reused")


def test_both_give_the_same_answer(services: Pair) -> None:
    answers = [one.post("/answer?seed=1", json=request()).json() for one in services]
    assert answers[0]["answer"] == answers[1]["answer"]
    assert answers[0]["citations"] == answers[1]["citations"]


def test_a_course_that_is_changed_through_one_process_is_seen_by_both_services(
    services: Pair, settings: tuple[Settings, Settings], tmp_path: Path
) -> None:
    """Its file is changed, and its material, by a process on one of the machines."""
    exam = request("In which room is the final exam?")
    assert all("Zeppelin" not in service.post("/answer", json=exam).text for service in services)
    (tmp_path / "exam.md").write_text("# Final exam\n\nThe final exam is in room Zeppelin.\n", encoding="utf-8")
    asyncio.run(change(settings[0], tmp_path / "exam.md"))
    for service in services:
        until = time.monotonic() + SEEN_SECONDS
        while "Zeppelin" not in (answer := service.post("/answer", json=exam).text):
            assert time.monotonic() < until, answer


async def change(settings: Settings, file: Path) -> None:
    built = await build_services(settings, embedder=FakeEmbedder())
    async with built.ingestion() as ingestion:
        await ingestion.run(Course(id="small", title="Small"), Source.LOGISTICS, discover([file]))
    await built.aclose()


def test_a_service_goes_on_after_the_servers_connections_were_cut(
    services: Pair, postgresql: PostgreSQLServer, postgresql_url: str
) -> None:
    for service in services:
        assert service.post("/answer", json=request()).status_code == 200
    postgresql.cut_connections(postgresql_url)
    for service in services:
        answered = service.post("/answer", json=request(), headers={"Idempotency-Key": "after"})
        assert (answered.status_code, answered.json()["warnings"]) == (200, [])
        assert service.get("/readyz").json()["checks"]["database"] == "ok"


def test_answers_come_while_the_server_takes_no_connection_and_are_stored_later(
    services: Pair, postgresql: PostgreSQLServer, postgresql_url: str
) -> None:
    one, two = services
    one.post("/answer", json=request())
    with postgresql.closed(postgresql_url):
        answered = one.post("/answer", json=request())
        keyed = one.post("/answer", json=request(), headers={"Idempotency-Key": "meanwhile"})
        ready = one.get("/readyz")
    body = answered.json()
    assert (answered.status_code, body["status"]) == (200, "answered")
    assert any("could not be stored yet" in warning for warning in body["warnings"])
    assert (keyed.status_code, keyed.json()["type"]) == (503, "urn:edumod:problem:storage-unavailable")
    assert (ready.status_code, ready.json()["checks"]["database"]) == (503, "cannot be read (it cannot be reached)")
    assert one.get("/readyz").json()["checks"]["database"] == "ok"  # Which stores what waits.
    assert two.get(f"/traces/{body['trace_id']}").status_code == 200

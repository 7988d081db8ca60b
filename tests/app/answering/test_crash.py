"""Servers that are killed, and what becomes of the questions that they were working on."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from core.course import Course
from core.llm.scripted import ScriptedLLM
from tasks import ChooseFunctions, WriteAnswer
from tests.app.answering.test_outage import listed
from tests.app.asking import calls, request, written
from tests.app.commands import edumod
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.serving import START_SECONDS, answer, serve

pytestmark = pytest.mark.slow

QUESTIONS = 3


@pytest.fixture
async def home(tmp_path: Path, material: Path) -> Path:
    folder = tmp_path / "home"
    await ingest_all(settings_in(folder), material, Course(id="small", title="Small"))
    return folder


@contextmanager
def silent_model() -> Iterator[str]:
    """A model endpoint that takes every connection and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def kill_at_work(home: Path) -> None:
    """Start a server, ask it, and kill it in the midst of the answers."""
    with silent_model() as url, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        server = serve(home, port, 1, EDUMOD_LLM_BASE_URL=url)
        base = f"http://127.0.0.1:{port}"
        try:
            answer(f"{base}/healthz", server)
            with ThreadPoolExecutor(QUESTIONS) as pool, httpx.Client(base_url=base, timeout=60) as client:
                for n in range(QUESTIONS):
                    pool.submit(post, client, n)
                listed(client, "working", QUESTIONS)
                server.kill()
        finally:
            server.kill()
            server.communicate(timeout=START_SECONDS)


def post(client: httpx.Client, n: int) -> None:
    with suppress(httpx.TransportError):
        client.post(
            "/answer?retriever=bm25", json=request(f"When is homework {n} due?"), headers={"Idempotency-Key": str(n)}
        )


def test_drafts_of_a_killed_server_fail_as_interrupted_and_can_be_answered(home: Path) -> None:
    kill_at_work(home)
    assert len(states(home, "working")) == QUESTIONS
    # A command that opens the database leaves them alone, whoever's they are.
    edumod(home, "drafts", "list", "--json")
    assert len(states(home, "working")) == QUESTIONS
    with live(settings_in(home)) as client:
        assert len(states(home, "failed")) == QUESTIONS
        drafts = listed(client, "failed", QUESTIONS)
        assert {one["error"]["code"] for one in drafts} == {"interrupted"}
        assert client.post(f"/drafts/{drafts[0]['id']}/retry").status_code == 200
        key = {"Idempotency-Key": "0"}
        again = client.post("/answer?retriever=bm25", json=request("When is homework 0 due?"), headers=key)
        assert again.json()["draft_id"] in {one["id"] for one in drafts}
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        assert database.execute("SELECT * FROM process").fetchall() == []


def test_drafts_of_a_killed_server_are_answered_again_once_where_that_is_set(home: Path) -> None:
    kill_at_work(home)
    llm = ScriptedLLM({ChooseFunctions: [calls("logistics_retrieval")] * 9, WriteAnswer: [written()] * 9})
    with live(settings_in(home, interrupted="retry"), llm) as client:
        listed(client, "pending", QUESTIONS)


def test_a_draft_that_was_interrupted_twice_is_not_answered_again_automatically(home: Path) -> None:
    kill_at_work(home)
    with closing(sqlite3.connect(home / "edumod.db")) as database, database:
        database.execute('UPDATE draft SET error = \'{"code": "interrupted", "detail": ""}\'')
    llm = ScriptedLLM([])
    with live(settings_in(home, interrupted="retry"), llm) as client:
        listed(client, "failed", QUESTIONS)
    assert llm.tasks == []


def states(home: Path, state: str) -> list[tuple[str]]:
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        return database.execute("SELECT id FROM draft WHERE state = ?", (state,)).fetchall()

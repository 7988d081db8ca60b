"""`edumod serve` is stopped: answers under way are completed, for as long as the settings allow."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import httpx
import pytest

from tests.app.commands import edumod
from tests.app.serving import START_SECONDS, answer, serve
from tests.servers.faults import Act, FaultServer, called, said, serving
from tests.sweeps import choose

QUESTION = {"course": "small", "question": {"body": "When is homework 3 due, asks Violet?"}}
WRITTEN = {"status": "answered", "statements": [{"text": "On February 19."}], "confidence": 0.9}
CHOSEN = called(("logistics_retrieval", {"query": "homework 3 due"}))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a small course, as `course load` makes it."""
    folder = tmp_path_factory.mktemp("loaded")
    (folder / "course.yaml").write_text("id: small\nmaterial: {logistics: syllabus.md}\n")
    (folder / "syllabus.md").write_text("# Syllabus\n\n## Homework\n\nHomework 3 is due on February 19.\n")
    done = edumod(folder / "home", "course", "load", str(folder / "course.yaml"))
    assert done.returncode == 0, done.stderr
    return folder / "home"


@pytest.fixture
def home(tmp_path: Path, loaded: Path) -> Path:
    return shutil.copytree(loaded, tmp_path / "home")


@asynccontextmanager
async def stopped_at_work(
    home: Path, *acts: Act, stream: bool = False, **settings: str
) -> AsyncIterator[tuple[asyncio.Task[httpx.Response], subprocess.Popen[str], str]]:
    """A server that gets SIGTERM while its model is asked, and the question that it was asked."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with serving(*acts) as model, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        server = serve(home, port, 1, EDUMOD_LLM_BASE_URL=model.base_url, EDUMOD_LLM_CACHE="false", **settings)
        try:
            await asyncio.to_thread(answer, f"http://127.0.0.1:{port}/healthz", server)
            headers = {"Accept": "text/event-stream"} if stream else {}
            asked = asyncio.create_task(
                client.post("/answer?pipeline=fc&retriever=bm25", json=QUESTION, headers=headers)
            )
            await _asked(model, asked)
            server.send_signal(signal.SIGTERM)
            yield asked, server, f"http://127.0.0.1:{port}"
        finally:
            if server.poll() is None:
                server.kill()
                server.communicate()


async def _asked(model: FaultServer, asked: asyncio.Task[httpx.Response]) -> None:
    waiting = asyncio.create_task(model.asked.wait())
    await asyncio.wait((waiting, asked), return_when=asyncio.FIRST_COMPLETED)
    assert not asked.done(), asked.result().text


def drafts(home: Path) -> list[tuple[str, str | None, int]]:
    """State, code of the error and number of traces of each draft."""
    query = (
        "SELECT draft.state, json_extract(draft.error, '$.code'), count(trace.id) "
        "FROM draft LEFT JOIN trace ON draft_id = draft.id GROUP BY draft.id"
    )
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        return database.execute(query).fetchall()


async def test_a_server_that_is_stopped_completes_its_answers_and_takes_no_more(home: Path) -> None:
    slow = Act(CHOSEN.body, wait=1.5)
    async with stopped_at_work(home, slow, said(json.dumps(WRITTEN)), EDUMOD_LOG_FORMAT="json") as (asked, server, url):
        async with httpx.AsyncClient() as another:
            while not asked.done():
                try:
                    await another.get(f"{url}/healthz")
                except httpx.TransportError:
                    break
        assert not asked.done()
        answered = await asked
        log = (await asyncio.to_thread(server.communicate, timeout=START_SECONDS))[1]
    assert (answered.status_code, answered.json()["status"]) == (200, "answered"), log
    assert [state for state, _, _ in drafts(home)] == ["pending"]
    lines = [json.loads(line) for line in log.splitlines()]
    (access,) = [line for line in lines if line["logger"] == "edumod.access" and line.get("route") == "/answer"]
    assert access["request_id"] == answered.headers["x-request-id"]
    assert access["draft_id"] == answered.json()["draft_id"]
    assert access["bytes"] == len(answered.content)
    assert "Violet" not in log
    assert "homework" not in log


@pytest.mark.parametrize("stream", choose({"answer": False, "stream": True}, "answer"))
async def test_what_takes_longer_than_the_limit_is_interrupted_and_stored_with_its_trace(
    home: Path, stream: bool
) -> None:
    never = Act(CHOSEN.body, wait=600)
    async with stopped_at_work(home, CHOSEN, never, stream=stream, EDUMOD_SHUTDOWN_SECONDS="0.5") as (asked, server, _):
        log = (await asyncio.to_thread(server.communicate, timeout=START_SECONDS))[1]
        (answered,) = await asyncio.gather(asked, return_exceptions=True)
    assert drafts(home) == [("failed", "interrupted", 1)], log
    assert "Traceback" not in log
    if not stream:
        assert (answered.status_code, answered.json()["type"]) == (503, "urn:edumod:problem:stopping")
        assert int(answered.headers["retry-after"]) > 0
        assert answered.json()["draft_id"] in log

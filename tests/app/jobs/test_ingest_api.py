"""Files of a course are sent over the API, and their ingestion is followed."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.course import Course
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key

SHEET = b"# Homework 4\n\n## Problem 1: Cards\n\nHow likely is a pair of aces?\n"
SECONDS = 30


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    home = tmp_path_factory.mktemp("ingest")
    asyncio.run(ingest_all(settings_in(home), material, Course(id="small"), Course(id="other")))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home, max_upload_bytes=100_000, max_request_bytes=50_000)) as client:
        yield client


@pytest.fixture(scope="module")
def admin(own_home: Path) -> dict[str, str]:
    return headers(made_key(own_home, Permission.ANSWER, Permission.COURSE_ADMIN))


def send(
    server: httpx.Client, key: dict[str, str], *files: tuple[str, bytes], where: str = "/ingest", **form: str
) -> httpx.Response:
    sent = [("file", (name, content)) for name, content in files] or [("other", ("a.md", b"x"))]
    return server.post(where, data={"course": "small", "source": "assignment", **form}, files=sent, headers=key)


def finish(server: httpx.Client, key: dict[str, str], where: str, *names: str) -> list[dict[str, Any]]:
    """Asks until nothing waits; the files of these names."""
    started = time.monotonic()
    while (progress := server.get(where, params={"name": names}, headers=key).json())["queued"]:
        assert time.monotonic() - started < SECONDS
        time.sleep(0.05)
    files: list[dict[str, Any]] = progress["files"]
    return files


@pytest.mark.parametrize("where", ["/ingest", "/v1/ingest"])
def test_files_that_are_sent_are_ingested_and_followed(server: httpx.Client, admin: dict[str, str], where: str) -> None:
    content = SHEET + b"Think of %b.\n" % where.encode() * 3_000
    response = send(server, admin, ("hw4.md", content), ("hw5.md", content[:100]), where=where)
    assert response.status_code == 202, response.text
    assert {file["name"] for file in response.json()["files"]} == {"hw4.md", "hw5.md"}
    files = finish(server, admin, response.headers["location"], "hw4.md", "hw5.md")
    assert [file["state"] for file in files] == ["ingested"] * 2, files
    (sheet,) = [file for file in files if file["name"] == "hw4.md"]
    assert sheet["sha256"] == hashlib.sha256(content).hexdigest()
    assert "aces" in server.get(f"/courses/small/documents/{sheet['document_id']}", headers=admin).text


def test_a_file_that_cannot_be_read_is_told_with_the_reason(server: httpx.Client, admin: dict[str, str]) -> None:
    where = send(server, admin, ("broken.pdf", b"%PDF-1.7 nothing")).headers["location"]
    (file,) = finish(server, admin, where, "broken.pdf")
    assert (file["state"], file["document_id"]) == ("failed", None)
    assert "broken.pdf" in file["error"]
    assert "broken.pdf" in server.get("/courses/small/files", headers=admin).text
    server.post("/courses/small/files/discard", headers=admin)


def test_what_somebody_sent_in_a_browser_still_waits_to_be_confirmed(
    server: httpx.Client, admin: dict[str, str]
) -> None:
    send(server, admin, ("page.md", SHEET), where="/courses/small/files")
    where = send(server, admin, ("program.md", SHEET.replace(b"aces", b"queens"))).headers["location"]
    files = finish(server, admin, where, "page.md", "program.md")
    states = {file["name"]: file["state"] for file in files}
    assert states == {"page.md": "held", "program.md": "ingested"}, files
    server.post("/courses/small/files/discard", headers=admin)


@pytest.mark.parametrize(
    ("files", "form", "status", "says"),
    [
        ([("virus.exe", b"MZ")], {}, 422, "the format .exe is not supported"),
        ([("hw.md", b"x")], {"source": "secrets"}, 422, "what kind of material"),
        ([], {}, 422, "No file was chosen"),
        ([("a.md", b"x"), ("a.md", b"y")], {}, 422, "Two of the files are called a.md"),
        ([("large.md", b"x" * 200_000)], {}, 413, "Send fewer files at a time"),
        ([("hw.md", b"x")], {"course": "other"}, 403, ""),
        ([("hw.md", b"x")], {"course": "nowhere"}, 403, ""),
        ([("hw.md", b"x")], {"course": ""}, 422, "which course"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_a_reason(
    server: httpx.Client, admin: dict[str, str], files: list[tuple[str, bytes]], form: Any, status: int, says: str
) -> None:
    response = send(server, admin, *files, **form)
    assert (response.status_code, says in response.text) == (status, True), response.text
    assert response.headers["content-type"] == "application/problem+json"


def test_those_who_do_not_administer_the_course_send_and_see_nothing(server: httpx.Client, own_home: Path) -> None:
    reader = headers(made_key(own_home, Permission.ANSWER, Permission.DRAFTS_READ))
    assert send(server, reader, ("hw.md", SHEET)).status_code == 403
    assert server.get("/ingest/small", headers=reader).status_code == 403


def test_an_unknown_course_is_told_with_those_there_are(server: httpx.Client) -> None:
    here: dict[str, str] = {}
    for response in (send(server, here, ("a.md", b"x"), course="nowhere"), server.get("/ingest/nowhere")):
        assert (response.status_code, "small" in response.text) == (422, True)

"""An instructor sends files of a course in the browser, looks at what they would be, and has them ingested."""

from __future__ import annotations

import asyncio
import re
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
from tests.app.review.test_axe import axe, violations
from tests.ingestion.exports.exported import CARTRIDGE, write_zip

SHEET = b"# Homework 4\n\n## Problem 1: Cards\n\nHow likely is a pair of aces?\n"
SOLUTION = SHEET + b"\n**Solution:** One in two hundred and twenty-one.\n"
SECONDS = 30


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    home = tmp_path_factory.mktemp("files")
    asyncio.run(ingest_all(settings_in(home), material, Course(id="small"), Course(id="other")))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home, max_upload_bytes=100_000, max_request_bytes=50_000)) as client:
        yield client


@pytest.fixture(scope="module")
def admin(own_home: Path) -> dict[str, str]:
    return headers(made_key(own_home, Permission.ANSWER, Permission.DRAFTS_READ, Permission.COURSE_ADMIN))


def send(server: httpx.Client, admin: dict[str, str], *files: tuple[str, bytes], **form: Any) -> httpx.Response:
    sent = [("file", (name, content)) for name, content in files]
    where = f"/courses/{form.pop('course', 'small')}/files"
    return server.post(where, data={"source": "assignment", **form}, files=sent, headers=admin)


def page(server: httpx.Client, admin: dict[str, str]) -> str:
    return server.get("/courses/small/files", headers=admin).text


def confirm(server: httpx.Client, admin: dict[str, str]) -> str:
    """Has the files ingested, and waits until they are; the page then."""
    assert server.post("/courses/small/files/ingest", headers=admin).status_code == 303
    started = time.monotonic()
    while "being read" in (text := page(server, admin)):
        assert time.monotonic() - started < SECONDS
        time.sleep(0.05)
    return text


def test_files_are_looked_at_before_they_are_ingested(server: httpx.Client, admin: dict[str, str]) -> None:
    look = send(server, admin, ("hw4.md", SHEET), ("hw4_solution.md", SOLUTION))
    assert look.status_code == 200, look.text
    assert "2 files wait for you" in look.text
    assert look.text.count(">staff only<") == 1
    assert "hw4_solution" not in server.get("/courses/small", headers=admin).text
    text = confirm(server, admin)
    assert "hw4_solution" in text
    assert "wait for you" not in text
    assert "Could not be read" not in text
    answer = server.get("/courses/small", params={"q": "pair of aces"}, headers=admin).text
    assert "How likely is a pair of aces?" in answer
    assert "two hundred and twenty-one" not in answer


def test_a_file_with_the_name_of_a_document_replaces_it(server: httpx.Client, admin: dict[str, str]) -> None:
    send(server, admin, ("syllabus.md", b"# Syllabus\n\nThe final is in Memorial Hall.\n"), source="logistics")
    confirm(server, admin)
    course = server.get("/courses/small", headers=admin).text
    documents = re.findall(r">([\w/]*syllabus.md)<", course)
    assert documents == ["logistics/syllabus.md"], course
    assert "Memorial Hall" in server.get("/courses/small", params={"q": "where is the final"}, headers=admin).text


def test_what_was_sent_can_be_discarded(server: httpx.Client, admin: dict[str, str]) -> None:
    send(server, admin, ("notes.md", b"# Notes\n\nOf no use.\n"), source="textbook")
    assert "1 file waits for you" in page(server, admin)
    assert server.post("/courses/small/files/discard", headers=admin).status_code == 303
    assert "notes.md" not in page(server, admin)


@pytest.mark.parametrize(
    ("files", "form", "status", "says"),
    [
        ([("virus.exe", b"MZ")], {}, 422, "the format .exe is not supported"),
        ([("x" * 300 + ".md", b"x")], {}, 422, "printable characters"),
        ([("hw.md", b"x")], {"source": "secrets"}, 422, "what kind of material"),
        ([], {}, 422, "No file was chosen"),
        ([("a.md", b"x"), ("a.md", b"y")], {}, 422, "Two of the files are called a.md"),
        ([("large.md", b"x" * 200_000)], {}, 413, "Send fewer files at a time"),
        ([("hw.md", b"x")], {"course": "other"}, 403, ""),
        ([("hw.md", b"x")], {"course": "nowhere"}, 403, ""),
    ],
)
def test_what_cannot_be_taken_is_refused_with_a_reason(
    server: httpx.Client, admin: dict[str, str], files: list[tuple[str, bytes]], form: Any, status: int, says: str
) -> None:
    response = send(server, admin, *files, **form)
    assert (response.status_code, says in response.text) == (status, True), response.text
    assert "wait for you" not in page(server, admin)


def test_a_path_leads_nowhere_else(server: httpx.Client, admin: dict[str, str]) -> None:
    look = send(server, admin, ("../../etc/<b>hw5.md", SHEET))
    assert "etc/&lt;b&gt;hw5.md" in look.text
    server.post("/courses/small/files/discard", headers=admin)


def test_a_file_that_cannot_be_read_is_named_with_the_reason(server: httpx.Client, admin: dict[str, str]) -> None:
    send(server, admin, ("broken.pdf", b"%PDF-1.7 nothing"))
    assert "broken.pdf" in confirm(server, admin).partition("Could not be read")[2]
    server.post("/courses/small/files/discard", headers=admin)
    assert "Could not be read" not in page(server, admin)


@pytest.mark.parametrize("scopes", [(Permission.ANSWER,), (Permission.ANSWER, Permission.DRAFTS_READ)])
def test_those_who_do_not_administer_the_course_send_nothing(
    server: httpx.Client, own_home: Path, scopes: tuple[Permission, ...]
) -> None:
    reader = headers(made_key(own_home, *scopes))
    assert send(server, reader, ("hw.md", SHEET)).status_code == 403
    assert server.get("/courses/small/files", headers=reader).status_code == 403


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_has_no_violations_and_fits_a_phone(
    server: httpx.Client, admin: dict[str, str], browser_page: Any, width: int, scheme: str
) -> None:
    send(server, admin, ("hw6.md", SHEET))
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    context = browser_page.new_context(**look)
    page = context.new_page()
    assert violations(page, f"{server.base_url}/courses/small/files", axe()) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
    server.post("/courses/small/files/discard", headers=admin)


def test_without_a_kind_the_names_of_files_decide(server: httpx.Client, admin: dict[str, str]) -> None:
    look = send(server, admin, ("hw7.md", SHEET), ("slides/week7.md", b"# Week 7\n\nMore cards.\n"), source="")
    kinds = re.findall(r"<caption[^>]*>(\w+)", look.text)
    assert sorted(kinds) == ["Assignments", "Textbook"]
    server.post("/courses/small/files/discard", headers=admin)


def test_a_whole_course_is_sent_as_one_file(server: httpx.Client, admin: dict[str, str], tmp_path: Path) -> None:
    content = write_zip(tmp_path / "data.imscc", CARTRIDGE).read_bytes()
    look = send(server, admin, ("data.imscc", content), source="")
    assert look.status_code == 200, look.text
    assert "sampling" in look.text.lower()
    assert re.search(r"next[^<]*</th>.*?staff only", look.text, re.IGNORECASE | re.DOTALL)
    broken = send(server, admin, ("broken.zip", b"no archive"), source="")
    assert broken.status_code == 422
    assert "is no zip or tar file that can be read" in broken.text
    server.post("/courses/small/files/discard", headers=admin)

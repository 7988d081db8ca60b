"""A stored answer: as JSON, as a page, and after the form was sent."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.errors import ModelUnavailable
from core.llm.scripted import ScriptedLLM
from core.types import Visibility
from tests.app.asking import calls, request, written
from tests.app.live import live, settings_in
from tests.app.pages import QUESTION, submit
from tests.servers.storage import full_disk

PAGE = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.fixture(scope="module")
def answered(client: httpx.Client) -> Any:
    asked = request(question={"title": "Deadline", "body": "When is homework 3 due?"}, author={"pseudonym": "p-17"})
    return client.post("/answer?pipeline=fc", json=asked).json()


def test_the_page_shows_what_was_searched_for_in_any_language(client: httpx.Client) -> None:
    body = "¿Cuándo se entrega 'homework 3'? 宿題"
    answered = client.post("/answer?pipeline=fc_forced", json=request(body)).json()
    (query, *_) = [call["arguments"]["query"] for call in answered["function_calls"]]
    page = client.get(f"/traces/{answered['trace_id']}/page", headers=PAGE).text
    assert "宿題" in query
    assert f"query: {query}" in unescape(page)


def test_a_stored_answer_has_question_answer_citations_and_its_trace(client: httpx.Client, answered: Any) -> None:
    found = client.get(f"/answers/{answered['draft_id']}").json()
    assert found["question"] == {"title": "Deadline", "body": "When is homework 3 due?"}
    for same in ("status", "answer", "confidence", "citations", "warnings", "trace_id"):
        assert found[same] == answered[same]
    assert client.get(found["trace_url"]).json()["draft_id"] == found["id"] == answered["draft_id"]
    assert "p-17" not in json.dumps(found)


def test_a_browser_gets_the_same_as_a_page(client: httpx.Client, answered: Any) -> None:
    page = client.get(f"/answers/{answered['draft_id']}", headers=PAGE)
    assert page.headers["content-type"].startswith("text/html")
    shown = (
        "Deadline", "When is homework 3 due?", "February 19", "logistics/syllabus.md",
        f'href="/traces/{answered["trace_id"]}/page"',
    )  # fmt: skip
    for words in shown:
        assert words in page.text
    assert "p-17" not in page.text


def test_an_unknown_answer_is_a_problem_and_a_page(client: httpx.Client) -> None:
    missing, page = client.get("/answers/nope"), client.get("/answers/nope", headers=PAGE)
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no draft &#39;nope&#39;." in page.text


def test_sending_the_form_leads_to_the_answers_page_which_costs_nothing_to_load_again(home: Path) -> None:
    llm = ScriptedLLM([calls("logistics_retrieval"), written()])
    with live(settings_in(home), llm) as client:
        sent = client.post("/", data=QUESTION, headers=PAGE)
        pages = [client.get(sent.headers["location"], headers=PAGE) for _ in range(3)]
        count = len(client.get("/drafts", params={"limit": 100}).json()["drafts"])
        client.get(sent.headers["location"], headers=PAGE)
        assert len(client.get("/drafts", params={"limit": 100}).json()["drafts"]) == count
    assert (sent.status_code, bool(re.fullmatch(r"/answers/[0-9a-f]{32}", sent.headers["location"]))) == (303, True)
    assert [page.status_code for page in pages] == [200] * 3
    assert len(llm.tasks) == 2
    assert "Due on February 19" in pages[0].text


def test_a_question_without_consent_says_so_and_repeats_nothing_of_it(client: httpx.Client) -> None:
    asked = request("my secret question", author={"consent": False})
    draft_id = client.post("/answer", json=asked).json()["draft_id"]
    found = client.get(f"/answers/{draft_id}")
    assert (found.json()["state"], found.json()["status"]) == ("refused", "consent_required")
    assert found.json()["answer"]
    assert "secret" not in found.text
    page = submit(client, course="strict", body="my secret question")
    assert (page.status_code, "consent required" in page.text, "secret" in page.text) == (200, True, False)


def test_a_question_that_failed_says_why_in_words_for_students(home: Path) -> None:
    with live(settings_in(home), ScriptedLLM([ModelUnavailable("The host llm.internal is down.")])) as client:
        draft_id = client.post("/answer?pipeline=fc", json=request()).json()["draft_id"]
        found, page = client.get(f"/answers/{draft_id}"), client.get(f"/answers/{draft_id}", headers=PAGE)
    assert (found.json()["state"], found.json()["status"]) == ("failed", None)
    assert found.json()["error"] == {"code": "model-unavailable", "detail": ModelUnavailable.sentence}
    assert ModelUnavailable.sentence in page.text
    assert "llm.internal" not in found.text + page.text


def test_a_citation_for_staff_is_not_shown(client: httpx.Client, home: Path, answered: Any) -> None:
    """None is stored; a version of this service that stored one would be no reason to show it."""
    draft_id = client.post("/answer?pipeline=fc", json=request()).json()["draft_id"]
    staff = {**answered["citations"][0], "visibility": Visibility.STAFF, "document": "staff/solutions.md"}
    response = json.dumps({**answered, "citations": [staff]})
    with closing(sqlite3.connect(home / "edumod.db")) as database, database:
        database.execute("UPDATE draft SET response = ? WHERE id = ?", (response, draft_id))
    for headers in ({}, PAGE):
        assert "solutions.md" not in client.get(f"/answers/{draft_id}", headers=headers).text


def test_an_answer_that_the_database_does_not_take_is_shown_at_once(tmp_path: Path, home: Path) -> None:
    own = shutil.copytree(home, tmp_path / "home", ignore=shutil.ignore_patterns("edumod.db*"))
    # Not copied as a file: closing it would release the locks that SQLite holds on it in this process.
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        database.execute("VACUUM INTO ?", (str(own / "edumod.db"),))
    with live(settings_in(own)) as client:
        with full_disk():
            page = submit(client)
        found = re.search(r"/answers/\w+", page.text)
    assert (page.status_code, "February 19" in page.text, found) == (200, True, None)
    assert "could not be stored yet" in page.text

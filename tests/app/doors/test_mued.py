"""muEd's chat: both spellings of a reply, what is ignored, errors, versions and health."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.live import live, settings_in
from tests.app.people.actors import ACTORS, headers, made_key
from tests.servers.homes import rows

ASK = {"role": "USER", "content": "When is homework 3 due?"}


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


@pytest.fixture(scope="module")
def staff(home: Path) -> dict[str, str]:
    return headers(made_key(home, *ACTORS["ta"], name="ta"))


@pytest.fixture(scope="module")
def student(home: Path) -> dict[str, str]:
    return headers(made_key(home, *ACTORS["student"], name="student"))


def chat(server: httpx.Client, sender: dict[str, str], *messages: dict[str, Any], **more: Any) -> httpx.Response:
    return server.post("/mued/small/chat", json={"messages": list(messages or (ASK,)), **more}, headers=sender)


def test_a_reply_has_the_answer_under_both_names_and_its_sources(server: httpx.Client, staff: dict[str, str]) -> None:
    done = chat(server, staff)
    assert done.status_code == 200
    assert done.headers["X-Api-Version"] == "0.1.0"
    reply = done.json()
    assert reply["output"] == reply["response"]
    assert reply["output"]["role"] == "ASSISTANT"
    assert "19 February" in reply["output"]["content"]
    assert reply["metadata"]["citations"][0]["url"].startswith("http")


def test_a_students_key_gets_word_that_a_person_reads_it_first(server: httpx.Client, student: dict[str, str]) -> None:
    reply = chat(server, student).json()
    assert "February" not in reply["output"]["content"]
    assert (reply["metadata"]["waitsForPerson"], reply["metadata"]["citations"]) == (True, [])
    assert reply["output"]["content"].endswith(reply["metadata"]["url"])


def test_other_copies_of_the_specification_are_understood(
    server: httpx.Client, staff: dict[str, str], home: Path
) -> None:
    user = {"userId": "s9", "type": "LEARNER", "preference": {"tone": "FORMAL"}, "detailPreference": "BRIEF"}
    talk = [ASK, {"role": "ASSISTANT", "content": "In May."}, {"role": "user", "content": "Can I use slip days?"}]
    more = {"conversationId": "c7", "user": user, "callbackUrl": "http://127.0.0.1:1/", "configuration": {"type": "x"}}
    done = chat(server, staff, *talk, **more)
    assert "slip days" in done.json()["output"]["content"]
    query = "SELECT pseudonym, thread_id FROM draft WHERE id = :id"
    assert rows(home, query, id=done.json()["metadata"]["draftId"]) == [("s9", "mued-c7")]


@pytest.mark.parametrize(
    "messages", [[], [{"role": "ASSISTANT", "content": "Hi"}], [{"role": "USER", "content": " "}], "x"]
)
def test_what_is_no_question_is_an_error_in_their_form(
    server: httpx.Client, staff: dict[str, str], messages: Any
) -> None:
    refused = server.post("/mued/small/chat", json={"messages": messages}, headers=staff)
    assert (refused.status_code, refused.json()["code"]) == (400, "VALIDATION_ERROR")
    assert refused.json()["title"]


def test_another_version_is_refused_with_those_that_there_are(server: httpx.Client, staff: dict[str, str]) -> None:
    refused = server.post("/mued/small/chat", json={"messages": [ASK]}, headers=staff | {"X-Api-Version": "9.9"})
    assert (refused.status_code, "0.1.0" in refused.json()["message"]) == (406, True)


def test_health_says_what_can_be_done_and_evaluation_is_not_served(
    server: httpx.Client, student: dict[str, str]
) -> None:
    state = server.get("/mued/small/chat/health", headers=student).json()
    assert state["status"] in ("OK", "DEGRADED")
    assert {"supportsChat", "supportsDataPolicy"} <= state["capabilities"].keys()
    for done in (
        server.post("/mued/small/evaluate", json={}, headers=student),
        server.get("/mued/small/evaluate/health", headers=student),
    ):
        assert (done.status_code, done.json()["code"]) == (501, "NOT_IMPLEMENTED")
    assert server.get("/mued/strict/chat/health", headers=student).status_code == 403

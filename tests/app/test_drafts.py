"""Kept questions over HTTP and on the command line: found, and answered again."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.course import Course
from core.errors import ModelUnavailable
from core.llm.scripted import ScriptedLLM
from tasks import ChooseFunctions, WriteAnswer
from tests.app.asking import Waiting, calls, request, stored, written
from tests.app.commands import edumod
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.servers.homes import rows

DOWN = ModelUnavailable("The model said: my secret question", retry_after=7)
SECRET = "my secret question about homework 3"


@pytest.fixture
async def small(tmp_path: Path, material: Path, each_database: None) -> Path:
    """A home of its own, so that a list of drafts holds those of one test."""
    home = tmp_path / "home"
    courses = (Course(id="small", title="Small"), Course(id="other", title="Other"))
    await ingest_all(settings_in(home), material, *courses)
    return home


def fail(client: httpx.Client, query: str = "", **fields: Any) -> str:
    """Ask a question that fails; the id of its draft."""
    failed = client.post(f"/answer{query}", json=request(SECRET, **fields))
    assert failed.status_code == 503
    draft_id: str = failed.json()["draft_id"]
    return draft_id


def failing(*after: Any) -> ScriptedLLM:
    """A model that is down for the first question."""
    return ScriptedLLM([DOWN, *after])


def down() -> ScriptedLLM:
    return ScriptedLLM({ChooseFunctions: [DOWN] * 20})


def test_failed_drafts_are_listed_newest_first_without_a_word_of_their_students(small: Path) -> None:
    with live(settings_in(small), down()) as client:
        ids = [fail(client) for _ in range(3)]
        listed = client.get("/drafts", params={"course": "small", "state": "failed"})
    body = listed.json()
    assert [one["id"] for one in body["drafts"]] == ids[::-1]
    known = {"id", "course_id", "state", "created_at", "kind", "category", "confidence", "claimed_by", "error"}
    assert set(body["drafts"][0]) == known
    assert body["drafts"][0]["state"] == "failed"
    assert body["drafts"][0]["error"]["code"] == "model-unavailable"
    assert "secret" not in listed.text
    assert body["next"] is None


def test_pages_follow_each_other_without_gaps(small: Path) -> None:
    with live(settings_in(small), down()) as client:
        ids = [fail(client) for _ in range(5)]
        found: list[str] = []
        before: dict[str, str] = {}
        for _ in range(3):
            page = client.get("/drafts", params={"limit": 2, **before}).json()
            found += [one["id"] for one in page["drafts"]]
            before = {"before": page["next"]}
    assert found == ids[::-1]
    assert page["next"] is None


def test_a_list_holds_one_course_and_state_alone(small: Path) -> None:
    llm = ScriptedLLM({ChooseFunctions: [DOWN, DOWN, calls("logistics_retrieval")], WriteAnswer: [written()]})
    with live(settings_in(small), llm) as client:
        mine, _ = fail(client), fail(client, course="other")
        answered = client.post("/answer", json=request()).json()["draft_id"]
        by_course = client.get("/drafts?course=small&state=failed").json()["drafts"]
        pending = client.get("/drafts?state=pending").json()["drafts"]
    assert [one["id"] for one in by_course] == [mine]
    assert [(one["id"], one["error"]) for one in pending] == [(answered, None)]


@pytest.mark.parametrize(
    "query", ["course=smal", "state=lost", "before=nonsense", "before=%00", "limit=0", "limit=101", "limit=x"]
)
def test_a_list_that_cannot_be_made_is_a_problem(client: httpx.Client, query: str) -> None:
    refused = client.get(f"/drafts?{query}")
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")


@pytest.mark.parametrize(
    "header",
    [
        "Forwarded", "X-Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Anything", "X-Original-Host",
        "X-Real-IP", "X-Client-IP", "Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "Via", "CDN-Loop",
        "CF-Connecting-IP", "CF-Ray", "Fastly-Client-IP", "Fly-Client-IP", "X-Envoy-External-Address", "X-ARR-SSL",
        "X-Azure-ClientIP", "X-Amzn-Trace-Id", "X-ProxyUser-Ip", "WL-Proxy-Client-IP", "X-Remote-Addr",
    ],
)  # fmt: skip
def test_a_client_behind_a_proxy_needs_a_key(client: httpx.Client, header: str) -> None:
    listed = client.get("/drafts", headers={header: "127.0.0.1"})
    retried = client.post("/drafts/unknown/retry", headers={header: "127.0.0.1"})
    assert (listed.status_code, retried.status_code) == (401, 401)
    assert listed.json()["type"] == "urn:edumod:problem:unauthenticated"


def test_a_failed_draft_is_answered_again_with_the_parameters_of_its_request(small: Path) -> None:
    llm = failing(calls("logistics_retrieval"), written())
    with live(settings_in(small), llm) as client:
        draft_id = fail(client, "?pipeline=fc&retriever=bm25&retriever.textbook=vector&top_k=3&seed=7")
        retried = client.post(f"/drafts/{draft_id}/retry")
        again = client.post(f"/drafts/{draft_id}/retry")
        listed = client.get("/drafts?state=failed").json()["drafts"]
    body = retried.json()
    assert (retried.status_code, body["draft_id"], body["status"]) == (200, draft_id, "answered")
    configuration = body["configuration"]
    assert [configuration[name] for name in ("pipeline", "retriever", "top_k", "seed")] == ["fc", "bm25", 3, 7]
    assert configuration["retrievers"]["textbook"] == "vector"
    assert (again.status_code, again.json()["type"]) == (409, "urn:edumod:problem:not-retryable")
    assert listed == []
    draft = stored(small, "draft", draft_id)
    assert (draft.state, draft.response["answer"], draft.error) == ("pending", body["answer"], None)


def test_a_draft_that_fails_again_can_be_tried_once_more(small: Path) -> None:
    with live(settings_in(small), failing(DOWN, calls("logistics_retrieval"), written())) as client:
        draft_id = fail(client)
        failed = client.post(f"/drafts/{draft_id}/retry")
        answered = client.post(f"/drafts/{draft_id}/retry")
    assert (failed.status_code, failed.json()["draft_id"]) == (503, draft_id)
    assert answered.status_code == 200


def test_the_key_of_a_draft_that_was_answered_again_gives_that_answer(small: Path) -> None:
    headers = {"Idempotency-Key": "bot-9"}
    with live(settings_in(small), failing(calls("logistics_retrieval"), written())) as client:
        draft_id = client.post("/answer", json=request(), headers=headers).json()["draft_id"]
        retried = client.post(f"/drafts/{draft_id}/retry")
        again = client.post("/answer", json=request(), headers=headers)
    assert (again.status_code, again.json()) == (200, retried.json())


@pytest.mark.parametrize(("data", "lost"), [(b"no picture", True), (b"\x89PNG\r\n\x1a\n and more", False)])
def test_images_that_were_not_stored_are_reported(small: Path, data: bytes, lost: bool) -> None:
    image = {"media_type": "image/png", "data": base64.b64encode(data).decode()}
    question = {"body": SECRET, "images": [image, image]}
    with live(settings_in(small), failing(calls("logistics_retrieval"), written())) as client:
        failed = client.post("/answer", json=request(question=question))
        retried = client.post(f"/drafts/{failed.json()['draft_id']}/retry")
    assert retried.status_code == 200
    assert any("2 image(s), which were not stored" in warning for warning in retried.json()["warnings"]) is lost


def test_a_draft_in_work_and_an_unknown_draft_are_refused(small: Path) -> None:
    llm = Waiting({ChooseFunctions: [calls("logistics_retrieval")], WriteAnswer: [written()]})
    with live(settings_in(small), llm) as client:
        asking = threading.Thread(target=client.post, args=("/answer",), kwargs={"json": request()})
        asking.start()
        draft_id = next(one["id"] for one in working(client))
        refused = client.post(f"/drafts/{draft_id}/retry")
        unknown = client.post("/drafts/unknown/retry")
        llm.may_answer.set()
        asking.join()
    assert (refused.status_code, "being worked on" in refused.json()["detail"]) == (409, True)
    assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:edumod:problem:not-found")


def working(client: httpx.Client) -> Iterator[dict[str, Any]]:
    for _ in range(3000):
        yield from client.get("/drafts?state=working").json()["drafts"]


def test_a_question_whose_student_had_not_agreed_cannot_be_answered_later(client: httpx.Client) -> None:
    refused = client.post("/answer", json=request(author={"consent": False})).json()
    retried = client.post(f"/drafts/{refused['draft_id']}/retry")
    assert (retried.status_code, retried.json()["type"]) == (409, "urn:edumod:problem:not-retryable")


def test_a_refusal_for_want_of_consent_honours_its_key_and_keeps_nothing_else(small: Path) -> None:
    headers = {"Idempotency-Key": "bot-consent"}
    denied = request(SECRET, author={"consent": False})
    with live(settings_in(small), down()) as client:
        first, second = (client.post("/answer", json=denied, headers=headers).json() for _ in range(2))
        other = client.post("/answer", json=request(author={"consent": True}), headers=headers)
    assert first == second
    assert (other.status_code, other.json()["type"]) == (422, "urn:edumod:problem:idempotency-key-reused")
    kept = "CAST(request AS TEXT), CAST(response AS TEXT), CAST(parameters AS TEXT)"
    assert rows(small, f"SELECT id, fingerprint, {kept} FROM draft") == [
        (first["draft_id"], "", "null", "null", "null")
    ]


def test_a_key_in_progress_says_when_to_ask_again(small: Path) -> None:
    llm = Waiting({ChooseFunctions: [calls("logistics_retrieval")], WriteAnswer: [written()]})
    headers = {"Idempotency-Key": "bot-10"}
    with live(settings_in(small), llm) as client:
        post = {"json": request(), "headers": headers}
        asking = threading.Thread(target=client.post, args=("/answer",), kwargs=post)
        asking.start()
        next(working(client))
        second = client.post("/answer", json=request(), headers=headers)
        llm.may_answer.set()
        asking.join()
    assert (second.status_code, second.json()["type"]) == (409, "urn:edumod:problem:idempotency-key-in-progress")
    assert int(second.headers["retry-after"]) > 0


def test_the_command_line_finds_failed_drafts_and_answers_them_again(tmp_path: Path, material: Path) -> None:
    small = tmp_path / "home"
    course = tmp_path / "course.yaml"
    course.write_text(f"id: small\nmaterial:\n  logistics: {material / 'logistics'}\n")
    assert edumod(small, "course", "load", str(course)).returncode == 0
    with live(settings_in(small), down(), real_embedder=True) as client:
        ids = [fail(client) for _ in range(3)]
    listed = edumod(small, "drafts", "list", "--course", "small", "--state", "failed", "--json")
    assert [one["id"] for one in json.loads(listed.stdout)["drafts"]] == ids[::-1]
    assert "secret" not in listed.stdout
    one = edumod(small, "drafts", "retry", ids[0], "--json")
    assert one.returncode == 0, one.stderr
    assert json.loads(one.stdout)["drafts"][0]["status"]
    rest = edumod(small, "drafts", "retry", "--all", "--course", "small", "--json")
    assert [one["id"] for one in json.loads(rest.stdout)["drafts"]] == ids[1:]
    again = edumod(small, "drafts", "retry", *ids)
    assert (again.returncode, "not-retryable" in again.stdout) == (2, True)
    assert ids[0] in edumod(small, "drafts", "list", "--state", "pending").stdout


def test_the_command_line_says_which_drafts_failed_again(small: Path) -> None:
    with live(settings_in(small), down()) as client:
        draft_id = fail(client)
    failed = edumod(
        small, "drafts", "retry", draft_id, EDUMOD_LLM_BASE_URL="http://127.0.0.1:9/v1", EDUMOD_LLM_MAX_RETRIES="0"
    )
    assert (failed.returncode, "model-" in failed.stdout) == (1, True)


@pytest.mark.parametrize("arguments", [(), ("--all",), ("--course", "small"), ("x", "--all", "--course", "small")])
def test_a_retry_of_nothing_in_particular_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    refused = edumod(tmp_path, "drafts", "retry", *arguments)
    assert (refused.returncode, "--all --course" in refused.stderr) == (2, True)

"""A service whose database is full, or held by another process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from core.course import Course
from core.llm.scripted import ScriptedLLM
from tasks import ChooseFunctions, WriteAnswer
from tests.app.asking import calls, request, stored, written
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.servers.storage import full_disk, held

LONG = "When is homework 3 due? " * 700


@pytest.fixture
async def small(tmp_path: Path, material: Path) -> Path:
    await ingest_all(settings_in(tmp_path / "home"), material, Course(id="small", title="Small"))
    return tmp_path / "home"


def model() -> ScriptedLLM:
    answers = {ChooseFunctions: [calls("logistics_retrieval")] * 9, WriteAnswer: [written()] * 9}
    return ScriptedLLM(answers)  # type: ignore[arg-type]


def listed(client: httpx.Client, state: str, number: int) -> list[dict[str, Any]]:
    """The drafts in that state, once there are so many."""
    for _ in range(3000):
        drafts = client.get(f"/drafts?state={state}").json()["drafts"]
        if len(drafts) == number:
            return drafts
    raise TimeoutError(state)


def test_an_answer_that_a_full_disk_does_not_take_is_given_with_a_warning_and_stored_later(small: Path) -> None:
    with live(settings_in(small), model()) as client:
        with full_disk():
            answered = client.post("/answer", json=request(LONG))
            ready = client.get("/readyz")
        body = answered.json()
        assert (answered.status_code, body["status"]) == (200, "answered")
        assert any("could not be stored yet" in warning for warning in body["warnings"])
        assert ready.status_code == 503
        assert ready.json()["checks"]["database"] == "cannot be written (the disk is full)"
        listed(client, "pending", 1)
        trace = client.get(f"/traces/{body['trace_id']}")
        assert client.get("/readyz").json()["checks"]["database"] == "ok"
    assert trace.status_code == 200
    assert stored(small, "draft", body["draft_id"]).response["warnings"] == []


def test_a_keyed_question_that_a_full_disk_does_not_take_is_kept_for_a_retry(small: Path) -> None:
    llm = model()
    headers = {"Idempotency-Key": "bot-1"}
    with live(settings_in(small), llm) as client:
        with full_disk():
            refused = client.post("/answer", json=request(LONG), headers=headers)
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:edumod:problem:storage-unavailable")
        assert int(refused.headers["retry-after"]) > 0
        assert str(small) not in refused.text
        assert llm.tasks == []
        [kept] = listed(client, "failed", 1)
        assert (kept["id"], kept["error"]["code"]) == (refused.json()["draft_id"], "storage-unavailable")
        retried = client.post(f"/drafts/{kept['id']}/retry")
        again = client.post("/answer", json=request(LONG), headers=headers)
    assert (retried.status_code, again.json()) == (200, retried.json())


def test_an_answer_comes_though_another_process_holds_the_database(small: Path) -> None:
    with live(settings_in(small, database_busy_seconds=0.3), model()) as client:
        client.post("/answer", json=request())
        with held(small / "edumod.db"):
            answered = client.post("/answer", json=request())
            keyed = client.post("/answer", json=request(), headers={"Idempotency-Key": "bot-2"})
            ready = client.get("/readyz").json()["checks"]["database"]
        assert (answered.status_code, keyed.status_code) == (200, 503)
        assert any("another process has locked it" in warning for warning in answered.json()["warnings"])
        assert ready == "cannot be written (another process has locked it)"
        assert client.post("/answer", json=request(), headers={"Idempotency-Key": "bot-2"}).status_code == 200


def test_a_refusal_for_want_of_consent_comes_though_it_cannot_be_stored(small: Path) -> None:
    with live(settings_in(small, database_busy_seconds=0.3), model()) as client, held(small / "edumod.db"):
        refused = client.post("/answer", json=request(author={"consent": False}))
    assert (refused.status_code, refused.json()["status"]) == (200, "consent_required")


def test_a_service_starts_while_another_process_holds_its_database(small: Path) -> None:
    with held(small / "edumod.db"), live(settings_in(small, database_busy_seconds=0.3), model()) as client:
        assert client.get("/healthz").status_code == 200
        assert client.post("/answer", json=request()).status_code == 200

"""`posting: shadow`: nobody who asks or answers sees a draft before a person has answered."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.homes import rows

QUESTION = {"course": "shadow", "question": {"body": "When is homework 3 due?"}}
DRAFTED = "February 19"
"""What the draft says, and the question does not."""
OWN = "See the syllabus, please."


def asked(client: httpx.Client, **headers: str) -> httpx.Response:
    response = client.post("/answer?pipeline=fc", json=QUESTION, headers=headers)
    assert response.status_code in (200, 202), response.text
    return response


def decided(client: httpx.Client, draft_id: str, **decision: Any) -> httpx.Response:
    return client.post(f"/drafts/{draft_id}/decision", json=decision)


@pytest.fixture
def draft_id(reviewing: httpx.Client) -> str:
    found: str = asked(reviewing).json()["draft_id"]
    return found


def shown(client: httpx.Client, draft_id: str) -> dict[str, str]:
    """Every place where a draft is read."""
    page = {"Accept": "text/html"}
    trace = client.get(f"/answers/{draft_id}").json()["trace_id"]
    return {
        "answer": client.get(f"/answers/{draft_id}").text,
        "answer page": client.get(f"/answers/{draft_id}", headers=page).text,
        "draft": client.get(f"/drafts/{draft_id}").text,
        "review": client.get(f"/review/{draft_id}").text,
        "trace": client.get(f"/traces/{trace}").text,
        "trace page": client.get(f"/traces/{trace}/page").text,
    }


def test_whoever_asks_gets_the_draft_without_its_text(reviewing: httpx.Client) -> None:
    response = asked(reviewing)
    body = response.json()
    assert DRAFTED not in response.text
    assert (body["status"], body["answer"], body["citations"], body["warnings"]) == ("answered", "", [], [])
    assert body["trace"]


def test_neither_a_stream_nor_a_repeated_request_tells_it(reviewing: httpx.Client) -> None:
    stream = asked(reviewing, Accept="text/event-stream", **{"Idempotency-Key": "shadow"}).text
    assert "event: retrieval" in stream
    assert "event: done" in stream
    again = asked(reviewing, **{"Idempotency-Key": "shadow"})
    assert again.headers["Idempotent-Replayed"] == "true"
    repeated = asked(reviewing, Accept="text/event-stream", **{"Idempotency-Key": "shadow"}).text
    assert DRAFTED not in stream + again.text + repeated
    assert "event: delta" not in stream + repeated


def test_no_page_and_no_address_shows_it_before_a_decision(reviewing: httpx.Client, draft_id: str) -> None:
    assert [place for place, text in shown(reviewing, draft_id).items() if DRAFTED in text] == []
    assert reviewing.get(f"/answers/{draft_id}").json()["status"] is None


def test_a_draft_that_is_decided_is_shown_and_hidden_again_by_an_undo(reviewing: httpx.Client, draft_id: str) -> None:
    assert decided(reviewing, draft_id, text=OWN).status_code == 200
    places = [place for place, text in shown(reviewing, draft_id).items() if DRAFTED in text]
    assert {"answer", "answer page", "draft", "review"} <= set(places)
    assert reviewing.delete(f"/drafts/{draft_id}/decision").status_code == 204
    assert [place for place, text in shown(reviewing, draft_id).items() if DRAFTED in text] == []


@pytest.mark.parametrize("decision", [{}, {"outcome": "approved"}, {"struck": [1]}])
def test_a_draft_that_nobody_has_seen_cannot_be_approved(
    reviewing: httpx.Client, draft_id: str, decision: dict[str, Any]
) -> None:
    refused = decided(reviewing, draft_id, **decision)
    assert refused.status_code == 422
    assert "your own answer" in refused.json()["detail"]
    assert decided(reviewing, draft_id, outcome="discarded").status_code == 200


def test_the_form_posts_no_draft_that_was_not_seen(reviewing: httpx.Client, draft_id: str) -> None:
    empty = reviewing.post(f"/review/{draft_id}", data={"do": "approve", "strike": ["1"]})
    assert empty.status_code == 422
    assert DRAFTED not in empty.text
    stale = reviewing.post(f"/review/{draft_id}", data={"do": "approve", "final": OWN, "version": "999"})
    assert stale.status_code == 412
    assert OWN in stale.text
    assert DRAFTED not in stale.text


def test_another_draft_is_not_written_for_whoever_answers(reviewing: httpx.Client, draft_id: str) -> None:
    assert "Regenerate" not in reviewing.get(f"/review/{draft_id}").text
    reviewing.post(f"/review/{draft_id}/alternative", data={"instruction": "Shorter."})
    assert DRAFTED not in reviewing.get(f"/review/{draft_id}").text


def test_the_queue_tells_no_judges_score_of_a_hidden_draft(
    reviewing: httpx.Client, review_home: Path, draft_id: str
) -> None:
    end = time.monotonic() + 30
    while not rows(review_home, "SELECT score FROM judgement WHERE draft_id = :id AND score IS NOT NULL", id=draft_id):
        assert time.monotonic() < end
        time.sleep(0.1)
    queue = reviewing.get("/review", params={"course": "shadow"}).text
    assert draft_id in queue
    assert "grounded 0" not in queue
    assert "grounded 1" not in queue
    for level in ("low", "medium", "high"):
        assert draft_id not in reviewing.get("/review", params={"course": "shadow", "judged": level}).text

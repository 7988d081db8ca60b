"""Messages to a real receiver: signed, tried again, each with one id."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.webhooks import http_delivery, outbox_worker
from app.webhooks.http_delivery import send
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, WebhookRow, now
from tests.app.live import live, settings_in
from tests.app.review.conftest import review_home
from tests.app.review.deciding import decide
from tests.servers.receiver import Receiver

__all__ = ["review_home"]


@pytest.fixture
def client(review_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    monkeypatch.setattr(outbox_worker, "BACKOFF", tuple(one / 100 for one in outbox_worker.BACKOFF))
    monkeypatch.setattr(outbox_worker, "POLL_SECONDS", 0.05)
    with live(settings_in(review_home, webhook_hosts=("127.0.0.1",))) as client:
        yield client


def asked(client: httpx.Client, course: str, **more: Any) -> dict[str, Any]:
    question = {"course": course, "question": {"body": "When is homework 3 due?"}, **more}
    return {"id": client.post("/answer?pipeline=fc", json=question).json()["draft_id"]}


def delivered(client: httpx.Client) -> dict[str, Any]:
    """The last delivery, once it is recorded as delivered: the receiver has it a moment before."""
    end = time.monotonic() + 20
    while (found := client.get("/courses/quick/webhooks").json()["deliveries"][0])["state"] != "delivered":
        assert time.monotonic() < end
        time.sleep(0.05)
    return dict(found)


def deliveries(client: httpx.Client) -> dict[str, Any]:
    """The latest message to each address."""
    found = client.get("/courses/quick/webhooks").json()["deliveries"]
    return {one["url"]: one for one in reversed(found)}


def test_a_final_decision_arrives_signed_and_again_until_it_is_taken(client: httpx.Client, receiver: Receiver) -> None:
    added = client.post("/courses/quick/webhooks", json={"url": receiver.url})
    assert added.status_code == 201, added.text
    secret = added.json()["secret"]
    assert secret not in client.get("/courses/quick/webhooks").text
    receiver.statuses = [500, 302]
    draft = asked(client, "quick")
    decide(client, draft, text="On February 19.")
    receiver.wait(3)
    assert len({headers["EduMod-Delivery"] for headers, _ in receiver.got}) == 1
    assert receiver.signed(secret)["draft"]["decision"]["text"] == "On February 19."
    found = delivered(client)
    assert (found["tries"], found["last_status"]) == (3, 200)
    assert client.post(f"/courses/quick/deliveries/{found['id']}/retry").status_code == 202
    receiver.wait(4)
    assert receiver.got[-1][0]["EduMod-Delivery"] == found["id"]
    assert delivered(client)["id"] == found["id"]
    page = client.get("/courses/quick/webhooks", headers={"Accept": "text/html"}).text
    assert "delivered" in page
    assert client.delete(f"/courses/quick/webhooks/{added.json()['id']}").status_code == 204


def test_a_message_that_fails_unexpectedly_is_recorded_and_does_not_hold_up_others(
    client: httpx.Client, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(url: str, *rest: Any) -> int:
        if url.endswith("/broken"):
            raise RuntimeError("a fault of ours")
        return await send(url, *rest)

    monkeypatch.setattr(http_delivery, "send", broken)
    urls = (f"{receiver.url}/broken", receiver.url)
    added = [client.post("/courses/quick/webhooks", json={"url": url}).json() for url in urls]
    decide(client, asked(client, "quick"), text="On February 19.")
    receiver.wait(1)
    end = time.monotonic() + 20
    while not (found := deliveries(client)[urls[0]])["tries"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert (found["state"], found["last_error"]) == ("waiting", "It could not be sent; the server's log says why.")
    for one in added:
        client.delete(f"/courses/quick/webhooks/{one['id']}")


def test_a_decision_that_can_be_undone_is_not_sent(client: httpx.Client, receiver: Receiver) -> None:
    added = client.post("/courses/small/webhooks", json={"url": receiver.url}).json()
    draft = asked(client, "small")
    decide(client, draft)
    (waiting,) = client.get("/courses/small/webhooks").json()["deliveries"]
    assert waiting["state"] == "waiting"
    client.delete(f"/drafts/{draft['id']}/decision")
    assert client.get("/courses/small/webhooks").json()["deliveries"] == []
    assert receiver.got == []
    client.delete(f"/courses/small/webhooks/{added['id']}")


def test_a_request_may_name_a_callback_and_need_not_wait(client: httpx.Client, receiver: Receiver) -> None:
    question = {"course": "quick", "question": {"body": "When is homework 3 due?"}, "callback_url": receiver.url}
    accepted = client.post("/answer?pipeline=fc", json=question, headers={"Prefer": "respond-async"})
    assert accepted.status_code == 202, accepted.text
    address = accepted.headers["location"]
    end = time.monotonic() + 30
    while client.get(address).json()["state"] == "working":
        assert time.monotonic() < end
        time.sleep(0.05)
    decide(client, {"id": accepted.json()["draft_id"]})
    receiver.wait(1)
    assert json.loads(receiver.got[0][1])["draft"]["id"] == accepted.json()["draft_id"]
    refused = client.post("/answer", json={**question, "callback_url": "http://10.0.0.1/"})
    assert (refused.status_code, "EDUMOD_WEBHOOK_HOSTS" in refused.json()["detail"]) == (422, True)


def test_a_correction_is_told_as_an_event_of_its_own(client: httpx.Client, receiver: Receiver) -> None:
    added = client.post("/courses/quick/webhooks", json={"url": receiver.url}).json()
    draft = asked(client, "quick")
    decide(client, draft, text="On February 19.")
    receiver.wait(1)
    assert client.put(f"/drafts/{draft['id']}/decision", json={"text": "On February 20."}).status_code == 200
    receiver.wait(2)
    assert [headers["EduMod-Event"] for headers, _ in receiver.got] == ["draft.decided", "draft.corrected"]
    assert json.loads(receiver.got[1][1])["draft"]["decision"]["text"] == "On February 20."
    client.delete(f"/courses/quick/webhooks/{added['id']}")


async def test_a_draft_that_waits_too_long_is_told_once(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'late.db'}")
    for course, rules in (("c", {}), ("quiet", {"remind": False}), ("unheard", {})):
        await store.courses.put(course, {"id": course, "review": {"due_hours": 2, **rules}})
        for hours, state in ((3, DraftState.PENDING), (3, DraftState.DECIDED), (1, DraftState.FAILED)):
            asked_at = now() - timedelta(hours=hours)
            row = DraftRow(id=f"{course}-{hours}-{state}", course_id=course, state=state, created_at=asked_at)
            await store.drafts.begin(row)
    for course in ("c", "quiet"):
        await store.outbox.subscribe(WebhookRow(id=course, course_id=course, url="https://f.example/", secret="s"))
    worker = outbox_worker.OutboxWorker(store, ())
    assert [await worker.remind(), await worker.remind()] == [1, 0]
    (message,) = await store.outbox.deliveries(["c", "quiet", "unheard"], 10)
    assert (message.event, message.draft_id) == ("draft.overdue", "c-3-pending")
    await store.aclose()

"""A service that is killed at any moment loses no decision and no message."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from core.course import Course, ReviewRules
from core.store.store import Store
from core.store.tables import DraftRow, DraftState
from tests.app.commands import environment
from tests.app.review.deciding import decide
from tests.app.serving import START_SECONDS, answer
from tests.servers.homes import database_of
from tests.servers.receiver import Receiver

pytestmark = pytest.mark.slow

DRAFTS, KILLS = 60, 3
FAILED = {"code": "model-unavailable", "detail": "A person has to answer."}
SERVE = """
from datetime import timedelta
from app.webhooks import outbox_worker
outbox_worker.LEASE, outbox_worker.POLL_SECONDS = timedelta(seconds=1), 0.05
outbox_worker.BACKOFF = tuple(one / 50 for one in outbox_worker.BACKOFF)
from app.cli import main
main()
"""
"""`edumod serve` that takes over the messages of a dead process after a second, not after a minute."""


@pytest.fixture
async def home(tmp_path: Path, each_database: None) -> Path:
    """A course with drafts that wait, and whose decisions are final at once."""
    home = tmp_path / "home"
    home.mkdir()
    store = await Store.open(database_of(home))
    course = Course(id="c", review=ReviewRules(undo_seconds=0))
    await store.courses.put("c", course.model_dump(mode="json"))
    for n in range(DRAFTS):
        await store.drafts.begin(DraftRow(id=f"draft-{n}", course_id="c", state=DraftState.FAILED, error=FAILED))
    await store.aclose()
    return home


class Service:
    """The service, started anew whenever it was killed."""

    def __init__(self, home: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._home = home
        self._environment = environment(home, EDUMOD_WEBHOOK_HOSTS='["127.0.0.1"]')
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-c", SERVE, "serve", "--port", str(self.port)]
        with open(self._home / "log", "a") as log:
            self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log, text=True)
        answer(f"{self.url}/healthz", self._process)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(START_SECONDS)


@pytest.fixture
def service(home: Path) -> Iterator[Service]:
    made = Service(home)
    made.start()
    yield made
    made.kill()


def test_each_accepted_decision_is_kept_and_announced_under_one_id(
    service: Service, receiver: Receiver, home: Path
) -> None:
    chance = random.Random(19)
    receiver.statuses = [500, 200, 200] * DRAFTS
    subscribed = httpx.post(f"{service.url}/courses/c/webhooks", json={"url": receiver.url})
    assert subscribed.status_code == 201, subscribed.text
    waiting = [f"draft-{n}" for n in range(DRAFTS)]
    accepted: dict[str, str] = {}
    for _ in range(KILLS):
        reviewer = threading.Thread(target=review, args=(service.url, waiting, accepted))
        reviewer.start()
        enough = len(accepted) + chance.randint(3, 12)
        while len(accepted) < enough:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.1))
        service.kill()
        reviewer.join()
        service.start()
    review(service.url, waiting, accepted)
    assert len(accepted) == DRAFTS
    for draft_id, decision_id in accepted.items():
        assert httpx.get(f"{service.url}/drafts/{draft_id}").json()["decision"]["id"] == decision_id
    announced = ids_by_draft(receiver)
    assert announced.keys() == accepted.keys()
    assert {len(ids) for ids in announced.values()} == {1}


def review(url: str, waiting: list[str], accepted: dict[str, str]) -> None:
    """Decide what waits until the service is gone. A decision whose reply was lost is found as the one that counts."""
    with httpx.Client(base_url=url, timeout=60) as client, suppress(httpx.TransportError):
        while waiting:
            replied = decide(client, {"id": waiting[0]}, text="Yes.")
            body = replied.json()
            assert replied.status_code in (200, 409), body
            accepted[waiting.pop(0)] = (body if replied.status_code == 200 else body["decision"])["id"]


def ids_by_draft(receiver: Receiver) -> dict[str, set[str]]:
    """The ids of the messages about each draft, once there is one about every draft."""
    end = time.monotonic() + 60
    while True:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for headers, body in list(receiver.got):
            found[json.loads(body)["draft"]["id"]].add(headers["EduMod-Delivery"])
        if len(found) == DRAFTS:
            return found
        assert time.monotonic() < end, sorted(found)
        time.sleep(0.1)

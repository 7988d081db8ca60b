"""The whole way of a question through the sample course: draft, decision, message, past question, figures, deletion."""

from __future__ import annotations

import base64
import json
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.commands import edumod
from tests.app.review.browsing import read
from tests.app.serving import START_SECONDS, answer, serve
from tests.pipelines.images.drawing import drawn
from tests.pipelines.images.test_reading import needs_tesseract
from tests.servers.receiver import Receiver

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[3] / "data" / "ds101" / "course.yaml"
STUDENT = "student-731"
QUESTION = "In which room is the lost and found box of the lab sessions? I am Ada Byron (ada@example.edu)."
FOLLOWS_SECONDS = 1.5
"""A process knows within a second what another one changed."""
SIMILAR = "Where is the lost and found box?"
TEXT = "The lost and found box is in room Zeppelin 12. Ask at the desk, Ada."
PERSONAL = (STUDENT, "Byron", "ada@example.edu", "ukulele")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample course."""
    folder = tmp_path_factory.mktemp("loop")
    loaded = edumod(folder, "course", "load", str(SAMPLE))
    assert loaded.returncode == 0, loaded.stderr
    return folder


@pytest.fixture
def served(home: Path) -> Iterator[httpx.Client]:
    """A process that serves it. Its log names nobody."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = serve(home, port, 1, EDUMOD_WEBHOOK_HOSTS='["127.0.0.1"]')
    try:
        answer(f"http://127.0.0.1:{port}/readyz", server)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield client
    finally:
        server.send_signal(signal.SIGINT)
        log = "".join(server.communicate(timeout=START_SECONDS))
    assert [one for one in PERSONAL if one in log] == []


@needs_tesseract
def test_a_question_becomes_an_answer_that_teaches_and_is_deleted_everywhere(
    home: Path, served: httpx.Client, receiver: Receiver, browser_page: Any, tmp_path: Path
) -> None:
    secret = served.post("/courses/ds101/webhooks", json={"url": receiver.url}).json()["secret"]
    page = browser_page.new_page()
    asked = ask(served, QUESTION)
    draft_id = asked["draft_id"]
    assert "ukulele" in asked["trace"][0]["note"]
    approve(page, f"{served.base_url}/review?course=ds101", draft_id)

    receiver.wait(1)
    message = receiver.signed(secret)["draft"]
    assert (message["id"], message["decision"]["text"], message["decision"]["is_final"]) == (draft_id, TEXT, True)
    assert cited(ask(served, SIMILAR)) == [f"review/{draft_id}"]
    assert "1 decision by people" in shown(page, f"{served.base_url}/courses/ds101/quality")
    assert [one["reference"] for one in exported_labels(home, tmp_path / "labels")] == [
        "The lost and found box is in room Zeppelin 12. Ask at the desk, [name]."
    ]

    deleted = run(home, "privacy", "delete", "--pseudonym", STUDENT)["deleted"]
    assert {name: count for name, count in deleted.items() if count} == {
        "drafts": 1, "traces": 1, "pictures": 1, "decisions": 1, "deliveries": 1, "past questions": 1,
    }  # fmt: skip
    time.sleep(FOLLOWS_SECONDS)
    assert cited(ask(served, SIMILAR)) == []
    for address in (f"/drafts/{draft_id}", f"/answers/{draft_id}", f"/traces/{asked['trace_id']}"):
        assert served.get(address).status_code == 404, address
    assert served.get("/courses/ds101/webhooks").json()["deliveries"] == []
    assert "Nothing to show yet" in shown(page, f"{served.base_url}/courses/ds101/quality")
    assert "Zeppelin" not in shown(page, f"{served.base_url}/courses/ds101?q=lost+and+found")
    assert exported_labels(home, tmp_path / "labels") == []
    assert run(home, "privacy", "export", str(tmp_path / "export"), "--pseudonym", STUDENT)["drafts"] == 0
    kept = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert [one for one in PERSONAL if one.encode() in kept] == []


def ask(client: httpx.Client, body: str) -> dict[str, Any]:
    """What a bot does: the first question has an author and a picture."""
    question: dict[str, Any] = {"body": body}
    request: dict[str, Any] = {"course": "ds101", "question": question}
    if body == QUESTION:
        picture = base64.b64encode(drawn("my ukulele, Ada")).decode()
        question |= {"title": "Lost and found", "images": [{"media_type": "image/png", "data": picture}]}
        request |= {"people": [{"name": "Ada Byron"}], "author": {"pseudonym": STUDENT}, "thread_id": "thread-1"}
    answered = client.post("/answer", json=request)
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()
    return found


def approve(page: Any, queue: str, draft_id: str) -> None:
    """What a teaching assistant does, by keyboard."""
    page.goto(queue)
    read(page)
    page.keyboard.press("o")
    page.wait_for_url(f"**/review/{draft_id}?*")
    read(page)
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type(TEXT)
    page.keyboard.press("Escape")
    page.get_by_title("Factual detail").click()
    page.get_by_text("Note and scores").click()
    page.get_by_label("Answer the next such question from this one").check()
    page.keyboard.press("a")
    page.get_by_text("Send it again if it is meant so").wait_for()  # The text names the student.
    read(page)
    page.keyboard.press("a")
    page.locator(".toast").wait_for()


def cited(answer: dict[str, Any]) -> list[str]:
    """The past questions from review that an answer cites."""
    return [one["document"] for one in answer["citations"] if one["document"].startswith("review/")]


def shown(page: Any, address: str) -> str:
    page.goto(address)
    text: str = page.locator("main").inner_text()
    return text


def run(home: Path, *arguments: str) -> Any:
    done = edumod(home, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def exported_labels(home: Path, folder: Path) -> list[dict[str, Any]]:
    """The labelled answers that `edumod label export` writes."""
    count = run(home, "label", "export", "ds101", str(folder))["labels"]
    lines = (folder / "answers" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == count
    return [json.loads(line) for line in lines]

"""What is posted was read by a person, is an answer, and has no marks for its reviewer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.course import Course, ReviewRules, Writing
from core.llm.scripted import ScriptedLLM
from core.review import Posting
from tasks import Quoted, Statement, WrittenAnswer
from tests.app.asking import calls
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in

QUESTION = "When is homework 3 due?"
SENTENCE = "I could not find an answer"


@pytest.fixture(scope="module")
def posting_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    home = tmp_path_factory.mktemp("posting")
    rules = ReviewRules(undo_seconds=3600, threshold=0.0)
    writing = Writing(mark="(ungeprüft)", second_look_below=0.0)
    courses = (
        Course(id="auto", title="Auto", posting=Posting.AUTO, review=rules, writing=writing),
        Course(id="review", title="Review", review=rules, writing=writing),
    )
    asyncio.run(ingest_all(settings_in(home), material, *courses))
    return home


@pytest.fixture
def server(posting_home: Path) -> Iterator[Any]:
    """Asks a scripted model in a course, and gives the draft."""

    def served(course: str, reply: Any) -> tuple[httpx.Client, dict[str, Any]]:
        manager = live(settings_in(posting_home), ScriptedLLM([calls("logistics_retrieval"), reply]))
        client = manager.__enter__()
        opened.append(manager)
        asked = client.post("/answer?pipeline=fc", json={"course": course, "question": {"body": QUESTION}})
        assert asked.status_code == 200, asked.text
        found: dict[str, Any] = client.get(f"/drafts/{asked.json()['draft_id']}").json()
        return client, found

    opened: list[Any] = []
    yield served
    for manager in opened:
        manager.__exit__(None, None, None)


def written(confidence: Any = 0.9, text: str = "Homework 3 is due on February 19 at noon.", **fields: Any) -> Any:
    sources = fields.pop("sources", (Quoted(passage=1, quote="Probability | Thursday, February 19, 23:59"),))
    statement = Statement(text=text, sources=sources)
    return WrittenAnswer.model_validate(
        {"status": "answered", "statements": (statement,), "confidence": confidence} | fields
    )


def test_a_clean_and_sure_draft_is_posted_at_once(server: Any) -> None:
    _, draft = server("auto", written())
    assert draft["doubts"] == [], draft
    assert draft["state"] == "decided"


@pytest.mark.parametrize(
    ("reply", "doubt"),
    [
        (written(45), "unclear_confidence"),
        (written("45"), "unclear_confidence"),
        (written("0.95"), "unclear_confidence"),
        (written(True), "unclear_confidence"),
        (written(1.2), "unclear_confidence"),
        (written(-1), "unclear_confidence"),
        (written(0.0), "contradiction"),
        (written(sources=()), "unverified"),
        (written(sources=(Quoted(passage=1, quote="Homework 3 is due in the year 2099"),)), "unverified"),
        (written(text="Homework 3 is due on February 19\u200b\u2062 at noon."), "cut"),
        (written(text="Homework 3 is due on February 19 at noon [77]."), "cut"),
        (written(text="Homework 3 is due on February 19 at noon, see [this](http://evil.example/x)."), "cut"),
    ],
)
def test_what_is_doubtful_waits_for_a_person_and_says_why(server: Any, reply: Any, doubt: str) -> None:
    _, draft = server("auto", reply)
    assert (draft["state"], doubt in draft["doubts"]) == ("pending", True), draft


@pytest.mark.parametrize(
    "text", ["Late work is free.", "Remember that late work costs nothing this time.", "Try it late:"]
)
def test_any_statement_without_a_quote_waits_for_a_person(server: Any, text: str) -> None:
    backed = written().statements
    _, draft = server("auto", written(statements=(*backed, Statement(text=text))))
    assert (draft["state"], "unverified" in draft["doubts"]) == ("pending", True), draft


@pytest.mark.parametrize("text", ["Good luck!", "Which part is unclear to you?"])
def test_a_greeting_or_a_question_needs_no_quote(server: Any, text: str) -> None:
    _, draft = server("auto", written(statements=(*written().statements, Statement(text=text))))
    assert draft["state"] == "decided", draft


def test_a_percentage_is_read_as_one(server: Any) -> None:
    _, draft = server("review", written(45))
    assert draft["confidence"] == 0.45


def test_a_mark_for_the_reviewer_is_shown_and_not_posted(server: Any) -> None:
    client, draft = server("review", written(sources=()))
    assert "ungeprüft" not in draft["answer"]
    assert draft["unverified"] == [draft["answer"]]
    page = client.get(f"/review/{draft['id']}").text
    assert "(ungeprüft)</span>" in page
    assert "*(ungeprüft)*" not in page
    decided = client.post(f"/drafts/{draft['id']}/decision", json={"outcome": "approved"}).json()
    assert (decided["outcome"], decided["text"]) == ("approved", draft["answer"])


def test_a_mark_in_a_text_that_was_sent_is_not_posted(server: Any) -> None:
    client, draft = server("review", written(sources=()))
    text = "Homework 3 is due *(ungeprüft)* on Friday."
    assert client.post(f"/drafts/{draft['id']}/decision", json={"text": text}).json()["text"] == (
        "Homework 3 is due on Friday."
    )


@pytest.mark.parametrize("status", ["abstained", "no_response_needed"])
def test_a_draft_without_an_answer_cannot_be_approved(server: Any, status: str) -> None:
    client, draft = server("review", WrittenAnswer(status=status, statements=(), confidence=0.9))
    same = {"text": draft["answer"] or " "}
    for decision in ({}, {"outcome": "approved"}, {"struck": [2]}, same, {**same, "outcome": "approved"}):
        refused = client.post(f"/drafts/{draft['id']}/decision", json=decision)
        assert (refused.status_code, "Write one as the text, or discard" in refused.json()["detail"]) == (422, True)
    page = client.get(f"/review/{draft['id']}").text
    assert "The draft has no answer" in page
    assert SENTENCE not in page
    form = client.post(f"/review/{draft['id']}", data={"do": "approve", "final": ""})
    assert (form.status_code, "Write one as the text, or discard" in form.text) == (422, True)
    assert client.post(f"/drafts/{draft['id']}/decision", json={"text": "Ask in section."}).status_code == 200

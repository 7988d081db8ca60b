"""What whoever asked sees of a draft: that it waits, and after a decision the decided text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.types import Role
from tests.app.people.actors import headers, made_key, sign_in_path

DRAFTED = "19 February"
"""What the draft says, and the question does not."""
QUESTION = "When is homework 3 due?"
OWN = "Look at page 2 of the syllabus."
WAITS = "A member of staff will look at it"
STAFF_ANSWER = "Staff will answer this question"
COURSES = ("small", "quick", "auto", "shadow", "undecided", "strictly")
PAGE = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def student(reviewing: httpx.Client, review_home: Path) -> Iterator[httpx.Client]:
    """A student who has signed in in a browser."""
    with httpx.Client(base_url=reviewing.base_url, timeout=60) as client:
        assert client.post(sign_in_path(review_home, "Ada", Role.STUDENT, COURSES)).status_code == 303
        found = re.search(r'name="csrf" value="([^"]+)"', client.get("/", headers=PAGE).text)
        assert found is not None
        client.headers["X-CSRF-Token"] = found[1]
        yield client


def asked(client: httpx.Client, course: str = "small", **more: str) -> httpx.Response:
    request = {"course": course, "question": {"body": QUESTION}}
    response = client.post("/answer?pipeline=fc", json=request, headers=more)
    assert response.status_code == 200, response.text
    return response


def texts(client: httpx.Client, draft_id: str) -> dict[str, str]:
    """Every place where whoever asked can read about the question."""
    where = f"/answers/{draft_id}"
    answer = client.get(where).json()
    trace = f"/traces/{answer['trace_id']}"
    cited = f"/courses/{answer['course_id']}/blocks/x?answer={draft_id}&citation=1"
    places = {"answer": client.get(where).text, "page": client.get(where, headers=PAGE).text}
    if answer["trace_id"]:
        places |= {"trace": client.get(trace).text, "trace page": client.get(f"{trace}/page").text}
    return places | {"citation": client.get(cited, follow_redirects=True).text}


def places_with(client: httpx.Client, draft_id: str, words: str) -> list[str]:
    return [place for place, text in texts(client, draft_id).items() if words in text]


@pytest.mark.parametrize("course", ["small", "undecided", "shadow"])
def test_a_student_sees_of_a_draft_only_that_it_waits(student: httpx.Client, course: str) -> None:
    reply = asked(student, course)
    assert DRAFTED not in reply.text
    assert WAITS in reply.json()["answer"]
    assert (reply.json()["citations"], reply.json()["function_calls"], reply.json()["confidence"]) == ([], [], 0)
    draft_id = reply.json()["draft_id"]
    assert places_with(student, draft_id, DRAFTED) == []
    assert {"answer", "page"} <= set(places_with(student, draft_id, WAITS))
    waiting = student.get(f"/answers/{draft_id}").json()
    assert (waiting["state"], waiting["status"], waiting["citations"], waiting["warnings"]) == ("pending", None, [], [])


def test_a_students_stream_holds_neither_the_draft_nor_what_was_searched_for(student: httpx.Client) -> None:
    stream = asked(student, Accept="text/event-stream").text
    data = [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if line.startswith("data: ")]
    assert "event: call" in stream
    assert DRAFTED not in stream
    assert WAITS in data[-1]["answer"]
    assert [one for one in data if one.get("arguments") or one.get("passages") or one.get("note")] == []


def test_the_form_leads_to_a_page_that_says_that_the_draft_waits(student: httpx.Client) -> None:
    form = {"course": "small", "body": QUESTION, "pipeline": "fc", "csrf": student.headers["X-CSRF-Token"]}
    page = student.post("/", data=form, headers=PAGE, follow_redirects=True).text
    assert WAITS in page
    assert DRAFTED not in page
    assert "data-waiting" in page


def test_an_unsure_draft_of_a_course_that_posts_by_itself_waits_like_others(
    student: httpx.Client, reviewing: httpx.Client, review_home: Path
) -> None:
    draft_id = asked(student, "auto").json()["draft_id"]
    if reviewing.get(f"/drafts/{draft_id}").json()["state"] == "decided":
        assert reviewing.delete(f"/drafts/{draft_id}/decision").status_code == 204
    assert places_with(student, draft_id, DRAFTED) == []


@pytest.mark.parametrize("decision", [{"text": OWN}, {"text": f"{OWN} (as in week 2)"}])
def test_after_a_decision_a_student_sees_the_decided_text_and_nothing_else_of_the_draft(
    student: httpx.Client, reviewing: httpx.Client, decision: dict[str, str]
) -> None:
    draft_id = asked(student).json()["draft_id"]
    assert reviewing.post(f"/drafts/{draft_id}/decision", json=decision).status_code == 200
    assert places_with(student, draft_id, DRAFTED) == []
    answer = student.get(f"/answers/{draft_id}").json()
    assert (answer["status"], answer["answer"], answer["citations"]) == ("answered", decision["text"], [])
    assert OWN in student.get(f"/answers/{draft_id}", headers=PAGE).text


def test_an_approved_draft_is_shown_with_its_sources(student: httpx.Client, reviewing: httpx.Client) -> None:
    draft_id = asked(student).json()["draft_id"]
    assert reviewing.post(f"/drafts/{draft_id}/decision", json={"outcome": "approved"}).status_code == 200
    answer = student.get(f"/answers/{draft_id}").json()
    assert DRAFTED in answer["answer"]
    assert answer["citations"]
    assert reviewing.delete(f"/drafts/{draft_id}/decision").status_code == 204
    assert places_with(student, draft_id, DRAFTED) == []


def test_of_a_discarded_draft_a_student_learns_that_staff_will_answer(
    student: httpx.Client, reviewing: httpx.Client
) -> None:
    draft_id = asked(student).json()["draft_id"]
    assert reviewing.post(f"/drafts/{draft_id}/decision", json={"outcome": "discarded"}).status_code == 200
    assert places_with(student, draft_id, DRAFTED) == []
    assert {"answer", "page"} <= set(places_with(student, draft_id, STAFF_ANSWER))


def test_the_course_has_its_own_sentences(student: httpx.Client, reviewing: httpx.Client) -> None:
    draft_id = asked(student, "strictly").json()["draft_id"]
    assert student.get(f"/answers/{draft_id}").json()["answer"] == "Patience."
    reviewing.post(f"/drafts/{draft_id}/decision", json={"outcome": "discarded"})
    assert student.get(f"/answers/{draft_id}").json()["answer"] == "Ask in person."


def test_a_repeated_request_tells_a_student_what_was_decided(student: httpx.Client, reviewing: httpx.Client) -> None:
    first = asked(student, **{"Idempotency-Key": "asker"}).json()
    assert DRAFTED not in asked(student, **{"Idempotency-Key": "asker"}).text
    reviewing.post(f"/drafts/{first['draft_id']}/decision", json={"text": OWN})
    again = asked(student, **{"Idempotency-Key": "asker"})
    assert (again.headers["Idempotent-Replayed"], again.json()["answer"]) == ("true", OWN)


def test_a_bot_gets_its_draft_and_later_what_was_decided(reviewing: httpx.Client, review_home: Path) -> None:
    bot = headers(made_key(review_home, Permission.ANSWER))
    reply = asked(reviewing, **bot).json()
    assert DRAFTED in reply["answer"]
    where = f"/answers/{reply['draft_id']}"
    assert reviewing.get(where, headers=bot).json()["state"] == "pending"
    reviewing.post(f"/drafts/{reply['draft_id']}/decision", json={"text": OWN})
    decided = reviewing.get(where, headers=bot)
    assert decided.json()["answer"] == OWN
    assert DRAFTED not in decided.text
    discarded = asked(reviewing, **bot).json()["draft_id"]
    reviewing.post(f"/drafts/{discarded}/decision", json={"outcome": "discarded"})
    assert DRAFTED not in reviewing.get(f"/answers/{discarded}", headers=bot).text


def test_who_may_read_drafts_sees_the_draft_before_and_after(reviewing: httpx.Client) -> None:
    draft_id = asked(reviewing).json()["draft_id"]
    assert DRAFTED in reviewing.get(f"/answers/{draft_id}").json()["answer"]
    reviewing.post(f"/drafts/{draft_id}/decision", json={"text": OWN})
    assert DRAFTED in reviewing.get(f"/answers/{draft_id}").json()["answer"]


def test_a_student_votes_on_what_was_decided_and_not_before(student: httpx.Client, reviewing: httpx.Client) -> None:
    draft_id = asked(student).json()["draft_id"]
    assert student.put(f"/answers/{draft_id}/vote", json={"helpful": True}).status_code == 409
    reviewing.post(f"/drafts/{draft_id}/decision", json={"text": OWN})
    assert student.put(f"/answers/{draft_id}/vote", json={"helpful": True}).status_code == 204


def test_a_long_poll_ends_with_the_decision(student: httpx.Client, reviewing: httpx.Client) -> None:
    draft_id = asked(student).json()["draft_id"]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: student.get(f"/answers/{draft_id}?wait=20").json())
        sleep(0.2)
        decided_at = monotonic()
        reviewing.post(f"/drafts/{draft_id}/decision", json={"text": OWN})
        assert waiting.result()["answer"] == OWN
    assert monotonic() - decided_at < 10
    assert student.get(f"/answers/{draft_id}?wait=99").status_code == 422


def test_the_page_of_a_waiting_question_shows_the_answer_once_it_is_there(
    student: httpx.Client, reviewing: httpx.Client, review_home: Path, browser_page: Any
) -> None:
    context = browser_page.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{reviewing.base_url}{sign_in_path(review_home, 'Browsing', Role.STUDENT, COURSES)}")
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{reviewing.base_url}/")
    page.get_by_label("Course").select_option("small")
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text(WAITS).wait_for()
    assert DRAFTED not in page.content()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    draft_id = page.url.rpartition("/")[2]
    reviewing.post(f"/drafts/{draft_id}/decision", json={"text": OWN})
    page.locator(".answer").get_by_text(OWN).wait_for()
    context.close()

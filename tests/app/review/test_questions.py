"""What a course's students ask, in topics; and what one student has asked."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import httpx
import numpy as np
import pytest

from app.review.questions import topics_of
from core.store.tables import DraftRow, DraftState, now
from core.types import Role
from tests.app.people.actors import sign_in_path
from tests.app.review.conftest import Ask


def draft(number: int, body: str, asker: str | None = None) -> DraftRow:
    question = {"title": "", "body": body}
    request = {"question": question}
    return DraftRow(
        id=str(number), course_id="c", state=DraftState.PENDING, request=request, pseudonym=asker, asked_by="key-1"
    )


def test_alike_questions_are_a_topic_named_by_the_words_they_share() -> None:
    bodies = ["the loss is nan", "my loss is nan again", "the slip days", "slip days for the project", "the zoo"]
    vectors = np.array([[1, 0.1, 0], [1, 0, 0.1], [0, 1, 0.1], [0.1, 1, 0], [0, 0, 1]])
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    drafts = [draft(n, body, f"s{n}") for n, body in enumerate(bodies)]
    topics = topics_of(drafts, vectors, now() - timedelta(days=6))
    assert [(topic.name, topic.count, sum(topic.days)) for topic in topics] == [
        ("days, slip", 2, 2),
        ("loss, nan", 2, 2),
    ]
    assert "zoo" not in str(topics)


@pytest.mark.parametrize(("askers", "people"), [(("a", "a"), 0), ((None, None), 0), (("a", None), 2), (("a", "b"), 2)])
def test_what_one_person_asks_often_is_no_topic(askers: tuple[str | None, str | None], people: int) -> None:
    drafts = [draft(n, "slip days", asker) for n, asker in enumerate(askers)]
    topics = topics_of(drafts, np.array([[1.0, 0], [1, 0]]), now() - timedelta(days=6))
    assert [topic.people for topic in topics] == [people] * (people > 0)


def test_a_topic_is_named_by_words_of_several_people_alone() -> None:
    bodies = ["slip days", "slip days", "slip secret secret", "slip secret"]
    askers = ["a", "b", "c", "c"]
    drafts = [draft(n, body, asker) for n, (body, asker) in enumerate(zip(bodies, askers, strict=True))]
    (topic,) = topics_of(drafts, np.array([[1.0, 0]] * 4), now() - timedelta(days=6))
    assert "secret" not in topic.name


def test_the_page_says_what_was_asked_what_was_not_answered_and_how_long_it_took(
    reviewing: httpx.Client, ask: Ask
) -> None:
    first = ask("undecided", body="When is homework 3 due, asks Ada Byron (ada@example.edu)?")
    ask("undecided", body="Where is the zoo of Ada Byron (ada@example.edu)?")
    reviewing.post(f"/drafts/{first['id']}/decision", json={"text": "Quite another answer."})
    page = reviewing.get("/courses/undecided/questions").text
    assert "the draft was written anew" in page
    assert "the material does not say" in page
    assert "ada@example.edu" not in page
    assert "Median wait" in page


def test_a_student_lists_only_own_questions(reviewing: httpx.Client, review_home: Path, ask: Ask) -> None:
    ask(body="A question of somebody else?")
    with httpx.Client(base_url=reviewing.base_url, timeout=60) as student:
        student.post(sign_in_path(review_home, "Lister", Role.STUDENT, ("small",)))
        found = re.search(r'name="csrf" value="([^"]+)"', student.get("/", headers={"Accept": "text/html"}).text)
        assert found is not None
        form = {"course": "small", "body": "When is homework 3 due, please?", "csrf": found[1], "pipeline": "fc"}
        where = student.post("/", data=form).headers["location"]
        page = student.get("/questions").text
        assert where in page
        assert "a teaching assistant will look at it" in page
        assert "somebody else" not in page
        reviewing.post(f"/drafts/{where.rpartition('/')[2]}/decision", json={"text": "On page 2."})
        assert "answered" in student.get("/questions").text


def test_one_answer_serves_alike_questions_that_were_ticked(reviewing: httpx.Client, ask: Ask) -> None:
    body = "May a penguin hand in homework 3 late?"
    first, second, third = (ask("undecided", body=body) for _ in range(3))
    where = f"/review/{first['id']}"
    page = reviewing.get(where).text
    assert f'name="also" value="{second["id"]}"' in page
    form = {"do": "approve", "final": "No penguin may [1].", "also": second["id"], "reason": "tone"}
    assert reviewing.post(where, data=form).status_code == 303
    decisions = [reviewing.get(f"/drafts/{one['id']}").json()["decision"] for one in (first, second, third)]
    assert [one and one["text"] for one in decisions] == ["No penguin may [1].", "No penguin may.", None]


def test_an_answer_goes_to_no_question_that_is_not_alike(reviewing: httpx.Client, ask: Ask) -> None:
    first, other = ask("undecided", body="May a lemur hand in homework 3 late?"), ask("small", body="What is NaN?")
    form = {"do": "approve", "final": "No lemur may.", "also": other["id"], "reason": "tone"}
    assert reviewing.post(f"/review/{first['id']}", data=form).status_code == 303
    assert reviewing.get(f"/drafts/{other['id']}").json()["decision"] is None


def test_an_answer_to_alike_questions_names_nobody_of_the_first_one(reviewing: httpx.Client, ask: Ask) -> None:
    body = "May a heron hand in homework 3 late?"
    request = {"course": "undecided", "question": {"body": body}, "people": [{"name": "Nell Gwyn"}]}
    first = reviewing.post("/answer?pipeline=fc", json=request).json()["draft_id"]
    second = ask("undecided", body=body)
    form = {"do": "approve", "final": "Dear Nell Gwyn, a heron may.", "also": second["id"], "reason": "tone"}
    noticed = reviewing.post(f"/review/{first}", data=form)
    assert "is the name of a person" in noticed.text
    found = re.search(r'name="confirmed" value="(\w+)"', noticed.text)
    assert found is not None
    assert reviewing.post(f"/review/{first}", data={**form, "confirmed": found[1]}).status_code == 303
    texts = [reviewing.get(f"/drafts/{one}").json()["decision"]["text"] for one in (first, second["id"])]
    assert texts[0] == "Dear Nell Gwyn, a heron may."
    assert "Nell" not in texts[1]
    assert texts[1].endswith("a heron may.")

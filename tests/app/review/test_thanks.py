"""A mere thanks closes itself; a question never does, and what was closed can be answered after all."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.review.deciding import asks_nothing
from core.course import Course, ReviewRules
from core.review import Posting
from core.store.tables import DraftRow, DraftState
from tests.app.review.conftest import Ask


def draft(body: str, status: str = "no_response_needed", **request: Any) -> DraftRow:
    fields = {"question": {"title": request.pop("title", ""), "body": body, **request.pop("of", {})}, **request}
    return DraftRow(id="d", course_id="c", state=DraftState.PENDING, request=fields, response={"status": status})


@pytest.mark.parametrize("body", ["Thanks!", "solved it, thank you so much", "Merci beaucoup.", "It is fixed now."])
def test_what_asks_nothing_is_closed(body: str) -> None:
    assert asks_nothing(Course(id="c"), draft(body))


@pytest.mark.parametrize(
    "row",
    [
        draft("Thanks! But when is it due?"), draft("thanks, how do i start"), draft("Thanks. Can it be late"),
        draft("谢谢！什么时候交？"), draft("Thanks", title="When is it due?"), draft("Thanks", code="x = 1"),
        draft("Thanks", of={"images": [{}]}), draft("Thanks " * 60), draft("Thanks!", status="answered"),
        draft("Thanks!", status="abstained"),
    ],
)  # fmt: skip
def test_a_question_is_never_closed(row: DraftRow) -> None:
    assert not asks_nothing(Course(id="c"), row)


def test_a_course_may_keep_them() -> None:
    assert not asks_nothing(Course(id="c", review=ReviewRules(close_thanks=False)), draft("Thanks!"))
    assert not asks_nothing(Course(id="c", posting=Posting.SHADOW), draft("Thanks!"))


def test_thanks_are_recorded_as_closed_and_can_be_answered_after_all(reviewing: httpx.Client, ask: Ask) -> None:
    closed = ask("quick", body="Thanks, solved it!")
    assert (closed["state"], closed["status"]) == ("decided", "no_response_needed")
    assert closed["decision"]["decided_by"] == "automatic"
    assert closed["decision"]["note"] == "It asks for nothing, so it was closed without a person."
    assert closed["id"] not in reviewing.get("/review?course=quick").text
    assert closed["id"] in reviewing.get("/review?course=quick&view=decided").text
    assert "Answer it after all" in reviewing.get(f"/review/{closed['id']}").text
    where = f"/drafts/{closed['id']}/decision"
    assert reviewing.put(where, json={"text": "You are welcome; page 2 says more."}).status_code == 200
    assert reviewing.get(f"/drafts/{closed['id']}").json()["decision"]["outcome"] == "rewritten"

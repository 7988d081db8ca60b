"""The whole way in a browser: a student's post, the whisper, the decision, the answer, the edit, the next student."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.course import Course, ForumCategory, ForumKind, ForumRules, ReviewRules
from core.settings import Settings
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.review.browsing import TIMEOUT_MS, read
from tests.doubles.board import BoardPost, Seen
from tests.doubles.discourse import SECRET, DiscourseDouble

SIMILAR = "Which colour has the quokka mascot of the department picnic?"
QUESTION = f"When is homework 3 due? {SIMILAR}"
TEXT = "The quokka mascot of the department picnic is violet."


def wait_for(value: Callable[[], Any], seconds: float = 60.0) -> Any:
    """The value once it is true; the service works in the background."""
    until = time.monotonic() + seconds
    while not (result := value()):
        assert time.monotonic() < until, "It did not happen."
        time.sleep(0.05)
    return result


def notify(client: httpx.Client, double: DiscourseDouble, secret: str = SECRET) -> int:
    """The forum tells of what happened last; the status of the service's response."""
    message = double.webhook(double.board.events[-1], secret)
    assert message is not None
    headers, body = message
    return client.post("/forums/small/webhook", content=body, headers=headers).status_code


def replies(double: DiscourseDouble, question: BoardPost, seen: Seen) -> list[BoardPost]:
    return [post for post in double.board.thread(question.thread) if post.number > 1 and post.seen is seen]


def pending(client: httpx.Client) -> list[dict[str, Any]]:
    drafts: list[dict[str, Any]] = client.get("/drafts", params={"course": "small", "state": "pending"}).json()[
        "drafts"
    ]
    return drafts


@pytest.fixture(scope="module")
def double() -> DiscourseDouble:
    """A forum with a room for staff."""
    double = DiscourseDouble()
    double.board.ask(double.bot, "Staff room", "For staff.", "9")
    return double


@pytest.fixture(scope="module")
def settings(double: DiscourseDouble, tmp_path_factory: pytest.TempPathFactory, material: Path) -> Settings:
    """A course on that forum. Made before the browser, beside which nothing has an event loop."""
    room = double.board.questions[0]
    rules = ForumRules(
        kind=ForumKind.DISCOURSE, url=double.url, account="edumod", poll_seconds=1, staff_draft=True,
        staff_thread=str(room.thread), categories=(ForumCategory(name="7", parameters={"pipeline": "fc"}),),
    )  # fmt: skip
    course = Course(id="small", title="Small", forum=rules, review=ReviewRules(undo_seconds=0))
    settings = settings_in(tmp_path_factory.mktemp("forum"), forum_hosts=("forum.example.edu",))
    asyncio.run(ingest_all(settings, material, course))
    return settings


def test_a_post_is_answered_in_the_forum_once_a_person_has_approved_it(
    double: DiscourseDouble, settings: Settings, browser_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDUMOD_FORUM_SMALL_TOKEN", "token")
    monkeypatch.setenv("EDUMOD_FORUM_SMALL_SECRET", SECRET)
    room = double.board.questions[0]
    with live(settings, forum=double) as client:
        # The service has tried a whisper in the staff's room before it shows a draft.
        wait_for(lambda: [post for post in replies(double, room, Seen.STAFF) if post.is_deleted])
        ada = double.board.user("ada_b", "Ada Byronson")
        question = double.board.ask(ada, "The picnic", f"{QUESTION} Thanks, Ada Byronson.")
        assert notify(client, double, "another secret") == 403
        assert notify(client, double) == 202
        (whisper,) = wait_for(lambda: replies(double, question, Seen.STAFF))
        assert "nobody has checked" in whisper.text
        assert replies(double, question, Seen.ALL) == []

        page = browser_page.new_page()
        page.set_default_timeout(4 * TIMEOUT_MS)
        page.goto(f"{client.base_url}/review?course=small")
        read(page)
        assert "Byronson" not in page.content()
        page.keyboard.press("o")
        page.wait_for_url(f"**/review/{pending(client)[0]['id']}?*")
        read(page)
        page.keyboard.press("e")
        page.keyboard.press("Control+a")
        page.keyboard.type(TEXT)
        page.keyboard.press("Escape")
        page.get_by_title("Factual detail").click()
        page.get_by_text("Note and scores").click()
        page.get_by_label("Answer the next such question from this one").check()
        page.keyboard.press("a")
        page.wait_for_url("**/review?course=small&undo=*")
        (answer,) = wait_for(lambda: replies(double, question, Seen.ALL))
        assert TEXT in answer.text

        double.board.edit(question, f"{QUESTION} And when is homework 1 due?")
        assert notify(client, double) == 202
        (edited,) = wait_for(lambda: pending(client))
        page.goto(f"{client.base_url}/review/{edited['id']}?course=small")
        assert "And when is homework 1 due" in page.locator("main").inner_text()
        assert len(replies(double, question, Seen.ALL)) == 1

        # The next student finds it among the course's past questions.
        page.goto(f"{client.base_url}/courses/small?q=colour+of+the+quokka+mascot")
        assert "mascot of the department picnic is violet" in page.locator("main").inner_text()
        page.close()

"""A server of its own with drafts to decide."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.course import Course, ReviewRules
from core.review import DraftJudge, Notice, Posting
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in

Ask = Callable[..., dict[str, Any]]
HOUR = 3600


@pytest.fixture(scope="session")
def review_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    """Courses with an hour to undo, with none, that post by themselves, in the shadow, undecided, and with a judge."""
    home = tmp_path_factory.mktemp("review")
    courses = (
        Course(id="small", title="Small", review=ReviewRules(undo_seconds=HOUR)),
        Course(id="quick", title="Quick", review=ReviewRules(undo_seconds=0)),
        Course(id="auto", title="Auto", posting=Posting.AUTO, review=ReviewRules(undo_seconds=HOUR, threshold=0.2)),
        Course(
            id="shadow",
            title="Shadow",
            posting=Posting.SHADOW,
            judge=DraftJudge.GROUNDED,
            review=ReviewRules(undo_seconds=HOUR),
        ),
        Course(id="undecided", title="Undecided"),
        Course(
            id="strictly",
            title="Strictly",
            sentences={Notice.WAITING: "Patience.", Notice.DISCARDED: "Ask in person."},
        ),
        Course(id="judged", title="Judged", judge=DraftJudge.GROUNDED, review=ReviewRules(undo_seconds=HOUR)),
    )
    asyncio.run(ingest_all(settings_in(home), material, *courses))
    return home


@pytest.fixture(scope="session")
def reviewing(review_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(review_home)) as client:
        yield client


@pytest.fixture
def ask(reviewing: httpx.Client) -> Ask:
    """Asks a question and gives its draft."""

    def asked(course: str = "small", body: str = "When is homework 3 due?", **fields: Any) -> dict[str, Any]:
        request = {"course": course, "question": {"body": body, **fields}}
        answered = reviewing.post("/answer?pipeline=fc", json=request)
        assert answered.status_code == 200, answered.text
        found: dict[str, Any] = reviewing.get(f"/drafts/{answered.json()['draft_id']}").json()
        return found

    return asked

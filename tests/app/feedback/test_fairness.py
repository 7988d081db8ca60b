"""Work on submissions is done in the name of who sent them, within the limits of submissions."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx

from app.answering.asked_question import AskedQuestion
from app.answering.homework import submission_limits
from app.people.current import set_current
from app.wiring import build_pool, build_services
from core.access import Access, Person
from core.types import Question
from core.work.callers import OWN, Caller, current_caller
from core.work.pool import WorkPool
from core.work.serving import WorkLimits
from tests.app.live import live, settings_in
from tests.fakes import FakeEmbedder
from tests.ingestion.parsing.test_parser import bomb

T = TypeVar("T")


class Recorder(WorkPool):
    """Remembers for whom it worked."""

    def __init__(self) -> None:
        super().__init__()
        self.callers: list[Caller] = []

    async def run(self, work: Callable[[], T], limits: WorkLimits, *, prepare: Callable[[], object] | None = None) -> T:
        self.callers.append(current_caller())
        return await super().run(work, limits, prepare=prepare)


async def test_a_submission_is_checked_in_the_name_of_the_key_and_its_student(home: Path) -> None:
    pool = Recorder()
    services = await build_services(settings_in(home), embedder=FakeEmbedder(), pool=pool)
    (exercise, *_) = await services.assistant.exercises("mech")
    asked = AskedQuestion(
        "mech", Question(body="v = 11 m/s", exercise=exercise.block_id), {}, asked_by="key-forum", pseudonym="anna"
    )
    await services.answering.answer(asked, {"pipeline": "homework"})
    assert pool.callers == [("key-forum", "anna")]
    assert current_caller() == OWN
    await services.aclose()


async def test_whoever_is_let_in_is_worked_for() -> None:
    set_current(Access(Person("key-forum", "a forum")))
    assert current_caller() == ("key-forum",)


def test_a_hostile_file_is_refused_within_the_limits_of_submissions(home: Path) -> None:
    file = {"name": "work.pdf", "data": base64.b64encode(bomb()).decode()}
    with live(settings_in(home, submission_seconds=0.3)) as client:
        given = client.post(
            "/feedback", json={"course": "mech", "assignment": "hw1", "question": "1", "submission": file}
        )
        assert given.status_code == 422
        assert "EDUMOD_SUBMISSION" in given.json()["detail"]
        assert client.get("/healthz").status_code == 200


def test_a_submission_has_never_more_than_a_file_that_is_ingested(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, parse_seconds=5, parse_memory_mb=300)
    assert submission_limits(settings) == WorkLimits(5, 300)


def test_the_setting_says_how_many_processes_there_are(tmp_path: Path) -> None:
    assert build_pool(settings_in(tmp_path, work_processes=3), is_command=False).workers == 3
    assert build_pool(settings_in(tmp_path), is_command=False).workers >= 2


def test_a_picture_that_is_broken_is_refused(client: httpx.Client) -> None:
    file = {"name": "work.png", "data": base64.b64encode(b"\x89PNG\r\n").decode()}
    given = client.post("/feedback", json={"course": "mech", "assignment": "hw1", "question": "1", "submission": file})
    assert given.status_code == 422
    assert "work.png cannot be read as a picture" in given.json()["detail"]

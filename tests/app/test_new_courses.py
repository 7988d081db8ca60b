"""An operator starts a course in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.access import Permission
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key

PAGE = {"accept": "text/html"}


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("new_courses")


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home)) as client:
        yield client


def start(server: httpx.Client, **form: str) -> httpx.Response:
    return server.post("/courses", data=form)


def test_a_course_is_started_and_its_files_are_sent_next(server: httpx.Client) -> None:
    assert "Start a course" in server.get("/courses", headers=PAGE).text
    assert 'href="/courses"' in server.get("/", headers=PAGE).text
    done = start(server, course="bio1", title="Biology", time_zone="Europe/Vienna")
    assert done.headers["location"] == "/courses/bio1/files"
    assert "Biology" in server.get("/courses/bio1/files").text


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"course": "Bio 2"}, "cannot be a course id"),
        ({"course": ""}, "cannot be a course id"),
        ({"course": "bio2", "time_zone": "Vienna"}, "time_zone"),
        ({"course": "taken", "title": "Again"}, "There is a course taken already"),
    ],
)
def test_a_form_that_is_refused_keeps_what_was_typed(server: httpx.Client, form: dict[str, str], words: str) -> None:
    start(server, course="taken", title="Kept")
    refused = start(server, **form)
    assert 400 <= refused.status_code < 500
    assert words in refused.text
    assert f'value="{form["course"]}"' in refused.text
    assert "Kept" in server.get("/courses", headers=PAGE).text


def test_an_instructor_starts_no_course(server: httpx.Client, own_home: Path) -> None:
    start(server, course="bio3")
    key = headers(made_key(own_home, Permission.ANSWER, Permission.COURSE_ADMIN))
    assert "Start a course" not in server.get("/courses", headers={**PAGE, **key}).text
    assert server.post("/courses", data={"course": "own"}, headers=key).status_code == 403

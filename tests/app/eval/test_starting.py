"""An evaluation is started in the browser, watched, and compared with another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.jobs.kinds import KINDS
from core.access import ROLE_PERMISSIONS, Permission
from core.store.store import Store
from core.types import Role
from tests.app.jobs.workplace import process
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key
from tests.app.review.test_axe import axe, violations
from tests.servers.homes import database_of

PAGE = {"Accept": "text/html"}
SECONDS = 120.0
START = {"of": "small", "kind": "retrieval", "retriever": ["bm25", "tree"], "dollars": "1"}


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


def test_a_run_is_started_watched_and_compared(client: httpx.Client) -> None:
    for chosen in ({}, {"retriever": ["tree"]}):
        page = client.post("/evaluations", data=START | chosen, headers=PAGE, follow_redirects=True)
        assert "The evaluation is added." in page.text
    assert "evaluations wait or run" in page.text
    deadline = time.monotonic() + SECONDS
    while len(runs := finished(client)) < 2 and time.monotonic() < deadline:
        time.sleep(0.5)
    assert {tuple(run["actors"]) for run in runs} == {("bm25", "tree"), ("tree",)}, client.get("/jobs").text
    sides = {"base": runs[0]["id"], "candidate": runs[1]["id"]}
    assert client.get("/evaluations/comparison", params=sides, headers=PAGE).status_code == 200
    overview = client.get("/evaluations?course=small", headers=PAGE).text
    assert "Compare two" in overview
    assert "Could not be run" not in overview


def finished(client: httpx.Client) -> list[dict[str, Any]]:
    return [run for run in client.get("/evaluations?course=small").json() if run["state"] == "done"]


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ({"kind": "opinions"}, "no kind of evaluation"),
        ({"kind": "functions"}, "has no labels for functions"),
        ({"retriever": ["bm25,--home=/"]}, "no retriever"),
        ({"dollars": "many"}, "dollars"),
        ({"dollars": "1e9"}, "dollars"),
        ({"dollars": "0"}, "dollars"),
        ({"of": "none-such"}, "none-such"),
    ],
)
def test_what_cannot_be_measured_is_said_and_not_added(
    client: httpx.Client, typed: dict[str, Any], reason: str
) -> None:
    page = client.post("/evaluations", data=START | typed, headers=PAGE)
    assert page.status_code in (404, 422), page.text
    assert reason in page.text


def test_those_who_only_measure_start_nothing(client: httpx.Client, home: Path) -> None:
    researcher = headers(made_key(home, Permission.EVAL))
    assert "Start an evaluation" not in client.get("/evaluations", headers=researcher | PAGE).text
    assert client.post("/evaluations", data=START, headers=researcher).status_code == 403
    instructor = headers(made_key(home, *ROLE_PERMISSIONS[Role.INSTRUCTOR]))
    assert client.post("/evaluations", data=START | {"of": "strict"}, headers=instructor).status_code == 403


def test_why_a_run_failed_is_told_to_those_of_its_course(client: httpx.Client, home: Path) -> None:
    async def fail() -> None:
        store = await Store.open(database_of(home))
        words = ["eval", "answers", "--course", "small"]
        await store.failed_jobs.add("command", "answers small x", {"words": words}, 1, "The <disk> is full.")
        await store.failed_jobs.add("command", "odd", {"words": ["eval", "answers", "--course"]}, 1, "Odd.")
        await store.aclose()

    asyncio.run(fail())
    assert "The &lt;disk&gt; is full." in client.get("/evaluations", headers=PAGE).text
    elsewhere = headers(made_key(home, Permission.EVAL, courses=("strict",)))
    assert "is full" not in client.get("/evaluations", headers=elsewhere | PAGE).text


async def test_nights_are_measured_of_courses_with_labelled_queries(tmp_path: Path) -> None:
    async with process(f"sqlite:///{tmp_path / 'a.db'}") as here:
        await here.store.courses.put("small", {"id": "small"})
        await here.store.courses.put("other", {"id": "other"})
        await here.store.evaluations.put_labels("small", "retrieval", {"q1": {"text": "?"}})
        added: list[str] = []

        class Jobs:
            async def add(self, name: str, arguments: Any, key: str) -> bool:
                added.append(f"{name} {key}")
                return True

        here.jobs, queue = Jobs(), here.jobs
        await KINDS["nightly"].run(here, {})
        here.jobs = queue
    assert [job.split()[:3] for job in added if job.startswith("command")] == [["command", "nightly", "small"]]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_has_no_violations_and_fits_a_phone(
    client: httpx.Client, browser_page: Any, width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    context = browser_page.new_context(**look)
    page = context.new_page()
    for path in ("/evaluations", "/jobs"):
        assert violations(page, f"{client.base_url}{path}", axe()) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()

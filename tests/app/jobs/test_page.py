"""The page of jobs and their metrics, for operators."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.store.store import Store
from tests.app.live import live, settings_in
from tests.app.operation.test_metrics import figures


@pytest.fixture
def service(home: Path) -> Iterator[httpx.Client]:
    """A service in whose database a job has failed."""
    asyncio.run(_fail(settings_in(home).url))
    with live(settings_in(home)) as client:
        yield client


async def _fail(url: str) -> None:
    store = await Store.open(url)
    arguments = {"course": "small", "source": "textbook", "name": "bad.pdf"}
    await store.failed_jobs.add("ingest", "small textbook bad.pdf", arguments, 1, "bad.pdf is <damaged>.")
    await store.failed_jobs.add("tomorrow", "k", {}, 1, "This worker knows no job 'tomorrow'.")
    await store.aclose()


def test_a_failed_job_is_shown_with_its_reason_and_can_be_retried(service: httpx.Client) -> None:
    page = service.get("/jobs", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "bad.pdf is &lt;damaged&gt;." in page.text
    failed = [part.partition("/retry")[0] for part in page.text.split('action="/jobs/')[1:]]
    later, ours = failed
    assert service.post(f"/jobs/{ours}/retry", follow_redirects=False).status_code == 303
    refused = service.post(f"/jobs/{later}/retry")
    assert (refused.status_code, "knows no job" in refused.text) == (422, True)
    assert service.post(f"/jobs/{ours}/retry").status_code == 404


def test_metrics_say_how_many_jobs_have_failed(service: httpx.Client) -> None:
    end = time.monotonic() + 5
    while "edumod_jobs_failed" not in (found := figures(service.get("/metrics").text)) and time.monotonic() < end:
        time.sleep(0.05)
    assert found["edumod_jobs_failed"] >= 2  # Those of the test before are there as well.
    assert found['edumod_jobs_oldest_seconds{queue="parse"}'] == 0


def test_operators_find_the_page_from_the_settings(service: httpx.Client) -> None:
    assert 'href="/jobs"' in service.get("/settings", headers={"accept": "text/html"}).text

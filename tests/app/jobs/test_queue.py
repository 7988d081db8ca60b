"""Jobs on both databases: each is done, none is lost, and what fails for good is kept."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from app.jobs import running
from app.jobs.kind import Arguments, JobKind, Lane, Workplace
from app.jobs.kinds import KINDS, command_job
from app.jobs.running import attempt, retry_failed
from core.course import Course, Privacy
from core.errors import InvalidInput, NotFound, StorageUnavailable
from core.store.drafts.filter import DraftFilter
from core.store.tables import DraftRow, DraftState, now
from tests.app.jobs.workplace import Recorder, process, working


async def test_every_job_is_done_once(database_url: str, recorder: Recorder) -> None:
    async with process(database_url) as here:
        for number in range(20):
            assert await here.jobs.add("note", {"name": str(number)}, str(number))
        async with working(here):
            await recorder.until(20)
    assert recorder.done == {str(number): 1 for number in range(20)}


async def test_a_key_that_waits_is_not_added_twice(database_url: str, recorder: Recorder) -> None:
    recorder.gate.clear()
    async with process(database_url) as here:
        assert await here.jobs.add("note", {"name": "a"}, "a")
        assert not await here.jobs.add("note", {"name": "a"}, "a")
        recorder.gate.set()
        async with working(here):
            await recorder.until(1)
    assert recorder.done == {"a": 1}


async def test_the_lanes_say_what_waits(database_url: str, recorder: Recorder) -> None:
    recorder.gate.clear()
    async with process(database_url) as here:
        for number in range(5):
            await here.jobs.add("note", {"name": str(number)}, str(number))
        await asyncio.sleep(0.05)
        (lane,) = await here.jobs.lanes()
        assert (lane.lane, lane.waiting >= 3, lane.oldest_seconds > 0) == ("parse", True, True)
        recorder.gate.set()
        async with working(here):
            await recorder.until(5)


async def test_long_evaluations_keep_no_file_waiting(
    tmp_path: Path, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    async def measure(work: Workplace, arguments: Arguments) -> None:
        await ended.wait()

    monkeypatch.setitem(KINDS, "measure", JobKind("measure", Lane.EVAL, measure))
    async with process(f"sqlite:///{tmp_path / 'edumod.db'}") as here:
        for number in range(4):
            await here.jobs.add("measure", {}, str(number))
        await here.jobs.add("note", {"name": "a file"}, "a file")
        await recorder.until(1)
        ended.set()


async def test_a_passing_error_is_tried_again(
    database_url: str, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "WAITS", (0.01, 0.01))
    recorder.errors = [StorageUnavailable("it is away"), StorageUnavailable("still")]
    async with process(database_url) as here:
        await here.jobs.add("note", {"name": "a"}, "a")
        async with working(here):
            await recorder.until(1)
        assert await here.store.failed_jobs.all() == []


async def test_what_fails_for_good_is_kept_and_can_be_retried(database_url: str, recorder: Recorder) -> None:
    recorder.errors = [InvalidInput("no such file")]
    async with process(database_url) as here:
        await here.jobs.add("note", {"name": "a"}, "a")
        async with working(here):
            async with asyncio.timeout(10):
                while not (failed := await here.store.failed_jobs.all()):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            (row,) = failed
            assert (row.kind, row.key, row.attempts, row.error) == ("note", "a", 1, "no such file")
            await retry_failed(here, row.id)
            await recorder.until(1)
        assert await here.store.failed_jobs.count() == 0
        with pytest.raises(NotFound, match="no failed job"):
            await retry_failed(here, row.id)


async def test_a_job_of_another_version_fails_with_a_sentence_and_is_kept(database_url: str) -> None:
    async with process(database_url) as here:
        assert await attempt(here, "tomorrow", {"a": 1}, "k", 0) is None
        (row,) = await here.store.failed_jobs.all()
    assert (row.arguments, "knows no job 'tomorrow'" in row.error) == ({"a": 1}, True)


def test_only_commands_that_measure_can_be_jobs() -> None:
    assert command_job(["eval", "functions"]) == {"words": ["eval", "functions"]}
    with pytest.raises(InvalidInput, match="eval, report"):
        command_job(["privacy", "delete"])


async def test_a_job_that_was_made_up_runs_no_other_command(database_url: str) -> None:
    async with process(database_url) as here:
        with pytest.raises(InvalidInput, match="eval, report"):
            await KINDS["command"].run(here, {"words": ["privacy", "delete"]})


async def test_what_courses_keep_for_a_limited_time_is_deleted_by_a_job(database_url: str) -> None:
    course = Course(id="small", privacy=Privacy(keep_days=30))
    async with process(database_url) as here:
        await here.store.courses.put("small", course.model_dump(mode="json"))
        for name, age in (("old", 40), ("new", 20)):
            at = now() - timedelta(days=age)
            await here.store.drafts.begin(DraftRow(id=name, course_id="small", state=DraftState.FAILED, created_at=at))
        for _ in range(2):
            assert await attempt(here, "retention", {}, "k", 0) is None
        assert [draft.id for draft in (await here.store.drafts.page(DraftFilter(now()), None, 10)).drafts] == ["new"]
        assert not await here.store.failed_jobs.count()

"""Jobs may hang, swell, crash or lie: the next one is done as if nothing had been."""

from __future__ import annotations

import asyncio
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.errors import EncryptedDocument, SetupError, Stopping
from core.work import process
from core.work.callers import working_for
from core.work.pool import WorkPool
from core.work.process import StopReason, WorkFailed, WorkStopped
from core.work.serving import WorkLimits
from tests.core.work import hostile

ROOT = Path(__file__).parents[3]
LIMITS = WorkLimits(20, 256)
SHORT = WorkLimits(1, 256)


@pytest.fixture(autouse=True)
def project_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets workers, which get our module search path, find the jobs that misbehave."""
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture
def children() -> Callable[[], set[int]]:
    """Lists our child processes since the test began, dead ones that nobody waited for included."""
    before = child_processes()
    return lambda: child_processes() - before


def child_processes() -> set[int]:
    processes = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # After the name in parentheses, which may hold anything: state and parent.
            if int(entry.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                processes.add(int(entry.parent.name))
    return processes


async def test_nothing_is_started_before_the_first_job(children: Callable[[], set[int]]) -> None:
    async with WorkPool():
        assert children() == set()


async def test_a_process_does_many_jobs() -> None:
    async with WorkPool(2) as pool:
        assert len({await pool.run(os.getpid, LIMITS) for _ in range(5)}) == 1


async def test_a_large_argument_passes_whole() -> None:
    async with WorkPool() as pool:
        assert await pool.run(partial(len, bytes(20 * 2**20)), LIMITS) == 20 * 2**20


@pytest.mark.parametrize("job", [hostile.hang, partial(time.sleep, 60)])
async def test_a_job_over_its_time_is_stopped_and_the_next_is_done(job: Callable[[], Any]) -> None:
    async with WorkPool() as pool:
        first = await pool.run(os.getpid, LIMITS)
        with pytest.raises(WorkStopped, match="longer than 1 s") as error:
            await pool.run(job, SHORT)
        assert error.value.reason is StopReason.TIME
        assert await pool.run(os.getpid, LIMITS) != first


@pytest.mark.parametrize("job", [hostile.swell, partial(hostile.allocate, 300), partial(hostile.bloat, 300)])
async def test_a_job_over_its_memory_is_stopped_and_the_next_is_done(job: Callable[[], Any]) -> None:
    async with WorkPool() as pool:
        with pytest.raises(WorkStopped, match="more than 256 MiB") as error:
            await pool.run(job, LIMITS)
        assert error.value.reason is StopReason.MEMORY
        assert await pool.run(partial(hostile.allocate, 200), LIMITS)


async def test_the_limits_are_those_of_each_job() -> None:
    async with WorkPool(1) as pool:
        assert await pool.run(partial(hostile.allocate, 300), WorkLimits(20, 512))
        with pytest.raises(WorkStopped):
            await pool.run(partial(hostile.allocate, 300), WorkLimits(20, 128))
        assert await pool.run(partial(hostile.allocate, 300), WorkLimits(20, 512))


async def test_a_process_that_keeps_much_memory_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_RESIDENT_MB", 150)
    async with WorkPool(1) as pool:
        first = await pool.run(os.getpid, LIMITS)
        await pool.run(partial(hostile.keep, 200), LIMITS)
        assert await pool.run(os.getpid, LIMITS) != first


@pytest.mark.parametrize(("job", "end"), [(partial(os._exit, 3), "exit status 3"), (hostile.crash, "SIGSEGV")])
async def test_a_crash_stops_one_job_alone(job: Callable[[], Any], end: str) -> None:
    async with WorkPool() as pool:
        with pytest.raises(WorkStopped) as error:
            await pool.run(job, LIMITS)
        assert (error.value.reason, error.value.detail) == (StopReason.CRASH, end)
        assert await pool.run(partial(len, "four"), LIMITS) == 4


async def test_an_error_about_input_is_raised_as_it_is_and_the_process_stays() -> None:
    async with WorkPool() as pool:
        first = await pool.run(os.getpid, LIMITS)
        with pytest.raises(EncryptedDocument, match=r"^file: a password is needed$"):
            await pool.run(hostile.refuse, LIMITS)
        for job, kind in (
            (hostile.fail, "KeyError"),
            (hostile.fail_oddly, "ModelError"),
            (hostile.recurse, "RecursionError"),
        ):
            with pytest.raises(WorkFailed) as error:
                await pool.run(job, LIMITS)
            assert error.value.kind == kind
        assert await pool.run(os.getpid, LIMITS) == first


async def test_a_result_with_objects_in_it_is_refused_unread() -> None:
    async with WorkPool() as pool:
        with pytest.raises(WorkStopped, match="not a plain value") as error:
            await pool.run(hostile.an_object, LIMITS)
        assert error.value.reason is StopReason.REPLY


@pytest.mark.parametrize("reply", [b"", b"no pickle", pickle.dumps(["done", 1]), pickle.dumps(()), pickle.dumps((1,))])
def test_bytes_that_are_no_reply_are_refused(reply: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError):
        process._plain(reply)


async def test_what_a_library_prints_is_no_reply() -> None:
    async with WorkPool() as pool:
        assert await pool.run(hostile.chatter, LIMITS) == "said"
        assert await pool.run(partial(len, "123"), LIMITS) == 3


async def test_a_process_sees_no_secrets_and_imports_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDUMOD_LLM_API_KEY", "secret")
    async with WorkPool() as pool:
        assert "EDUMOD_LLM_API_KEY" not in await pool.run(hostile.environment, LIMITS)
        modules = set(await pool.run(hostile.modules, LIMITS))
        assert not modules & {"torch", "llama_index", "fastapi", "openai", "pymupdf", "asyncio", "sympy"}


async def test_loading_libraries_is_not_part_of_a_jobs_time() -> None:
    async with WorkPool() as pool:
        assert await pool.run(partial(len, "123"), SHORT, prepare=hostile.take_long_to_load) == 3


async def test_libraries_that_cannot_be_loaded_are_an_error_of_the_installation() -> None:
    async with WorkPool() as pool:
        with pytest.raises(SetupError, match="no such library"):
            await pool.run(partial(len, "123"), LIMITS, prepare=hostile.cannot_load)


async def test_jobs_are_done_side_by_side_up_to_the_number_of_workers(
    tmp_path: Path, children: Callable[[], set[int]]
) -> None:
    async with WorkPool(3) as pool:
        # Each job waits for two others that are being done.
        jobs = (pool.run(partial(hostile.meet, str(tmp_path)), LIMITS) for _ in range(6))
        assert await asyncio.gather(*jobs) == ["met"] * 6
        assert len(children()) == 3


async def test_the_slow_jobs_of_one_person_leave_a_process_to_another() -> None:
    async with WorkPool(2) as pool:
        with working_for("greedy"):
            slow = [asyncio.create_task(pool.run(hostile.hang, LIMITS)) for _ in range(5)]
        with working_for("honest"):
            assert await pool.run(partial(len, "123"), LIMITS) == 3
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


async def test_waiting_for_a_turn_is_not_part_of_a_jobs_time() -> None:
    async with WorkPool(1) as pool:
        jobs = (pool.run(partial(time.sleep, 0.7), WorkLimits(2, 256)) for _ in range(4))
        assert await asyncio.gather(*jobs) == [None] * 4


async def test_cancelling_ends_the_process(children: Callable[[], set[int]]) -> None:
    async with WorkPool(1) as pool:
        await pool.run(os.getpid, LIMITS)
        task = asyncio.create_task(pool.run(hostile.hang, LIMITS))
        await asyncio.sleep(0.2)
        assert len(children()) == 1
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert children() == set()
        assert await pool.run(partial(len, "1"), LIMITS) == 1


async def test_cancelling_while_a_process_starts_leaves_none(children: Callable[[], set[int]]) -> None:
    async with WorkPool() as pool:
        task = asyncio.create_task(pool.run(os.getpid, LIMITS))
        await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert children() == set()


async def test_closing_ends_all_processes_and_refuses_their_callers(children: Callable[[], set[int]]) -> None:
    async with WorkPool(2) as pool:
        await pool.run(os.getpid, LIMITS)
        tasks = [asyncio.create_task(pool.run(hostile.hang, LIMITS)) for _ in range(3)]
        await asyncio.sleep(0.5)
    for task in tasks:
        with pytest.raises(Stopping):
            await task
    with pytest.raises(Stopping):
        await pool.run(os.getpid, LIMITS)
    assert children() == set()


async def test_a_process_that_died_idle_is_replaced() -> None:
    async with WorkPool() as pool:
        os.kill(await pool.run(os.getpid, LIMITS), 9)
        await asyncio.sleep(0.5)
        assert await pool.run(partial(len, "123"), LIMITS) == 3


async def test_a_process_that_is_killed_at_work_costs_one_job() -> None:
    async with WorkPool(1) as pool:
        working = await pool.run(os.getpid, LIMITS)
        task = asyncio.create_task(pool.run(hostile.hang, LIMITS))
        await asyncio.sleep(0.2)
        os.kill(working, 9)
        with pytest.raises(WorkStopped, match="SIGKILL"):
            await task
        assert await pool.run(partial(len, "123"), LIMITS) == 3


async def test_processes_are_replaced_after_many_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "JOBS_PER_WORKER", 2)
    async with WorkPool() as pool:
        ids = [await pool.run(os.getpid, LIMITS) for _ in range(4)]
    assert ids[0] == ids[1] != ids[2] == ids[3]


async def test_a_process_that_cannot_start_is_an_error_of_the_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    async with WorkPool() as pool:
        with pytest.raises(SetupError, match="did not start"):
            await pool.run(os.getpid, LIMITS)


def test_the_pool_works_from_a_script_without_a_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import asyncio\nfrom functools import partial\nfrom core.work.pool import WorkPool\n"
        "from core.work.serving import WorkLimits\n"
        "async def main():\n    async with WorkPool() as pool:\n"
        "        print(await pool.run(partial(len, 'hello'), WorkLimits(20, 256)))\n"
        "asyncio.run(main())\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
    )
    assert (done.stdout, done.stderr) == ("5\n", "")

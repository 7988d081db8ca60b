"""A process that does one job at a time. What it sends back is read as plain values, without any class: a library that
a hostile file has taken over cannot make the service run code.
"""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import signal
import sys
from contextlib import suppress
from enum import StrEnum
from typing import Any

import core.errors
from core.concurrency import in_thread
from core.errors import SetupError, UnreadableDocument, UnreadableImage
from core.work.serving import LENGTH, Job, WorkLimits

START_SECONDS = 60.0
"""For Python to start and load libraries: no job's fault, so not part of its time."""
END_SECONDS = 5.0
"""For a process whose pipe is closed to have ended."""
JOBS_PER_WORKER = 1_000
"""Libraries leak a little and remember what they have seen; a new process starts with none of it."""
MAX_RESIDENT_MB = 640
"""Of memory that an idle process keeps; one that kept more is replaced."""
RAISED = (UnreadableDocument, UnreadableImage)
"""Errors of ours that a job may raise as they are."""
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")


class StopReason(StrEnum):
    """Why a job was stopped."""

    TIME = "time"
    MEMORY = "memory"
    CRASH = "crash"
    REPLY = "reply"


class WorkStopped(Exception):
    """A job exceeded a limit or ended its process. The message is a sentence; `detail` says how a process ended."""

    def __init__(self, reason: StopReason, limits: WorkLimits, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail
        sentences = {
            StopReason.TIME: f"It took longer than {limits.seconds:g} s and was stopped.",
            StopReason.MEMORY: f"It needed more than {limits.memory_mb} MiB of memory and was stopped.",
            StopReason.CRASH: f"It ended the process that worked on it ({detail}).",
            StopReason.REPLY: f"Its result cannot be read ({detail}).",
        }
        super().__init__(sentences[reason])


class WorkFailed(Exception):
    """A job raised an exception that is not one of ours: `kind` is its type, the message its message."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


class Worker:
    """One process. `is_fit` is false once something went wrong, and after many jobs or much memory kept."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._jobs = 0
        self._busy = False

    @classmethod
    async def start(cls) -> Worker:
        """A process that is ready. Raises `SetupError`."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", "from core.work.serving import serve; serve()"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_environment(),
            # Ctrl-C is for the parent, which then ends its workers in order.
            start_new_session=True,
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker._receive()
        except (TimeoutError, EOFError) as error:
            await worker.stop()
            raise SetupError(
                f"A process for files and texts did not start ({sys.executable}, exit status {process.returncode}). "
                "What it printed to the error output says why."
            ) from error
        except BaseException:
            await asyncio.shield(worker.stop())
            raise
        return worker

    @property
    def is_fit(self) -> bool:
        is_usable = not self._busy and self._process.returncode is None and self._jobs < JOBS_PER_WORKER
        return is_usable and _resident_mb(self._process.pid) <= MAX_RESIDENT_MB

    async def do(self, job: Job) -> Any:
        """What the job returns, as plain values. Raises its `RAISED` errors, `WorkStopped`, and `WorkFailed`."""
        self._busy = True
        self._jobs += 1
        request = await in_thread(pickle.dumps, job, protocol=5)
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._send(request)
                del request
                kind, *values = _plain(await self._receive())
            if kind == "unprepared":
                raise SetupError(f"What reads files and texts cannot be loaded ({': '.join(map(str, values))}).")
            async with asyncio.timeout(job.limits.seconds):
                reply = await self._receive(job.limits.memory_mb * 2**20)
            kind, *values = await in_thread(_plain, reply) if reply else ("memory",)
        except TimeoutError as error:
            raise WorkStopped(StopReason.TIME, job.limits) from error
        except (EOFError, ConnectionError) as error:
            raise WorkStopped(StopReason.CRASH, job.limits, await self._end()) from error
        except (pickle.UnpicklingError, TypeError, ValueError) as error:
            raise WorkStopped(StopReason.REPLY, job.limits, str(error)) from error
        match kind, values:
            case "done", [value]:
                self._busy = False
                return value
            case "error", [str(name), str(message)]:
                self._busy = False
                raise _error(name, message)
            case "memory", []:
                raise WorkStopped(StopReason.MEMORY, job.limits)
        raise WorkStopped(StopReason.REPLY, job.limits, "it has an unknown form")

    async def _send(self, frame: bytes) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        pipe.write(LENGTH.pack(len(frame)))
        pipe.write(frame)
        await pipe.drain()

    async def _receive(self, max_bytes: int = 2**16) -> bytes:
        """The next frame; empty where it is too large. Raises `EOFError` where the process ended."""
        pipe = self._process.stdout
        assert pipe is not None
        (length,) = LENGTH.unpack(await pipe.readexactly(LENGTH.size))
        return b"" if length > max_bytes else await pipe.readexactly(length)

    async def _end(self) -> str:
        """How the process ended, in words."""
        with suppress(TimeoutError):
            # Its pipe closes a moment before it has ended; ended by us, it would not tell why.
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        await asyncio.shield(self.stop())
        status = self._process.returncode or 0
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    async def kill(self) -> None:
        """End the process under a job, whose caller then stops it."""
        self._busy = True
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def stop(self) -> None:
        """End the process, if it has not ended, and wait until nothing is left of it."""
        self._busy = True
        with suppress(ProcessLookupError):
            self._process.kill()
        # Reads what is still in the pipe: a full one would keep it, and so the process's last traces, open.
        await self._process.communicate()


def _resident_mb(pid: int) -> float:
    """Memory that the process holds now; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as sizes:
            return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, IndexError):
        return 0.0


def _environment() -> dict[str, str]:
    """What a worker needs to import the same modules, and no more: keys and passwords are not for strangers' files."""
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    # One thread: numerical libraries start one per core and reserve memory for each.
    return kept | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


def _plain(reply: bytes) -> tuple[Any, ...]:
    """The values of a reply, the first of which is its kind. Raises `pickle.UnpicklingError` for anything else."""
    try:
        values = _PlainUnpickler(io.BytesIO(reply)).load()
    except Exception as error:
        # Bytes that are no pickle of ours raise all kinds of exceptions, and mean one thing.
        raise pickle.UnpicklingError(str(error)) from error
    if not (isinstance(values, tuple) and values and isinstance(values[0], str)):
        raise pickle.UnpicklingError("it is no reply")
    return values


def _error(name: str, message: str) -> Exception:
    """The error of ours that a job raised; `WorkFailed` for any other."""
    known = getattr(core.errors, name, None)
    return known(message) if isinstance(known, type) and issubclass(known, RAISED) else WorkFailed(name, message)

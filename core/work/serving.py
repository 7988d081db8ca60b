"""What runs in a process of the pool: one job after another, each within its limits. Started by `core.work.process`.

Frames, each a length and that many bytes, go through its standard input and output: a job one way, "started" and the
result the other.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

GRACE_SECONDS = 5.0
"""A process whose pool is gone ends itself this long after a job's time is over."""

LENGTH = struct.Struct(">Q")
"""What stands before each frame in either direction."""


MAX_MESSAGE_CHARS = 10_000
"""Of an error's message, which may quote what was read."""


@dataclass(frozen=True)
class WorkLimits:
    """For one job: seconds, and MiB beyond what the process has once its libraries are loaded."""

    seconds: float
    memory_mb: int


@dataclass(frozen=True)
class Job:
    """Work to do: functions of modules with their arguments. `prepare` loads libraries, outside of the limits."""

    work: Callable[[], Any]
    prepare: Callable[[], object] | None
    limits: WorkLimits


def serve() -> None:
    """Do jobs that come on standard input until it is closed."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _forbid_core_dumps()
    _reply(replies, pickle.dumps(("ready",)))
    # What libraries print would garble the replies or fill somebody's log.
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    while (request := _request(requests)) is not None:
        _answer(request, replies)
        del request


def _request(requests: BinaryIO) -> bytes | None:
    header = requests.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(header)
    payload = requests.read(length)
    return payload if len(payload) == length else None


def _reply(replies: BinaryIO, payload: bytes) -> None:
    replies.write(LENGTH.pack(len(payload)))
    replies.write(payload)
    replies.flush()


def _answer(request: bytes, replies: BinaryIO) -> None:
    try:
        job: Job = pickle.loads(request)  # noqa: S301  (from the service)
        if job.prepare is not None:
            job.prepare()
    except Exception as error:
        _reply(replies, pickle.dumps(("unprepared", *_describe(error))))
        return
    _reply(replies, pickle.dumps(("started",)))
    _reply(replies, _result(job))


def _result(job: Job) -> bytes:
    _limit(job.limits)
    payload = b""
    failure: tuple[str, ...] = ()
    try:
        payload = pickle.dumps(("done", job.work()), protocol=5)
    except MemoryError:
        # Pickled below: here, with what the job built still in memory, there may be no room for even that.
        failure = ("memory",)
    except Exception as error:
        failure = ("error", *_describe(error))
    finally:
        _lift_limits()
    return payload or pickle.dumps(failure, protocol=5)


def _describe(error: Exception) -> tuple[str, str]:
    return type(error).__name__, str(error)[:MAX_MESSAGE_CHARS]


def _limit(limits: WorkLimits) -> None:
    """Memory counts from what the process has now, so that large libraries leave a job as much as small ones."""
    if sys.platform == "win32":
        return
    # Ends the process even in C code, and even if the pool was killed and nobody waits any more.
    signal.setitimer(signal.ITIMER_REAL, limits.seconds + GRACE_SECONDS)
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", "rb") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
        limit, hard = now + limits.memory_mb * 2**20, resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))


def _lift_limits() -> None:
    if sys.platform == "win32":
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    if sys.platform == "linux":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _forbid_core_dumps() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

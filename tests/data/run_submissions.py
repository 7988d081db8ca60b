"""Runs submissions against the tests of their exercises: JSON from standard input to standard output.

A program of its own, so that what a submission does to its process stays there.
"""

from __future__ import annotations

import contextlib
import io
import json
import signal
import sys
from types import FrameType
from typing import Any

SECONDS_PER_CALL = 0.2


class OutOfTime(BaseException):
    """Not an `Exception`, so that a submission does not catch it."""


def stop(signum: int, frame: FrameType | None) -> None:
    raise OutOfTime


def outcome(code: str, call: str) -> tuple[str, str]:
    """What the call returns as its `repr`, and the name of the exception if it raised one."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_CALL)
    try:
        names: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, names)
            return repr(eval(call, names)), ""
    except OutOfTime:
        return "", "did not finish"
    except Exception as error:
        return "", type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, stop)
    jobs = json.load(sys.stdin)
    sys.stdin = io.StringIO()
    json.dump([[outcome(job["code"], call) for call in job["calls"]] for job in jobs], sys.stdout)

"""Several worker processes on one port."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType

from uvicorn.supervisors import Multiprocess

ENDING = (signal.SIGINT, signal.SIGTERM)
HAS_MASKS = hasattr(signal, "pthread_sigmask")
"""False on Windows, where a signal cannot wait."""


class Supervisor(Multiprocess):
    """Has signals that end the service wait while workers start: it is the supervisor that ends the workers."""

    def init_processes(self) -> None:
        with _postponed():
            super().init_processes()


class ReloadingSupervisor(Supervisor):
    """Hands SIGHUP on to the workers, which read the models file again, where uvicorn would start them anew."""

    def handle_hup(self) -> None:
        for process in self.processes:
            if process.pid is not None:
                os.kill(process.pid, signal.SIGHUP)


def end_quietly() -> None:
    """Called first in a worker: from now on it ends as a program does, without a traceback.

    A signal that came while it started is dropped, for the supervisor got it too. uvicorn repeats the signal that it
    shut down for: SIGTERM would by default end the process before Python has given back what it shares with others,
    such as semaphores, and SIGINT would raise `KeyboardInterrupt`.
    """
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    if HAS_MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    signal.signal(signal.SIGTERM, _exit)


@contextmanager
def _postponed() -> Iterator[None]:
    """Signals that end a process wait: here until the block ends, in processes started in it until `end_quietly`."""
    if not HAS_MASKS:
        yield
        return
    resource_tracker.ensure_running()  # It would be started with the first process, and lets signals through again.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _exit(number: int, frame: FrameType | None) -> None:
    sys.exit(0)

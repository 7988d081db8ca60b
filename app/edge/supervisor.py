"""Several worker processes on one port."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from socket import socket
from types import FrameType

from uvicorn.config import Config
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

ENDING = (signal.SIGINT, signal.SIGTERM)
HAS_MASKS = hasattr(signal, "pthread_sigmask")
"""False on Windows, where a signal cannot wait."""


PING_SECONDS = 0.5


class Supervisor(Multiprocess):
    """Has signals that end the service wait while workers start: it is the supervisor that ends the workers.

    It waits for a worker that gives no sign of life in short turns, between which it obeys signals.
    """

    def __init__(self, config: Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        self._heard: dict[int | None, float] = {}
        """When each worker last gave a sign of life, or was first looked for, in monotonic seconds."""

    def init_processes(self) -> None:
        with _postponed():
            super().init_processes()

    def keep_subprocess_alive(self) -> None:
        if not any(number in ENDING for number in self.signal_queue) and not all(map(self._lives, self.processes)):
            super().keep_subprocess_alive()

    def _lives(self, worker: Process) -> bool:
        """False if it has ended, or was silent for as long as the configuration allows."""
        if not worker.process.is_alive():
            return False
        now = time.monotonic()
        if worker.ping(PING_SECONDS):
            self._heard[worker.pid] = now
        return now - self._heard.setdefault(worker.pid, now) < self.config.timeout_worker_healthcheck


class ReloadingSupervisor(Supervisor):
    """Hands SIGHUP on to the workers, which read the models file again, where uvicorn would start them anew."""

    def handle_hup(self) -> None:
        for process in self.processes:
            if process.pid is not None:
                os.kill(process.pid, signal.SIGHUP)


def end_quietly() -> None:
    """Called first in a worker: from now on it ends as a program does, without a traceback.

    uvicorn repeats the signal that it shut down for: SIGTERM would by default end the process before Python has given
    back what it shares with others, such as semaphores, and SIGINT would raise `KeyboardInterrupt`. A SIGINT that came
    while it started is dropped: a terminal sends it to the supervisor too. The supervisor's SIGTERM may come when a
    SIGINT has already ended the service: an exit that is raised while the event loop closes would leave a traceback.
    """
    signal.signal(signal.SIGINT, _ignore_termination_after_serving)
    signal.signal(signal.SIGTERM, _exit)
    if HAS_MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


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


def _ignore_termination_after_serving(number: int, frame: FrameType | None) -> None:
    with suppress(RuntimeError):  # No loop runs while the worker starts; uvicorn repeats a signal inside the loop.
        asyncio.get_running_loop()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _exit(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)

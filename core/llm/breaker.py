"""Leaves an endpoint alone for a while after it failed several times in a row."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Literal

from core.llm.failures import CircuitOpen, Dropped, Rejected, Unusable

MAX_FAILURES = 5
"""Failed requests in a row after which no more are sent."""
FIRST_PAUSE_SECONDS = 1.0
MAX_PAUSE_SECONDS = 60.0
PROBE_SECONDS = 1.0
"""After which to ask again while another request finds out whether the endpoint is back."""

HANG_SECONDS = 10.0
"""Without a reply, after which a request that is cancelled counts as failed."""

State = Literal["closed", "open", "half-open"]


class Breaker:
    """The state of one endpoint, as seen by one process: where several workers run, each learns for itself.

    Closed, every request goes through. After `MAX_FAILURES` failures in a row it opens: requests raise `CircuitOpen`
    for a pause that doubles from 1 to 60 seconds, less up to a quarter, so that processes do not come back together.
    Then it is half-open: one request goes through, others are still refused, and its outcome closes or opens it.

    A failure is a lost connection, a server error (5xx) that may pass, or a request that hangs: its caller gave up
    after `HANG_SECONDS` or more, be it for a deadline. Any other reply, a refusal or a rate limit (429) included, shows
    that the endpoint is there. `clock` gives seconds.

    With `patient`, calls wait for the end of a pause where their deadline allows it, in place of failing at once: for
    commands that work through many tasks, of which a short outage would else leave hundreds undone.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, *, patient: bool = False) -> None:
        self.patient = patient
        self._clock = clock
        self._failures = 0
        self._openings = 0
        self._open_until: float | None = None
        self._probing = False
        self._era = 0
        """Grows whenever the state changes."""

    @property
    def state(self) -> State:
        if self._open_until is None:
            return "closed"
        return "open" if self.seconds_left > 0 else "half-open"

    @property
    def seconds_left(self) -> float:
        """Until a request may go through again; 0 unless it is open."""
        return max(0.0, self._open_until - self._clock()) if self._open_until is not None else 0.0

    @property
    def pause(self) -> float:
        """Seconds until it is worth asking for leave to send a request; 0 where one may be sent now."""
        return self.seconds_left or (PROBE_SECONDS if self._probing else 0.0)

    @contextmanager
    def request(self, hang_seconds: float = HANG_SECONDS) -> Iterator[None]:
        """Around one request, whose outcome it notes. Raises `CircuitOpen` where none may be sent."""
        is_probe = self._admit()
        era, started = self._era, self._clock()
        try:
            yield
        except (Dropped, Rejected) as failure:
            if isinstance(failure, Rejected) and not (failure.transient and failure.status >= 500):
                self._close()
            else:
                self._failed(era)
            raise
        except Unusable:
            self._close()
            raise
        except asyncio.CancelledError:
            # One that was cancelled early says nothing; the next one may find out.
            if self._clock() - started >= hang_seconds:
                self._failed(era)
            raise
        else:
            self._close()
        finally:
            self._probing = self._probing and not is_probe

    def _failed(self, era: int) -> None:
        if era != self._era:
            return  # It was sent before the last change of state, and tells nothing about the time since.
        self._failures += 1
        if self._open_until is not None or self._failures >= MAX_FAILURES:
            pause = min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0**self._openings)
            self._openings += 1
            self._era += 1
            self._open_until = self._clock() + pause * random.uniform(0.75, 1.0)  # noqa: S311

    def _admit(self) -> bool:
        """True where the request is the one that finds out whether the endpoint is back."""
        if self.state == "closed":
            return False
        if self.pause:
            raise CircuitOpen(self.pause)
        self._probing = True
        return True

    def _close(self) -> None:
        self._failures = self._openings = 0
        if self._open_until is not None:
            self._era += 1
            self._open_until = None

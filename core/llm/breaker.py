"""A circuit breaker: sends no requests to an endpoint for a while after it failed several times in a row."""

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
"""How long to wait while another request probes whether the endpoint is available again."""

HANG_SECONDS = 10.0
"""A request that is cancelled after this time without a reply counts as failed."""

State = Literal["closed", "open", "half-open"]


class Breaker:
    """The circuit breaker of one endpoint in one process; several workers do not share their state.

    Closed: every request is sent. After `MAX_FAILURES` failures in a row it opens: requests raise `CircuitOpen` for a
    pause that doubles from 1 to 60 seconds, shortened at random by up to a quarter so that processes do not return at
    the same time. Then it is half-open: one request is sent as a probe, others are still refused, and the outcome of
    the probe closes or opens the breaker.

    A failure is a lost connection, a transient server error (5xx), or a request that hangs, that is, one whose caller
    gave up after `HANG_SECONDS` or more. Any other reply, including a refusal or a rate limit (429), shows that the
    endpoint is available. `clock` returns seconds.

    With `patient`, calls wait for the end of a pause if their deadline allows it, instead of failing at once. This is
    for commands with many tasks, hundreds of which would otherwise fail in a short outage.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, *, patient: bool = False) -> None:
        self.patient = patient
        self._clock = clock
        self._failures = 0
        self._openings = 0
        self._open_until: float | None = None
        self._probing = False
        self._era = 0
        """Incremented on every change of state."""

    @property
    def state(self) -> State:
        if self._open_until is None:
            return "closed"
        return "open" if self.seconds_left > 0 else "half-open"

    @property
    def seconds_left(self) -> float:
        """Seconds until a request may be sent again; 0 unless the breaker is open."""
        return max(0.0, self._open_until - self._clock()) if self._open_until is not None else 0.0

    @property
    def pause(self) -> float:
        """Seconds to wait before the next attempt to send a request; 0 if one may be sent now."""
        return self.seconds_left or (PROBE_SECONDS if self._probing else 0.0)

    @contextmanager
    def request(self, hang_seconds: float = HANG_SECONDS) -> Iterator[None]:
        """Wraps one request and records its outcome. Raises `CircuitOpen` if no request may be sent."""
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
            # A request that was cancelled early gives no information; the next one may probe.
            if self._clock() - started >= hang_seconds:
                self._failed(era)
            raise
        else:
            self._close()
        finally:
            self._probing = self._probing and not is_probe

    def _failed(self, era: int) -> None:
        if era != self._era:
            return  # It was sent before the last change of state and gives no information about the time since.
        self._failures += 1
        if self._open_until is not None or self._failures >= MAX_FAILURES:
            pause = min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0**self._openings)
            self._openings += 1
            self._era += 1
            self._open_until = self._clock() + pause * random.uniform(0.75, 1.0)  # noqa: S311

    def _admit(self) -> bool:
        """True if the request is the probe of a half-open breaker. Raises `CircuitOpen`."""
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

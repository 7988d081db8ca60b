"""Requests that wait for something to happen: each holds a connection, so one person may have only so many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.errors import QuotaExceeded

MAX_LONG_POLLS = 20
"""Of one person, key or address at the same time, in one process."""
RETRY_SECONDS = 5.0


@dataclass(frozen=True)
class LongPolls:
    """Counts who waits."""

    limit: int = MAX_LONG_POLLS
    _waiting: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    @contextmanager
    def hold(self, requester: str, seconds: float) -> Iterator[None]:
        """Count a request that waits up to so many seconds; one that does not wait is free. Raises `QuotaExceeded`."""
        if seconds <= 0:
            yield
            return
        if self._waiting[requester] >= self.limit:
            error = QuotaExceeded(
                f"{self.limit} requests of yours wait already, which is the most. Ask without `wait`, or later."
            )
            error.retry_after = RETRY_SECONDS
            raise error
        self._waiting[requester] += 1
        try:
            yield
        finally:
            self._waiting[requester] -= 1
            if not self._waiting[requester]:
                del self._waiting[requester]

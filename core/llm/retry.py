"""The only retry layer: what is retried, when, and for how long."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TypeVar

from core.llm.failures import Dropped, Rejected

T = TypeVar("T")

FIRST_DELAY_SECONDS = 0.25
"""Longest delay before the first retry; it doubles with each further one."""
MAX_DELAY_SECONDS = 8.0
MAX_RETRY_AFTER_SECONDS = 86_400.0
"""A server's Retry-After is passed on to clients, so absurd values are capped."""


async def retrying(
    attempt: Callable[[], Awaitable[T]], *, max_retries: int, deadline: float, may_retry: Callable[[], bool]
) -> T:
    """Await `attempt()` until it succeeds. `deadline` is a time of the running event loop.

    Delays between attempts grow exponentially, with jitter; a server's Retry-After replaces them. Raises the last
    `Dropped` or `Rejected` if it is not transient, no retries are left, the delay would exceed the deadline, or
    `may_retry()` is false.
    """
    retries = 0
    while True:
        try:
            return await attempt()
        except (Dropped, Rejected) as failure:
            delay = _delay(failure, retries)
            too_late = asyncio.get_running_loop().time() + delay >= deadline
            lasting = isinstance(failure, Rejected) and not failure.transient
            if retries >= max_retries or too_late or lasting or not may_retry():
                raise
        retries += 1
        await asyncio.sleep(delay)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, at most a day, from a Retry-After header in seconds or as an HTTP date; None without one."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds: float | None = float(value)
    except ValueError:
        seconds = _until(value)
    if seconds is None or not isfinite(seconds):
        return None
    return min(max(0.0, seconds), MAX_RETRY_AFTER_SECONDS)


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()


def _delay(failure: Dropped | Rejected, retries: int) -> float:
    if isinstance(failure, Rejected) and failure.retry_after is not None:
        return failure.retry_after
    # Jitter, so that clients which failed at the same time do not retry at the same time.
    longest: float = min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2**retries)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311

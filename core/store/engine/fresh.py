"""Values that are read all the time, cached for a moment, and for longer while the database cannot be read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from time import monotonic
from typing import Any, Generic, TypeVar

from core.concurrency import SingleFlight
from core.errors import StorageUnavailable

T = TypeVar("T")

FRESH_SECONDS = 1.0
"""How long a cached value is used, and so how long a change made by another process may be missed."""
MAX_VALUES = 512
"""Values that are kept; the least recently read goes first."""


@dataclass(slots=True)
class _Cached(Generic[T]):
    value: T
    version: object
    read_at: float


class FreshValues(Generic[T]):
    """Values by key, read by `read`. An equal value stays the same object, and concurrent reads are coalesced."""

    def __init__(self, read: Callable[[str], Coroutine[Any, Any, T | None]], version: Callable[[str], object]) -> None:
        """`version` of a key changes when this process has changed the value. What is None is not cached."""
        self._read = read
        self._version = version
        self._cached: OrderedDict[str, _Cached[T]] = OrderedDict()
        self._reads: SingleFlight[T | None] = SingleFlight()

    async def get(self, key: str) -> T | None:
        """The value. Raises `StorageUnavailable` where it cannot be read and was not read before."""
        version = self._version(key)
        cached = self._cached.get(key)
        if cached is None or cached.version != version:
            return await self._reads.do((key, version), lambda: self._read_anew(key, version))
        if monotonic() - cached.read_at < FRESH_SECONDS:
            return cached.value
        try:
            return await self._reads.do((key, version), lambda: self._read_anew(key, version))
        except StorageUnavailable:
            return cached.value

    async def _read_anew(self, key: str, version: object) -> T | None:
        value = await self._read(key)
        if value is None:
            return None
        cached = self._cached.get(key)
        same = cached.value if cached and cached.value == value else value
        self._cached[key] = _Cached(same, version, monotonic())
        self._cached.move_to_end(key)
        while len(self._cached) > MAX_VALUES:
            self._cached.popitem(last=False)
        return same

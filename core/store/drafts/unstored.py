"""Drafts that wait in memory until the database takes writes again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

log = logging.getLogger("edumod")

MAX_UNSTORED = 1_000
"""Maximum number of drafts that one process keeps in memory."""


@dataclass(frozen=True, slots=True)
class DraftChange:
    """The row of a draft that begins or, with traces, ends: a copy, since the draft may change afterwards."""

    row: dict[str, Any]
    traces: tuple[dict[str, Any], ...] = ()

    @property
    def draft_id(self) -> str:
        return str(self.row["id"])

    @property
    def has_ended(self) -> bool:
        return bool(self.traces)

    def __str__(self) -> str:
        return f"The draft {self.draft_id}"


class Unstored:
    """At most `limit` drafts, each with its latest change. They are lost if the process dies before the database
    takes them."""

    def __init__(self, limit: int = MAX_UNSTORED) -> None:
        self._limit = limit
        self._changes: dict[str, DraftChange] = {}

    def __len__(self) -> int:
        return len(self._changes)

    def __contains__(self, draft_id: str) -> bool:
        return draft_id in self._changes

    def add(self, changes: Iterable[DraftChange]) -> None:
        """Keep the changes. A change beyond the limit is dropped and logged."""
        for change in changes:
            earlier = self._changes.get(change.draft_id)
            if earlier is None and len(self._changes) >= self._limit:
                log.error("%s is lost: the database rejects writes, and %d wait in memory.", change, self._limit)
            else:
                self._changes[change.draft_id] = _merge(earlier, change) if earlier else change

    def first(self, number: int) -> list[DraftChange]:
        """Up to `number` changes, oldest drafts first."""
        return list(islice(self._changes.values(), number))

    def remove(self, change: DraftChange) -> None:
        """Remove the change, unless a later one has replaced it."""
        if self._changes.get(change.draft_id) is change:
            del self._changes[change.draft_id]

    def discard(self, draft_id: str) -> None:
        """Remove a draft that is stored."""
        self._changes.pop(draft_id, None)

    def of_key(self, course_id: str, key: str | None) -> DraftChange | None:
        """The change of the draft with that idempotency key."""
        owners = (change for change in self._changes.values() if change.row["course_id"] == course_id)
        return next((change for change in owners if change.row["idempotency_key"] == key), None)


def _merge(earlier: DraftChange, later: DraftChange) -> DraftChange:
    """The later change; a change that begins the draft does not replace one that ends it."""
    traces: Sequence[dict[str, Any]] = (*earlier.traces, *later.traces)
    newest = later if later.has_ended or not earlier.has_ended else earlier
    return replace(newest, traces=tuple({trace["id"]: trace for trace in traces}.values()))

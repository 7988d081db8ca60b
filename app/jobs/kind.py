"""What a job is: a kind, arguments and a key (decision 0091)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from core.settings import Settings
from core.store.store import Store
from retrievers.embedding.embeddings import Embeddings
from retrievers.index.indexes import Indexes

if TYPE_CHECKING:
    from ingestion.ingest import Ingestion

Arguments = Mapping[str, Any]
"""JSON."""


class Lane(StrEnum):
    """One queue per resource that work is bound by."""

    PARSE = "parse"
    EMBED = "embed"
    LLM = "llm"
    EVAL = "eval"
    WEBHOOKS = "webhooks"
    FORUMS = "forums"


class Workplace(Protocol):
    """What jobs work with: the services of a process."""

    settings: Settings
    store: Store
    indexes: Indexes
    embeddings: Embeddings
    jobs: JobQueue

    def ingestion(self) -> AbstractAsyncContextManager[Ingestion]: ...

    async def add_weekly_mails(self) -> int: ...

    async def send_weekly_mail(self, course_id: str, week: str, person_id: str) -> None: ...


@dataclass(frozen=True)
class JobKind:
    """`run` may be called twice with the same arguments, one after the other or at once, without harm.

    Jobs of a higher `priority` are taken first. `cron` is when one is added by itself, on PostgreSQL, in UTC.
    """

    name: str
    lane: Lane
    run: Callable[[Workplace, Arguments], Awaitable[None]]
    priority: int = 0
    cron: str | None = None


@dataclass(frozen=True, slots=True)
class LaneState:
    """How much waits and runs in a lane, and for how many seconds the oldest has been due."""

    lane: str
    waiting: int = 0
    running: int = 0
    oldest_seconds: float = 0.0


class JobQueue(Protocol):
    """Where jobs wait."""

    async def add(self, name: str, arguments: Arguments, key: str) -> bool:
        """Add a job of the kind of that name; False, and nothing added, where one with that key waits already."""
        ...

    async def lanes(self) -> list[LaneState]:
        """The lanes that hold something."""
        ...

    async def aclose(self) -> None: ...

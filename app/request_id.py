"""The ids of request and draft that log lines carry."""

from __future__ import annotations

import secrets
from contextvars import ContextVar
from dataclasses import dataclass

HEADER = "X-Request-ID"


@dataclass
class WorkIds:
    """Shared by all tasks of one request."""

    request_id: str | None = None
    draft_id: str | None = None


_ids: ContextVar[WorkIds | None] = ContextVar("work_ids", default=None)


def current() -> str | None:
    """The id of the current request; None outside of one."""
    return ids.request_id if (ids := _ids.get()) else None


def current_draft() -> str | None:
    """The id of the draft that is being worked on; None before there is one."""
    return ids.draft_id if (ids := _ids.get()) else None


def work_on(draft_id: str) -> None:
    """Add the draft's id to later log lines of this request or task."""
    if (ids := _ids.get()) is None:
        _ids.set(WorkIds(draft_id=draft_id))
    else:
        ids.draft_id = draft_id


def new() -> str:
    """16 hexadecimal digits. Ids sent by clients are ignored: they would let clients write into the log."""
    return secrets.token_hex(8)


def begin() -> str:
    """A new id for the current request. Not reset: the server runs each request in its own task and context."""
    request_id = new()
    _ids.set(WorkIds(request_id))
    return request_id

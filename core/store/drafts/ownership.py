"""Which process works on a draft: a new one, one that is taken over, and one whose process died."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select

from core.errors import IdempotencyKeyInProgress, IdempotencyKeyReused, NotFound, NotRetryable
from core.store.processes import Processes
from core.store.tables import DraftRow, DraftState, table_of

_drafts = table_of(DraftRow)
INTERRUPTED = {"code": "interrupted", "detail": "The server was stopped before the answer was there."}
SWEPT_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A draft to work on or, if `response` is set, the existing answer for this key."""

    draft_id: str
    response: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class LeftDraft:
    """A draft in work whose process died; `was_tried_before` if an earlier run of it ended without an answer."""

    id: str
    was_tried_before: bool


def insert(connection: Connection, processes: Processes, row: dict[str, Any]) -> None:
    """Store a new draft of this process."""
    processes.ensure_registered(connection)
    connection.execute(_drafts.insert(), row)


def take_over(connection: Connection, processes: Processes, draft: DraftRow) -> OpenDraft | None:
    """The draft of a key that was used before; None if it was not. Raises `IdempotencyKeyInProgress` and
    `IdempotencyKeyReused`."""
    is_same = and_(_drafts.c.course_id == draft.course_id, _drafts.c.idempotency_key == draft.idempotency_key)
    _lock(connection, is_same)
    is_left = processes.is_without_owner(connection, _drafts.c.owner)
    query = select(_drafts, is_left.label("is_left")).where(is_same)
    if (row := connection.execute(query).one_or_none()) is None:
        return None
    if (finished := finished_draft(row._mapping, draft)) is not None:
        return finished
    if row.state == DraftState.WORKING and not row.is_left:
        raise IdempotencyKeyInProgress(
            f"The request with Idempotency-Key {draft.idempotency_key!r} is still being answered. "
            "Ask again in a few seconds."
        )
    processes.ensure_registered(connection)
    _take(connection, processes, row.id)
    return OpenDraft(row.id)


def reopen(connection: Connection, processes: Processes, draft_id: str) -> None:
    """Take a failed draft, or one whose process died. Raises `NotFound` and `NotRetryable`."""
    _lock(connection, _drafts.c.id == draft_id)
    is_left = processes.is_without_owner(connection, _drafts.c.owner)
    query = select(_drafts.c.state, _drafts.c.error, is_left.label("is_left")).where(_drafts.c.id == draft_id)
    if (row := connection.execute(query).one_or_none()) is None:
        raise no_draft(draft_id)
    if row.state == DraftState.REFUSED:
        raise NotRetryable(f"The draft {draft_id} holds no question: the student had not agreed to an answer.")
    if row.state == DraftState.WORKING and not row.is_left:
        raise NotRetryable(f"The draft {draft_id} is being worked on. Wait until it has ended.")
    if row.state == DraftState.DECIDED:
        raise NotRetryable(f"The draft {draft_id} is decided. Undo the decision, or ask again.")
    if row.state not in (DraftState.WORKING, DraftState.FAILED):
        raise NotRetryable(f"The draft {draft_id} has an answer already.")
    processes.ensure_registered(connection)
    _take(connection, processes, draft_id, error=row.error or INTERRUPTED)


def left(connection: Connection, processes: Processes) -> list[LeftDraft]:
    """Drafts in work whose process died, at most `SWEPT_AT_ONCE`."""
    query = select(_drafts.c.id, _drafts.c.error).where(_is_left(connection, processes)).limit(SWEPT_AT_ONCE)
    return [LeftDraft(row.id, row.error is not None) for row in connection.execute(query)]


def interrupt(connection: Connection, processes: Processes, draft_ids: Sequence[str]) -> None:
    """Mark those of these drafts as failed whose process is dead."""
    _lock(connection, _drafts.c.id.in_(draft_ids))
    mine = and_(_drafts.c.id.in_(draft_ids), _is_left(connection, processes))
    connection.execute(_drafts.update().where(mine).values(state=DraftState.FAILED, error=INTERRUPTED))


def _take(connection: Connection, processes: Processes, draft_id: str, **values: Any) -> None:
    mine = {"state": DraftState.WORKING, "owner": processes.id, **values}
    connection.execute(_drafts.update().where(_drafts.c.id == draft_id).values(mine))


def _is_left(connection: Connection, processes: Processes) -> Any:
    return and_(_drafts.c.state == DraftState.WORKING, processes.is_without_owner(connection, _drafts.c.owner))


def _lock(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Lock drafts first: a statement that had to wait would see their new owner, but not yet that it lives."""
    connection.execute(select(_drafts.c.id).where(condition).order_by(_drafts.c.id).with_for_update())


def finished_draft(row: Any, draft: DraftRow) -> OpenDraft | None:
    """The draft of a key that was used before, if it needs no work. Raises `IdempotencyKeyReused`."""
    if row["state"] == draft.state == DraftState.REFUSED:
        return OpenDraft(row["id"])
    if row["fingerprint"] != draft.fingerprint:
        raise IdempotencyKeyReused(
            f"Idempotency-Key {draft.idempotency_key!r} was used for another request. "
            "Send a new key with a new question."
        )
    return None if row["response"] is None else OpenDraft(row["id"], row["response"])


def no_draft(draft_id: str) -> NotFound:
    """The error that an unknown draft is answered with."""
    return NotFound(f"There is no draft {draft_id!r}.")

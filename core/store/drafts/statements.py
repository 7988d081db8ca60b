"""The statements by which drafts begin and end."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import and_, or_

from core.store.engine.upsert import insert
from core.store.tables import DraftRow, DraftState, TraceRow

_drafts = DraftRow.__table__  # type: ignore[attr-defined]
_traces = TraceRow.__table__  # type: ignore[attr-defined]


@cache
def statements_for(dialect: str) -> tuple[Any, Any, Any]:
    """The statements that begin drafts, end drafts and add traces. Cached: building them is slower than a write."""
    beginning = insert(dialect, _drafts).on_conflict_do_nothing(index_elements=["id"])
    tracing = insert(dialect, _traces).on_conflict_do_nothing(index_elements=["id"])
    return beginning, _ending(dialect), tracing


def _ending(dialect: str) -> Any:
    """An upsert of drafts that have ended.

    An answer replaces a failure or an earlier answer. A failure replaces only a draft of the same process, since
    another process may have taken over the draft.
    """
    new = insert(dialect, _drafts)
    state, excluded = _drafts.c.state, new.excluded
    # Compared one by one: `in_` cannot be used for many rows at once.
    is_open = or_(state == DraftState.WORKING, state == DraftState.FAILED)
    is_answer = and_(excluded.state == DraftState.PENDING, or_(is_open, state == DraftState.PENDING))
    is_own = and_(excluded.owner == _drafts.c.owner, is_open)
    changed = {name: excluded[name] for name in ("state", "response", "error", "kind", "confidence")}
    changed["version"] = _drafts.c.version + 1
    return new.on_conflict_do_update(index_elements=["id"], set_=changed, where=or_(is_answer, is_own))

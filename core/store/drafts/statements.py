"""The statements by which drafts begin and end."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Dialect, and_, or_

from core.store.engine.upsert import insert
from core.store.tables import DraftRow, DraftState, TraceRow, table_of

_drafts = table_of(DraftRow)
_traces = table_of(TraceRow)


@cache
def statements_for(dialect: Dialect) -> tuple[Any, Any, Any]:
    """The statements that begin drafts, end drafts and add traces. Cached: building them is slower than a write."""
    beginning = insert(dialect, _drafts).on_conflict_do_nothing(index_elements=["id"])
    tracing = insert(dialect, _traces).on_conflict_do_nothing(index_elements=["id"])
    return beginning, _ending(dialect), tracing


def _ending(dialect: Dialect) -> Any:
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
    replaced = ("state", "response", "error", "kind", "confidence")
    changed: dict[str, ColumnElement[Any]] = {name: excluded[name] for name in replaced}
    changed["version"] = _drafts.c.version + 1
    return new.on_conflict_do_update(index_elements=["id"], set_=changed, where=or_(is_answer, is_own))

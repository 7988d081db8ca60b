"""Lists stored drafts without any text by students."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.schemas import DraftsOut, FailureOut, ListedDraftOut
from core.access import Reach
from core.store.drafts.filter import DraftFilter
from core.store.pages import Cursor, ListedDraft
from core.store.store import Store
from core.store.tables import DraftState

DEFAULT_LIMIT = 50
MAX_LIMIT = 100

_REASONS = {
    "interrupted": "The work was stopped before the answer was complete.",
    "storage-unavailable": "The database could not be used.",
    "model-unavailable": "The language model could not be reached.",
    "model-timeout": "The language model took too long.",
    "run-timeout": "The answer took too long.",
    "model-refused": "The language model's server refused the request.",
    "context-overflow": "The question and its passages are too long for the language model.",
    "missing-capability": "The language model's server lacks a required capability.",
    "bad-reply": "The language model's reply could not be used.",
    "model-declined": "The language model refused to answer.",
}
_UNKNOWN_REASON = "No answer could be given; the draft's trace and the server's log say why."
"""Used instead of the stored error, which may quote the model's server and so the student's question."""


async def find_drafts(store: Store, wanted: DraftFilter, before: str | None, limit: int, reach: Reach) -> DraftsOut:
    """A page of drafts within reach, newest first. Raises `UnknownName` and `InvalidInput`."""
    cursor = None if before is None else Cursor.decode(before, "before")
    for course_id in wanted.course_ids or ():
        await store.courses.get(course_id)
    page = await store.drafts.page(wanted, cursor, limit, reach)
    drafts = tuple(_draft_out(draft, wanted.at) for draft in page.drafts)
    return DraftsOut(drafts=drafts, next=page.next.encode() if page.next else None)


def _draft_out(draft: ListedDraft, at: datetime) -> ListedDraftOut:
    is_claimed = draft.claimed_until is not None and draft.claimed_until > at
    return ListedDraftOut(
        id=draft.id,
        course_id=draft.course_id,
        state=DraftState(draft.state),
        created_at=draft.created_at,
        kind=draft.kind,
        category=draft.category,
        confidence=draft.confidence,
        claimed_by=draft.claimed_by_name if is_claimed else None,
        error=_failure(draft.error) if draft.state == DraftState.FAILED and draft.error else None,
    )


def _failure(error: dict[str, Any]) -> FailureOut:
    code = str(error["code"])
    return FailureOut(code=code, detail=_REASONS.get(code, _UNKNOWN_REASON))

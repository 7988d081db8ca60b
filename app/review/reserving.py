"""Leads from one draft to the next and reserves it: an act of a person, never of a page that is only loaded."""

from __future__ import annotations

from contextlib import suppress

from app.review.deciding import DraftReview, Reviewer
from app.review.queue import QueueFilter, next_draft
from app.review.stored_draft import claim_of
from core.access import Access, Permission
from core.errors import NotFound
from core.store.tables import DraftRow, now

MAX_RACES = 20
"""How often somebody else may be quicker before the queue is shown instead."""


async def leave_for_next(
    review: DraftReview, draft_id: str, me: Reviewer, access: Access, wanted: QueueFilter
) -> str | None:
    """The id of the next draft of the queue, reserved; None where none is free.

    An empty `draft_id` begins with the first one. Of two who ask at the same time, one gets a draft and the other the
    one after it.
    """
    draft: DraftRow | None = None
    if draft_id:
        try:
            draft = await review.draft(draft_id, me)
        except NotFound:  # Deleted meanwhile.
            return await leave_for_next(review, "", me, access, wanted)
        await review.leave(draft_id, me)
    for _ in range(MAX_RACES):
        candidate = await next_draft(review.store, draft, me, wanted)
        if candidate is None or await _is_reserved(review, candidate, me, access):
            return candidate
    return None


async def _is_reserved(review: DraftReview, draft_id: str, me: Reviewer, access: Access) -> bool:
    """Reserve the draft for who may decide it; False if somebody else was quicker, or has deleted it."""
    with suppress(NotFound):
        draft = await review.draft(draft_id, me)
        if access.may(Permission.DRAFTS_DECIDE, draft.course_id):
            await review.open(draft_id, me)
            draft = await review.draft(draft_id, me)
        return claim_of(draft, now()) is None or draft.claimed_by == me.person.id
    return False

"""Approves drafts together: only those that the course's own decisions say are safe, and not all of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.response import AnswerResponse
from app.review.deciding import DraftReview, Reviewer
from app.review.learning import Learning
from app.review.quality import quality_of
from app.review.schemas import DecisionIn
from core.concurrency import in_thread
from core.errors import InvalidInput, NotDecidable, NotFound
from core.review import Outcome
from core.store.tables import DraftRow
from core.types import Status

READ_EVERY = 10
"""Of so many drafts that could be approved unread, one is left to be read."""
MAX_DRAFTS = 100


@dataclass(frozen=True)
class BulkResult:
    """How many drafts were approved, left as a sample for reading, left because they are not sure, and deleted."""

    approved: int = 0
    sample: int = 0
    unsure: int = 0
    gone: int = 0


async def approve_sure(review: DraftReview, learning: Learning, draft_ids: Sequence[str], me: Reviewer) -> BulkResult:
    """Approve the drafts at or above the threshold that their course's decisions recommend."""
    if len(draft_ids) > MAX_DRAFTS:
        raise InvalidInput(f"At most {MAX_DRAFTS} drafts can be approved together.")
    thresholds: dict[str, float | None] = {}
    sure: list[DraftRow] = []
    gone = 0
    for draft_id in dict.fromkeys(draft_ids):
        try:
            draft = await review.draft(draft_id, me)
        except NotFound:
            gone += 1
            continue
        if draft.course_id not in thresholds:
            thresholds[draft.course_id] = await calibrated_threshold(learning, draft.course_id)
        sure += [draft] if _is_sure(draft, thresholds[draft.course_id]) else []
    read = sure[::READ_EVERY]
    approved = 0
    for draft in sure:
        if draft not in read:
            try:
                approved += await _approve(review, draft, me)
            except NotFound:
                gone += 1
    return BulkResult(approved, len(read), len(set(draft_ids)) - approved - len(read) - gone, gone)


async def calibrated_threshold(learning: Learning, course_id: str) -> float | None:
    """The confidence from which on few drafts of the course were wrong so far; None where that is not known."""
    quality = await in_thread(quality_of, await learning.lessons(course_id))
    return quality.recommended.at if quality.recommended else None


def _is_sure(draft: DraftRow, threshold: float | None) -> bool:
    if threshold is None or draft.response is None or (draft.confidence or 0.0) < threshold:
        return False
    answer = AnswerResponse.model_validate(draft.response)
    return answer.status is Status.ANSWERED and not answer.doubts and not answer.warnings


async def _approve(review: DraftReview, draft: DraftRow, me: Reviewer) -> bool:
    try:
        await review.decide(draft.id, DecisionIn(outcome=Outcome.APPROVED), me, draft.version, if_unclaimed=True)
    except (NotDecidable, InvalidInput):  # Somebody else has it, or has changed it.
        return False
    return True

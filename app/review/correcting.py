"""Corrects an answer that was sent."""

from __future__ import annotations

from app.problems import log_failure
from app.review.deciding import DraftReview, Reviewer
from app.review.learning import Learning
from app.review.schemas import DecisionIn
from core.errors import EduModError
from core.store.tables import DecisionRow


async def correct_draft(
    review: DraftReview, learning: Learning, draft_id: str, correction: DecisionIn, by: Reviewer
) -> DecisionRow:
    """Correct the answer, and the past question that was made of it. Raises as `DraftReview.correct`."""
    before = await review.store.decisions.of(draft_id)
    row = await review.correct(draft_id, correction, by)
    if before is not None and before.promoted_at is not None:
        try:
            await (learning.promote if row.text else learning.withdraw)(draft_id, by)
        except EduModError as error:  # The correction counts all the same.
            log_failure(error)
    return row

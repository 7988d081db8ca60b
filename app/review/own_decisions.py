"""A reviewer's last decisions, to be undone or corrected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.review.deciding import DraftReview, Reviewer
from app.review.queue import title_of
from core.store.tables import DecisionRow, DraftRow, now


@dataclass(frozen=True)
class OwnDecision:
    """A decision that counts, with its draft."""

    decision: DecisionRow
    draft: DraftRow
    at: datetime

    @property
    def title(self) -> str:
        return title_of(self.draft) or "(no text)"

    @property
    def seconds(self) -> float:
        """How long it can be undone still; 0 for a final one."""
        return max(0.0, (self.decision.final_at - self.at).total_seconds())


async def own_decisions(review: DraftReview, me: Reviewer, since: datetime, limit: int) -> list[OwnDecision]:
    """Newest first, of drafts within reach."""
    rows = await review.store.decisions.latest_by(me.person.id, since, limit)
    rows = [row for row in rows if me.reach.courses is None or row.course_id in me.reach.courses]
    drafts = await review.store.drafts.many([row.draft_id for row in rows])
    at = now()
    return [OwnDecision(row, drafts[row.draft_id], at) for row in rows if row.draft_id in drafts]

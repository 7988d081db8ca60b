"""Drafts as those who review and post them see them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from datetime import datetime

from app.response import AnswerResponse
from app.review.deciding import Reviewer, mark_of
from app.review.judgements import VisibleJudgements, visible_judgements
from app.review.schemas import ClaimOut, DecisionOut, DraftOut, JudgementOut
from app.review.shadow import is_hidden
from app.schemas import AskedOut, FailureOut
from core.access import Person, Reach
from core.course import Course
from core.errors import InvalidInput
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, DraftState, JudgementRow, now
from core.text.marks import marked_sentences, without_mark

POLL_SECONDS = 0.5
"""How often a long poll looks into the database: another process may decide."""
_TAG = re.compile(r'(?:W/)?"([0-9]{1,9})(?:-judged)?(?:-final)?"')


@dataclass(frozen=True)
class ReadDraft:
    """A draft with the decision that counts, as they were read."""

    draft: DraftRow
    course: Course
    decision: DecisionRow | None
    at: datetime
    judgement: JudgementRow | None = None
    is_judgement_hidden: bool = False
    """True if the reader sees the judge's score only after her own."""

    @property
    def is_final(self) -> bool:
        """True once the draft is decided and the decision can no longer be undone."""
        return self.decision is not None and self.decision.final_at <= self.at

    @property
    def is_hidden(self) -> bool:
        """True for a draft that nobody may see before a person has answered."""
        return is_hidden(self.course, self.draft.state)

    @property
    def etag(self) -> str:
        """Changes with each answer, decision, undo, judge's score, and final decision."""
        return f'"{self.draft.version}{"-judged" if self.judgement else ""}{"-final" if self.is_final else ""}"'

    @property
    def out(self) -> DraftOut:
        """As the API shows it; without an answer where it is hidden."""
        draft = self.draft
        response = None if self.is_hidden else draft.response
        asked = (draft.request or {}).get("question", {"body": ""})
        fields = ("id", "course_id", "state", "version", "created_at", "kind", "category", "confidence")
        answered = AnswerResponse.model_validate(response) if response else None
        mark = mark_of(draft, self.course)
        failed = draft.error if draft.state == DraftState.FAILED else None
        return DraftOut(
            **{name: getattr(draft, name) for name in fields},
            question=AskedOut.model_validate(asked),
            status=answered.status if answered else None,
            answer=without_mark(answered.answer, mark) if answered else "",
            unverified=marked_sentences(answered.answer, mark) if answered else (),
            doubts=answered.doubts if answered else (),
            citations=answered.citations if answered else (),
            warnings=answered.warnings if answered else (),
            error=FailureOut.model_validate(failed) if failed else None,
            judgement=JudgementOut.of(self.judgement) if self.judgement else None,
            claim=claim_of(draft, self.at),
            decision=DecisionOut.of(self.decision, self.at) if self.decision else None,
        )


def claim_of(draft: DraftRow, at: datetime) -> ClaimOut | None:
    """Who is reviewing the draft at that time."""
    if draft.claimed_by is None or draft.claimed_until is None or draft.claimed_until <= at:
        return None
    return ClaimOut(by=draft.claimed_by_name or draft.claimed_by, until=draft.claimed_until)


async def read_draft(store: Store, draft_id: str, reach: Reach, reader: Person | None = None) -> ReadDraft:
    """The draft with the visible judge's score. Raises `NotFound` and `StorageUnavailable`."""
    if store.drafts.waits(draft_id):
        await store.drafts.store_waiting()
    draft = await store.drafts.get(draft_id, reach)
    course = await store.courses.read(draft.course_id)
    decision = await store.decisions.of(draft_id) if draft.state == DraftState.DECIDED else None
    judged = VisibleJudgements()
    if reader is not None and not is_hidden(course, draft.state):
        judged = await visible_judgements(store, [draft], reader)
    return ReadDraft(draft, course, decision, now(), judged.shown.get(draft.id), draft.id in judged.hidden)


async def wait_for_change(
    store: Store, draft_id: str, reader: Reviewer, seconds: float, known: str | None
) -> ReadDraft:
    """The draft once its ETag differs from `known`, or a decision is final; at the latest after `seconds`."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        draft = await read_draft(store, draft_id, reader.reach, reader.person)
        left = end - asyncio.get_running_loop().time()
        has_changed = draft.is_final if known is None else draft.etag != known
        if has_changed or left <= 0:
            return draft
        await asyncio.sleep(min(POLL_SECONDS, left))


def version_in(if_match: str | None) -> int | None:
    """The version that an `If-Match` header names; None without one, or for `*`. Raises `InvalidInput`."""
    if if_match is None or if_match.strip() == "*":
        return None
    if (match := _TAG.fullmatch(if_match.strip())) is None:
        raise InvalidInput("If-Match is not the ETag of a draft. Send the one that `GET /drafts/{id}` gave, unchanged.")
    return int(match[1])

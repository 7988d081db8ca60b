"""Decides drafts, takes decisions back, and gives second opinions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from app.response import AnswerResponse
from app.review.schemas import MAX_FINAL_CHARS, DecisionIn
from app.review.shadow import demand_own_text, is_hidden
from core.access import EVERYTHING, Permission, Person, Reach
from core.concurrency import in_thread
from core.course import Course
from core.errors import InvalidInput, NotDecidable, NotFound, TooLarge, UnknownName
from core.review import AUTOMATIC, Outcome, Posting, Reason
from core.store.presence import PRESENT
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, now
from core.text.changes import Extent, extent, missing
from core.text.marks import without_mark
from core.text.strikes import without
from core.types import Status

REWRITTEN_FROM = 0.5
"""Share of the draft's words deleted from which on it was rewritten rather than edited."""
WITHOUT_ANSWER = (Status.ABSTAINED, Status.BLOCKED, Status.CONSENT_REQUIRED, Status.NO_RESPONSE_NEEDED)
"""Statuses of drafts whose text is a sentence for students, and no answer."""
CLOSED_ALONE = "It asks for nothing, so it was closed without a person."
MAX_THANKS_CHARS = 300
_QUESTION_MARK = re.compile(
    r"[?？؟]|\b(?:how|why|what|when|where|which|who)\b|(?:^|[.!\n])\s*(?:can|could|may|is|are|do|does|will|should)\b",
    re.I,
)
"""What a question has, and thanks have not."""
_REFERENCE = re.compile(r"[ \t]*(?<!\w)\[\d+\]")
CHANGED = (Outcome.EDITED, Outcome.REWRITTEN)


@dataclass(frozen=True)
class Reviewer:
    """Who acts, and on the drafts of which courses."""

    person: Person
    reach: Reach = EVERYTHING


@dataclass(frozen=True)
class DraftReview:
    """What people do with drafts."""

    store: Store

    async def decide(
        self,
        draft_id: str,
        proposal: DecisionIn,
        by: Reviewer,
        version: int | None = None,
        *,
        if_unclaimed: bool = False,
    ) -> DecisionRow:
        """Decide a draft at the version that was read; None for any.

        Raises `NotFound`, `InvalidInput`, `TooLarge`, `AlreadyDecided`, `NotDecidable` and `DraftChanged`, and with
        `if_unclaimed` also `ClaimedByOther`.
        """
        draft = await self.draft(draft_id, by)
        course = await self.store.courses.read(draft.course_id)
        if is_hidden(course, draft.state):
            demand_own_text(proposal.text, proposal.outcome)
        decision = await in_thread(_decision, draft, proposal, by.person, course)
        await self.store.decisions.decide(decision, version, if_unclaimed=if_unclaimed)
        return decision

    async def answer_too(self, draft_id: str, text: str, reasons: list[Reason], by: Reviewer) -> bool:
        """Answer an alike question with a decided text, without its references, which are another draft's.

        False where somebody else has it, or has answered it.
        """
        proposal = DecisionIn(text=_REFERENCE.sub("", text), reasons=reasons)
        try:
            await self.decide(draft_id, proposal, by, if_unclaimed=True)
        except (NotDecidable, NotFound, InvalidInput):
            return False
        return True

    async def correct(self, draft_id: str, proposal: DecisionIn, by: Reviewer) -> DecisionRow:
        """Put another text in place of a final one; it counts at once. Raises as `decide`, and `NotDecidable` where the
        text is not final yet, or the course's time for corrections is over."""
        draft = await self.draft(draft_id, by)
        before = await self.store.decisions.of(draft_id)
        if before is None or before.final_at > now():
            raise NotDecidable("Only a final answer is corrected. This one can still be decided, or undone.")
        course = await self.store.courses.read(draft.course_id)
        if not await self.is_correctable(course, draft_id):
            raise NotDecidable(
                f"Answers of {course.id} can be corrected for {course.review.correct_days} days; this one is older. "
                "The course file says so (`review.correct_days`)."
            )
        decision = await in_thread(_decision, draft, proposal, by.person, course)
        if decision.text == before.text:
            raise InvalidInput("The text equals the one that was sent: there is nothing to correct.")
        decision.final_at, decision.corrects = decision.decided_at, before.id
        await self.store.decisions.correct(decision)
        return decision

    async def is_correctable(self, course: Course, draft_id: str) -> bool:
        """True while the first of a draft's texts is not older than the course lets correct."""
        history = await self.store.decisions.history(draft_id)
        first = next((one for one in history if not one.is_second and one.undone_at is None), None)
        limit = timedelta(days=course.review.correct_days)
        return first is not None and limit > timedelta(0) and now() <= first.final_at + limit

    async def annotate(self, draft_id: str, opinion: DecisionIn, by: Reviewer) -> DecisionRow:
        """Store a second opinion, for agreement. Raises as `decide`, and `NotDecidable` for a first or own opinion."""
        draft = await self.draft(draft_id, by)
        first = await self.store.decisions.of(draft_id)
        if first is None or first.decided_by == by.person.id:
            raise NotDecidable("You can give a second opinion only on a draft that somebody else has decided.")
        course = await self.store.courses.read(draft.course_id)
        decision = await in_thread(_decision, draft, opinion, by.person, course)
        decision.is_second = True
        await self.store.decisions.annotate(decision)
        return decision

    async def undo(self, draft_id: str, by: Reviewer) -> DecisionRow:
        """Take back a decision that is not final. Raises `NotFound` and `NotDecidable`."""
        await self.draft(draft_id, by)
        return await self.store.decisions.undo(draft_id, by.person, now())

    async def claim(self, draft_id: str, by: Reviewer, to: str | None = None) -> tuple[Person, datetime]:
        """Claim a draft, or hand it over to an id or name. Raises `NotFound`, `UnknownName`, `NotDecidable`."""
        draft = await self.draft(draft_id, by)
        at = now()
        until = at + timedelta(minutes=(await self.store.courses.read(draft.course_id)).review.claim_minutes)
        if to is None:
            await self.store.decisions.claim(draft_id, by.person, until, at)
            return by.person, until
        person = await self._staff(draft.course_id, to)
        await self.store.decisions.hand_over(draft_id, by.person, person, until, at)
        return person, until

    async def open(self, draft_id: str, by: Reviewer) -> None:
        """Note that a draft is open on a page, which reserves it until the next heartbeat is due. Raises `NotFound`."""
        await self.draft(draft_id, by)
        at = now()
        await self.store.decisions.reserve(draft_id, by.person, at + PRESENT, at)
        await self.store.presence.note(draft_id, by.person, at)

    async def leave(self, draft_id: str, by: Reviewer) -> None:
        """Note that a draft is not open any more; a claim for longer stays."""
        await self.store.presence.forget(draft_id, by.person)
        await self.store.decisions.release(draft_id, by.person, before=now() + PRESENT)

    async def staff(self, course_id: str) -> list[Person]:
        members = await self.store.members.all(course_id)
        return [Person(one.id, one.name) for one in members if one.access.may(Permission.DRAFTS_DECIDE, course_id)]

    async def _staff(self, course_id: str, name: str) -> Person:
        staff = await self.staff(course_id)
        for person in staff:
            if name in (person.id, person.name):
                return person
        raise UnknownName("staff member", name, [person.name for person in staff])

    async def draft(self, draft_id: str, by: Reviewer) -> DraftRow:
        """The draft, stored now if it waited in memory. Raises `NotFound` and `StorageUnavailable`."""
        if self.store.drafts.waits(draft_id):
            await self.store.drafts.store_waiting()
        return await self.store.drafts.get(draft_id, by.reach)

    async def release(self, draft_id: str, by: Reviewer) -> None:
        """Give up one's own claim; another's stays. Raises `NotFound`."""
        await self.draft(draft_id, by)
        await self.store.decisions.release(draft_id, by.person)


def answer_of(draft: DraftRow, course: Course) -> str:
    """The draft's Markdown without marks; empty if it has no answer."""
    response = draft.response or {}
    if response.get("status") in WITHOUT_ANSWER:
        return ""
    return without_mark(str(response.get("answer", "")), mark_of(draft, course))


def mark_of(draft: DraftRow, course: Course) -> str:
    """The mark of unverified statements."""
    return str((draft.response or {}).get("mark") or course.writing.mark)


def is_sure(course: Course, draft: DraftRow) -> bool:
    """True for an answer without any doubt that its course lets pass without a person."""
    if course.posting is not Posting.AUTO or draft.response is None:
        return False
    answer = AnswerResponse.model_validate(draft.response)
    has_doubts = answer.doubts or answer.warnings or answer.status is not Status.ANSWERED
    return not has_doubts and answer.confidence >= course.review.threshold


async def decide_alone(store: Store, course: Course, draft: DraftRow) -> None:
    """Decide a new draft without a person where the course allows it: approve a sure one, close a mere thanks."""
    if is_sure(course, draft):
        proposal = DecisionIn(outcome=Outcome.APPROVED)
    elif asks_nothing(course, draft):
        proposal = DecisionIn(outcome=Outcome.DISCARDED, note=CLOSED_ALONE)
    else:
        return
    await store.decisions.decide(_decision(draft, proposal, AUTOMATIC, course), None)


def asks_nothing(course: Course, draft: DraftRow) -> bool:
    """True of a short message without code and pictures that no answer was written to, and that asks nothing."""
    status = (draft.response or {}).get("status")
    if not course.review.close_thanks or course.posting is Posting.SHADOW or status != Status.NO_RESPONSE_NEEDED:
        return False
    request = draft.request or {}
    question = request.get("question") or {}
    text = f"{question.get('title', '')}\n{question.get('body', '')}".strip()
    has_more = request.get("code") or question.get("images") or "```" in text
    return not has_more and not _QUESTION_MARK.search(text) and len(text) <= MAX_THANKS_CHARS


def _decision(draft: DraftRow, decision: DecisionIn, by: Person, course: Course) -> DecisionRow:
    at, before = now(), answer_of(draft, course)
    is_discarded = decision.outcome is Outcome.DISCARDED
    if not is_discarded and not before:
        _demand_answer(draft, decision)
    text = _final_text(before, decision, mark_of(draft, course))
    changed = Extent(0, 0.0, 0.0) if is_discarded else extent(before, text)
    outcome = Outcome.DISCARDED if is_discarded else _outcome(decision.outcome, before, changed)
    return DecisionRow(
        id=uuid4().hex,
        draft_id=draft.id,
        course_id=draft.course_id,
        outcome=outcome,
        text=text,
        reasons=[one.value for one in dict.fromkeys(decision.reasons)],
        note=decision.note.strip(),
        scores=decision.scores.model_dump(exclude_none=True),
        struck=[] if is_discarded else missing(before, text),
        kept=decision.kept,
        decided_by=by.id,
        decided_by_name=by.name,
        decided_at=at,
        final_at=at + timedelta(seconds=course.review.undo_seconds),
        seconds=decision.seconds,
        pipeline=_configuration(draft).get("pipeline"),
        **_columns(changed),
    )


def _columns(changed: Extent) -> dict[str, Any]:
    return {name: getattr(changed, name) for name in ("edit_distance", "share_deleted", "share_added")}


def _configuration(draft: DraftRow) -> dict[str, Any]:
    return (draft.response or {}).get("configuration") or (draft.error or {}).get("configuration") or {}


def _demand_answer(draft: DraftRow, decision: DecisionIn) -> None:
    """Raises `InvalidInput` for posting a draft without an answer."""
    sentence = str((draft.response or {}).get("answer", ""))
    is_own = decision.text is not None and decision.text.strip() and extent(sentence, decision.text).edit_distance != 0
    if decision.outcome is Outcome.APPROVED or not is_own:
        raise InvalidInput("This draft has no answer to post. Write one as the text, or discard the draft.")


def _final_text(before: str, decision: DecisionIn, mark: str) -> str:
    if decision.outcome is Outcome.DISCARDED:
        if decision.promote:
            raise InvalidInput("A discarded draft has no text to answer from. Leave out `promote`.")
        return ""
    text = without(before, decision.struck) if decision.text is None else without_mark(decision.text, mark).strip()
    if len(text) > MAX_FINAL_CHARS:
        raise TooLarge(f"text has {len(text):,} characters; at most {MAX_FINAL_CHARS:,} can be posted. Shorten it.")
    if not text:
        raise InvalidInput("There is no text to post. Write one, or discard the draft.")
    return text


def _outcome(outcome: Outcome | None, before: str, changed: Extent) -> Outcome:
    """The given outcome, checked against the text, or the one that follows from the text. Raises `InvalidInput`."""
    is_same = bool(before) and changed.edit_distance == 0
    if outcome is Outcome.APPROVED and not is_same:
        raise InvalidInput("The text differs from the draft: send the outcome `edited` or `rewritten`, or none.")
    if outcome in CHANGED and is_same:
        raise InvalidInput("The text equals the draft: send the outcome `approved`, or none.")
    if outcome is not None:
        return outcome
    if is_same:
        return Outcome.APPROVED
    return Outcome.REWRITTEN if not before or changed.share_deleted > REWRITTEN_FROM else Outcome.EDITED

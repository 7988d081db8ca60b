"""`/answers/{answer_id}/vote`: whether an answer helped, and if not, why."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from app.people.rules import needs
from app.problems import responses
from app.review.shadow import is_hidden
from app.routes.services import Wired
from app.schemas import Body, Text
from core.access import Access, Permission
from core.errors import NotDecidable
from core.review import Complaint
from core.store.tables import VoteRow

router = APIRouter(tags=["answers"])

AnswerId = Annotated[Text, Path(description="The `draft_id` of an answer.")]
Asker = Annotated[Access, needs(Permission.ANSWER)]
MAX_NOTE_CHARS = 1_000


class VoteIn(Body):
    """A reader's opinion of an answer."""

    helpful: bool
    reason: Complaint | None = Field(default=None, description="Why it did not help.")
    note: Text = Field(default="", max_length=MAX_NOTE_CHARS, description="The reader's words, for staff.")


@router.put("/answers/{answer_id}/vote", status_code=204, responses=responses(404, 409, 422, 503))
async def vote(answer_id: AnswerId, vote: VoteIn, services: Wired, access: Asker) -> None:
    """Say whether an answer helped. A later vote of the same person or key replaces an earlier one."""
    await _put(services, answer_id, vote, access)


@router.delete("/answers/{answer_id}/vote", status_code=204, responses=responses(404, 503))
async def withdraw_vote(answer_id: AnswerId, services: Wired, access: Asker) -> None:
    """Withdraw your own vote."""
    await services.store.drafts.get(answer_id, access.reach(Permission.DRAFTS_READ, or_own=True))
    await services.store.votes.withdraw(answer_id, access.actor.id)


@router.post("/answers/{answer_id}/vote/page", include_in_schema=False)
async def vote_on_page(
    answer_id: AnswerId,
    services: Wired,
    access: Asker,
    helpful: Annotated[bool, Form()],
    reason: Annotated[str, Form(pattern=f"^({'|'.join(Complaint)}|)$")] = "",
    note: Annotated[Text, Form(max_length=MAX_NOTE_CHARS)] = "",
) -> Response:
    """The same from the answer's page, which asks for the reason afterwards."""
    given = VoteIn(helpful=helpful, reason=Complaint(reason) if reason and not helpful else None, note=note)
    await _put(services, answer_id, given, access)
    return RedirectResponse(f"/answers/{answer_id}#vote", 303)


async def _put(services: Wired, answer_id: str, vote: VoteIn, access: Access) -> None:
    draft = await services.store.drafts.get(answer_id, access.reach(Permission.DRAFTS_READ, or_own=True))
    if not draft.response or is_hidden(await services.review.course(draft.course_id), draft.state, access):
        raise NotDecidable("There is no answer to this question yet, so there is nothing to vote on.")
    row = VoteRow(
        draft_id=draft.id,
        voter=access.actor.id,
        course_id=draft.course_id,
        is_helpful=vote.helpful,
        reason=vote.reason,
        note=vote.note.strip(),
    )
    await services.store.votes.put(row)

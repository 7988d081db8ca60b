"""`GET /drafts` and `POST /drafts/{id}/retry`: stored questions without an answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from app import retrying
from app.drafts import DEFAULT_LIMIT, MAX_LIMIT, find_drafts
from app.problems import responses
from app.response import AnswerResponse
from app.routes.local import demand_local
from app.routes.services import Wired
from app.schemas import DraftsOut, Text
from core.store.tables import DraftState

router = APIRouter(tags=["drafts"], dependencies=[Depends(demand_local)])


@router.get("/drafts", responses=responses(403, 422, 503))
async def drafts(
    services: Wired,
    course: Annotated[Text | None, Query(description="Only drafts of this course.")] = None,
    state: Annotated[DraftState | None, Query(description="Only drafts in this state.")] = None,
    before: Annotated[str | None, Query(description="The `next` of the previous page.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Drafts per page.")] = DEFAULT_LIMIT,
) -> DraftsOut:
    """Drafts, newest first, without anything that a student wrote. For clients on the server's own machine."""
    return await find_drafts(services.store, course, state, before, limit)


@router.post("/drafts/{draft_id}/retry", responses=responses(403, 404, 409, 422, 502, 503, 504))
async def retry(
    draft_id: Annotated[Text, Path(description="The `draft_id` of a problem document.")], services: Wired
) -> AnswerResponse:
    """Answer a failed draft's question again, with the parameters of its request. For clients on the server's own
    machine."""
    return await retrying.retry(services.answering, draft_id)

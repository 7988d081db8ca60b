"""`GET /drafts` and `POST /drafts/{id}/retry`: stored questions without an answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from app.answering import retrying
from app.drafts import DEFAULT_LIMIT, MAX_LIMIT, find_drafts
from app.problems import responses
from app.response import AnswerResponse
from app.routes.parameters import Decider, Reader, deciding
from app.routes.services import Wired
from app.schemas import DraftsOut, Text
from app.views import View
from core.access import Permission
from core.review import QuestionKind
from core.store.drafts.filter import DraftFilter
from core.store.tables import DraftState, now

router = APIRouter(tags=["drafts"])


@router.get("/drafts", responses=responses(422, 503))
async def drafts(
    services: Wired,
    access: Reader,
    course: Annotated[Text | None, Query(description="Only drafts of this course.")] = None,
    state: Annotated[DraftState | None, Query(description="Only drafts in this state.")] = None,
    kind: Annotated[QuestionKind | None, Query(description="Only questions of this kind.")] = None,
    before: Annotated[str | None, Query(description="The `next` of the previous page.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Drafts per page.")] = DEFAULT_LIMIT,
) -> DraftsOut:
    """Drafts, newest first, without anything that a student wrote."""
    if course is not None:
        access.demand(Permission.DRAFTS_READ, course)
    wanted = DraftFilter(now(), (course,) if course else None, (state,) if state else (), kind)
    return await find_drafts(services.store, wanted, before, limit, access.reach(Permission.DRAFTS_READ))


@router.post("/drafts/{draft_id}/retry", responses=responses(404, 409, 422, 502, 503, 504))
async def retry(
    draft_id: Annotated[Text, Path(description="The `draft_id` of a problem document.")],
    services: Wired,
    access: Decider,
) -> AnswerResponse:
    """Answer a failed draft's question again, with the parameters of its request."""
    me = deciding(access)
    draft = await services.review.draft(draft_id, me)
    view = await View.of(access, draft.course_id, services.store)
    return view.response(await retrying.retry(services.answering, draft_id, me.reach, access.key))

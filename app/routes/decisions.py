"""`/drafts/{draft_id}`: reading, claiming and deciding one draft."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from app.edge.requester import requester_of
from app.problems import log_failure, responses
from app.review.correcting import correct_draft
from app.review.feed import ENTRIES, MEDIA_TYPE, atom
from app.review.schemas import ClaimIn, ClaimOut, DecisionIn, DecisionOut, DraftOut
from app.review.stored_draft import read_draft, version_in, wait_for_change
from app.routes.parameters import Decider, DraftId, Reader, deciding, reading
from app.routes.services import Wired
from app.schemas import Text
from core.access import Permission
from core.errors import EduModError
from core.store.decisions import OPEN
from core.store.drafts.filter import DraftFilter
from core.store.tables import now

router = APIRouter(tags=["drafts"])

MAX_WAIT_SECONDS = 25.0
"""Longest long poll: proxies end silent connections after thirty seconds or more."""
IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", description="ETag of the draft that was read; another version is refused with 412."),
]
READ: dict[int | str, dict[str, Any]] = {
    200: {"headers": {"ETag": {"description": "Changes with the draft.", "schema": {"type": "string"}}}},
    304: {"description": "The draft is still the one that `If-None-Match` names."},
}
FEED: dict[int | str, dict[str, Any]] = {200: {"description": "The feed.", "content": {MEDIA_TYPE: {}}}}


@router.get("/drafts/feed", responses={**FEED, **responses(422, 503)}, response_class=Response)
async def draft_feed(
    services: Wired,
    http: Request,
    access: Reader,
    course: Annotated[Text | None, Query(description="Only drafts of this course.")] = None,
) -> Response:
    """The newest drafts that wait, as an Atom feed for a feed reader."""
    if course is not None:
        access.demand(Permission.DRAFTS_READ, course)
        await services.store.courses.get(course)
    wanted = DraftFilter(now(), None if course is None else (course,), OPEN)
    page = await services.store.drafts.page(wanted, None, ENTRIES, reading(access).reach)
    title = "Waiting drafts" if course is None else f"Waiting drafts of {course}"
    return Response(atom(page.drafts, str(http.base_url).rstrip("/"), title), media_type=MEDIA_TYPE)


@router.get("/drafts/{draft_id}", response_model=DraftOut, responses={**READ, **responses(404, 422, 429, 503)})
async def draft(
    draft_id: DraftId,
    services: Wired,
    http: Request,
    response: Response,
    access: Reader,
    wait: Annotated[
        float,
        Query(
            ge=0,
            le=MAX_WAIT_SECONDS,
            description="Seconds to wait for a final decision; with `If-None-Match`, for any change.",
        ),
    ] = 0.0,
    known: Annotated[str | None, Header(alias="If-None-Match")] = None,
) -> DraftOut | Response:
    """A draft with its question, answer and decision. What may be posted is `decision.text`, once `is_final`."""
    with services.long_polls.hold(requester_of(http.scope), wait):
        read = await wait_for_change(services.store, draft_id, reading(access), wait, known)
    if read.etag == known:
        return Response(status_code=304, headers={"ETag": read.etag})
    response.headers["ETag"] = read.etag
    return read.out


@router.post("/drafts/{draft_id}/decision", responses=responses(404, 409, 412, 413, 422, 503))
async def decide(
    draft_id: DraftId,
    decision: DecisionIn,
    services: Wired,
    response: Response,
    access: Decider,
    if_match: IfMatch = None,
) -> DecisionOut:
    """Approve, edit, rewrite or discard a draft. A draft is decided once: 409 shows the decision that counts."""
    me = deciding(access)
    row = await services.review.decide(draft_id, decision, me, version_in(if_match))
    if decision.promote:
        try:
            await services.learning.promote(draft_id, me)
        except EduModError as error:
            # The decision counts whatever becomes of the past question, so it is no failure of the request.
            log_failure(error)
    read = await read_draft(services.store, draft_id, me.reach, me.person)
    response.headers["ETag"] = read.etag
    return DecisionOut.of(read.decision or row, now())


@router.put("/drafts/{draft_id}/decision", responses=responses(404, 409, 413, 422, 503))
async def correct(draft_id: DraftId, correction: DecisionIn, services: Wired, access: Decider) -> DecisionOut:
    """Put another text in place of a final one: webhooks hear of it at once as `draft.corrected`."""
    return DecisionOut.of(
        await correct_draft(services.review, services.learning, draft_id, correction, deciding(access)), now()
    )


@router.delete("/drafts/{draft_id}/decision", status_code=204, responses=responses(404, 409, 503))
async def undo(draft_id: DraftId, services: Wired, access: Decider) -> None:
    """Take back a decision before its `final_at`: the draft waits again."""
    undone = await services.review.undo(draft_id, deciding(access))
    if undone.promoted_at:
        await services.learning.withdraw(draft_id, deciding(access))


@router.post("/drafts/{draft_id}/claim", responses=responses(404, 409, 422, 503))
async def claim(draft_id: DraftId, services: Wired, access: Decider, claim: ClaimIn | None = None) -> ClaimOut:
    """Show others that you review a draft, or hand it over. A claim ends by itself after the course's time."""
    to = claim.to if claim else None
    person, until = await services.review.claim(draft_id, deciding(access), to)
    return ClaimOut(by=person.name, until=until)


@router.delete("/drafts/{draft_id}/claim", status_code=204, responses=responses(404, 503))
async def release(draft_id: DraftId, services: Wired, access: Decider) -> None:
    """Give up your own claim."""
    await services.review.release(draft_id, deciding(access))


@router.post("/drafts/{draft_id}/opinions", responses=responses(404, 409, 413, 422, 503))
async def second_opinion(draft_id: DraftId, opinion: DecisionIn, services: Wired, access: Decider) -> DecisionOut:
    """What a second person would have decided, to measure agreement. Nothing is posted."""
    return DecisionOut.of(await services.review.annotate(draft_id, opinion, deciding(access)), now())

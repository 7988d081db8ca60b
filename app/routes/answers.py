"""`GET /answers/{answer_id}`: a stored answer, as JSON and as a page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import HTMLResponse

from app.answers import MAX_WAIT_SECONDS, read_answer, visible_work, wait_for_answer
from app.edge.accept import accepts
from app.edge.requester import requester_of
from app.people.reads import note_read
from app.problems import responses
from app.routes.parameters import Asker, as_page
from app.routes.services import Wired
from app.schemas import AnswerOut, Text
from app.traces import read_trace
from app.web.render import html_response
from core.access import Permission, Reach
from core.store.drafts.filter import DraftFilter
from core.store.pages import Cursor
from core.store.tables import now

router = APIRouter(tags=["answers"])

QUESTIONS = 30
"""On one page of one's own questions."""


@router.get(
    "/answers/{answer_id}",
    name="stored_answer",
    response_model=AnswerOut,
    responses={**as_page("The answer"), **responses(404, 429, 503)},
)
async def answer(
    answer_id: Annotated[Text, Path(description="The `draft_id` of an answer or problem.")],
    services: Wired,
    http: Request,
    access: Asker,
    wait: Annotated[
        float, Query(ge=0, le=MAX_WAIT_SECONDS, description="Seconds to wait for an answer that is not there yet.")
    ] = 0.0,
) -> AnswerOut | Response:
    """A stored answer with its question, citations and trace, or what became of the question."""
    with services.long_polls.hold(requester_of(http.scope), wait):
        stored = await wait_for_answer(services.store, answer_id, access, wait)
    if stored.status is not None:
        # A page that waits for its answer looks again and again.
        note_read(services.store, access.actor, "answer.read", stored.course_id, stored.id)
    if not accepts("text/html", http):
        return stored
    reach = access.reach(Permission.DRAFTS_READ, or_own=True)
    trace = await read_trace(services.store, stored.trace_id, reach) if stored.trace_id else None
    vote = await services.store.votes.of(stored.id, access.actor.id)
    work = visible_work(stored)
    return await html_response("answer.html", answer=stored, work=work, trace=trace, vote=vote, may_vote=True)


@router.get("/questions", response_class=HTMLResponse, include_in_schema=False)
async def own_questions(
    services: Wired, access: Asker, before: Annotated[str | None, Query(max_length=200)] = None
) -> HTMLResponse:
    """What one has asked, newest first, and what became of it."""
    mine = Reach(frozenset(), access.actor.id)
    cursor = Cursor.decode(before, "before") if before else None
    page = await services.store.drafts.page(DraftFilter(now()), cursor, QUESTIONS, mine)
    answers = [await read_answer(services.store, draft.id, access) for draft in page.drafts]
    return await html_response("questions.html", answers=answers, next=page.next.encode() if page.next else None)

"""`GET /answers/{answer_id}`: a stored answer, as JSON and as a page."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import HTMLResponse

from app.answers import read_answer, visible_work
from app.edge.accept import accepts
from app.people.reads import note_read
from app.people.rules import needs
from app.problems import responses
from app.routes.services import Wired
from app.schemas import AnswerOut, Text
from app.traces import read_trace
from app.web.render import render
from core.access import Access, Permission
from core.concurrency import in_thread

router = APIRouter(tags=["answers"])

AS_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The answer; with `Accept: text/html`, as a page.", "content": {"text/html": {}}}
}


@router.get(
    "/answers/{answer_id}",
    name="stored_answer",
    response_model=AnswerOut,
    responses={**AS_PAGE, **responses(404, 503)},
)
async def answer(
    answer_id: Annotated[Text, Path(description="The `draft_id` of an answer or problem.")],
    services: Wired,
    http: Request,
    access: Annotated[Access, needs(Permission.ANSWER)],
) -> AnswerOut | Response:
    """A stored answer with its question, citations and trace, or what became of the question."""
    shown = await read_answer(services.store, answer_id, access)
    if shown.status is not None:
        # A page that waits for its answer looks again and again.
        note_read(services.store, access.actor, "answer.read", shown.course_id, shown.id)
    if not accepts("text/html", http):
        return shown
    reach = access.reach(Permission.DRAFTS_READ, or_own=True)
    trace = await read_trace(services.store, shown.trace_id, reach) if shown.trace_id else None
    vote = await services.store.votes.of(shown.id, access.actor.id)
    # Formulas and code may take a while.
    return HTMLResponse(
        await in_thread(
            lambda: render("answer.html", answer=shown, work=visible_work(shown), trace=trace, vote=vote, may_vote=True)
        )
    )

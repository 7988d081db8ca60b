"""`GET /answers/{answer_id}`: a stored answer, as JSON and as a page."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import HTMLResponse

from app.answers import shown_work, stored_answer
from app.edge.accept import accepts
from app.people.reads import note_read
from app.people.rules import needs
from app.problems import responses
from app.routes.services import Wired
from app.schemas import AnswerOut, Text
from app.traces import stored_trace
from app.views import View
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
    reach = access.reach(Permission.DRAFTS_READ, or_own=True)
    found = await stored_answer(services.store, answer_id, reach)
    note_read(services.store, access.actor, "answer.read", found.course_id, found.id)
    shown = (await View.of(access, found.course_id, services.store)).answer(found)
    if not accepts("text/html", http):
        return shown
    trace = await stored_trace(services.store, found.trace_id, reach) if found.trace_id else None
    vote = await services.store.votes.of(found.id, access.actor.id)
    # Formulas and code may take a while.
    return HTMLResponse(
        await in_thread(
            lambda: render("answer.html", answer=shown, work=shown_work(shown), trace=trace, vote=vote, may_vote=True)
        )
    )

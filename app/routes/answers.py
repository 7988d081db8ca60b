"""`GET /answers/{answer_id}`: a stored answer, as JSON and as a page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from app.answers import read_answer, visible_work
from app.edge.accept import accepts
from app.people.reads import note_read
from app.problems import responses
from app.routes.parameters import Asker, as_page
from app.routes.services import Wired
from app.schemas import AnswerOut, Text
from app.traces import read_trace
from app.web.render import html_response
from core.access import Permission

router = APIRouter(tags=["answers"])


@router.get(
    "/answers/{answer_id}",
    name="stored_answer",
    response_model=AnswerOut,
    responses={**as_page("The answer"), **responses(404, 503)},
)
async def answer(
    answer_id: Annotated[Text, Path(description="The `draft_id` of an answer or problem.")],
    services: Wired,
    http: Request,
    access: Asker,
) -> AnswerOut | Response:
    """A stored answer with its question, citations and trace, or what became of the question."""
    stored = await read_answer(services.store, answer_id, access)
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

"""`GET /traces/{trace_id}`: the steps of a run, as JSON and as a page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse

from app.people.reads import note_read
from app.people.rules import needs
from app.problems import responses
from app.routes.services import Wired
from app.schemas import Text, TraceOut
from app.traces import read_trace
from app.views import View
from app.web.render import render
from core.access import Access, Permission
from core.errors import NotFound

router = APIRouter(tags=["answers"])

TraceId = Annotated[Text, Path(description="The `trace_id` of an answer.")]
Mine = Annotated[Access, needs(Permission.ANSWER)]


@router.get("/traces/{trace_id}", responses=responses(404))
async def trace(trace_id: TraceId, services: Wired, access: Mine) -> TraceOut:
    """Every step of a stored run. `/traces/{trace_id}/page` shows the same to a browser."""
    stored = await read_trace(services.store, trace_id, access.reach(Permission.DRAFTS_READ, or_own=True))
    note_read(services.store, access.actor, "trace.read", stored.course_id, stored.id)
    view = await View.of(access, stored.course_id, services.store)
    return view.trace(stored, await view.decision(stored.draft_id, stored.state))


@router.get("/traces/{trace_id}/page", response_class=HTMLResponse, include_in_schema=False)
async def page(trace_id: TraceId, services: Wired, access: Mine) -> HTMLResponse:
    """The trace as a page; an unknown trace gives a page with status 404."""
    try:
        stored = await read_trace(services.store, trace_id, access.reach(Permission.DRAFTS_READ, or_own=True))
    except NotFound as error:
        return HTMLResponse(render("trace.html", trace=None, error=error.public), error.status)
    note_read(services.store, access.actor, "trace.read", stored.course_id, stored.id)
    view = await View.of(access, stored.course_id, services.store)
    shown = view.trace(stored, await view.decision(stored.draft_id, stored.state))
    return HTMLResponse(render("trace.html", trace=shown, has_scores=view.has_scores, error=None))

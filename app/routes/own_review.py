"""What belongs to one reviewer: her last decisions, and the filters that she keeps."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Form
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.review.own_decisions import own_decisions
from app.review.queue import QueueFilter
from app.routes.parameters import Reader, queue_filter, reading
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import html_response
from core.errors import InvalidInput
from core.store.tables import SavedFilterRow, now

router = APIRouter(include_in_schema=False)

LISTED = 50
WITHIN = timedelta(days=7)
MAX_FILTERS = 30


@router.get("/review/decisions", response_class=HTMLResponse)
async def decisions(services: Wired, access: Reader) -> HTMLResponse:
    """One's own decisions of the last days: undone within their time, corrected afterwards."""
    me = reading(access)
    rows = await own_decisions(services.review, me, now() - WITHIN, LISTED)
    return await html_response("own_decisions.html", rows=rows, reviewer=me.person)


@router.post("/review/filters", response_class=HTMLResponse)
async def filters(
    services: Wired,
    access: Reader,
    wanted: Annotated[QueueFilter, Depends(queue_filter)],
    name: Annotated[Text, Form(max_length=60)] = "",
    forget: Annotated[Text, Form(max_length=60)] = "",
) -> Response:
    """Keep the filters of the address under a name, or forget those of one."""
    me, saved = access.actor, services.store.saved_filters
    if forget:
        await saved.remove(me.id, forget)
    elif name.strip():
        if len(await saved.of(me.id)) >= MAX_FILTERS:
            raise InvalidInput(f"At most {MAX_FILTERS} filters can be kept. Forget one first.")
        await saved.put(SavedFilterRow(person=me.id, name=name.strip(), query=wanted.query))
    return RedirectResponse(wanted.address(), 303)

"""`POST /answer`."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request, Response

from app.answering.deferred import ACCEPTED
from app.answering.delivery import IdempotencyHeader, PreferHeader, deliver
from app.answering.events import EVENTS, MODELS
from app.answering.parameters import RequestQuery, chosen, described
from app.answering.question import asked_in, idempotency_key
from app.answering.streaming import MEDIA_TYPE, REPLAYED
from app.description.examples import ANSWER_REQUESTS, ANSWERS
from app.problems import responses
from app.response import AnswerResponse
from app.routes.parameters import Asker
from app.routes.services import Wired
from app.schemas import AnswerRequest
from app.views import View
from core.access import Permission

router = APIRouter(tags=["answers"])

STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `Accept: text/event-stream`, as server-sent events with ids:\n\n"
        + "\n".join(f"- `{name}`: {what}" for name, what in EVENTS.items()),
        "headers": {REPLAYED: {"description": "The answer was given before.", "schema": {"const": "true"}}},
        "content": {
            "application/json": {"examples": ANSWERS},
            MEDIA_TYPE: {"schema": {"oneOf": [{"$ref": f"#/components/schemas/{one.__name__}"} for one in MODELS]}},
        },
    }
}


@router.post(
    "/answer",
    response_model=AnswerResponse,
    responses={**STREAMED, **ACCEPTED, **responses(400, 409, 413, 422, 502, 503, 504)},
    openapi_extra={"parameters": described()},
)
async def answer(
    request: Annotated[AnswerRequest, Body(openapi_examples=ANSWER_REQUESTS)],
    query: Annotated[RequestQuery, Depends(chosen)],
    services: Wired,
    access: Asker,
    http: Request,
    response: Response,
    key: IdempotencyHeader = None,
    prefer: PreferHeader = None,
) -> AnswerResponse | Response:
    """Draft an answer to a student's question from the course's own material, with citations and a trace."""
    access.demand(Permission.ANSWER, request.course)
    parameters = query.checked()
    asked = await asked_in(request, services.settings, access)
    own_key = await idempotency_key(key, request, parameters, access)
    view = await View.of(access, request.course, services.store)
    work = view.work(partial(services.answering.answer, asked, parameters.choices, own_key))
    return await deliver(work, http, prefer, response)

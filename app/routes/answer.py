"""`POST /answer`."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from app.problems import responses
from app.routes.services import Wired
from app.schemas import AnswerParameters, AnswerRequest, AnswerResponse
from app.streaming import EVENTS, MEDIA_TYPE, stream

router = APIRouter(tags=["answers"])

STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `Accept: text/event-stream`, as server-sent events with ids:\n\n"
        + "\n".join(f"- `{name}`: {what}" for name, what in EVENTS.items()),
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}


@router.post(
    "/answer", response_model=AnswerResponse, responses={**STREAMED, **responses(400, 409, 413, 422, 502, 503, 504)}
)
async def answer(
    request: AnswerRequest,
    parameters: Annotated[AnswerParameters, Query()],
    services: Wired,
    http: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            min_length=1,
            max_length=255,
            description="Repeating a request with its key returns the same answer.",
        ),
    ] = None,
) -> AnswerResponse | Response:
    """Draft an answer to a student's question from the course's own material, with citations and a trace."""
    work = partial(services.answering.answer, request, parameters, idempotency_key)
    return await stream(work, http.url.path) if MEDIA_TYPE in http.headers.get("accept", "") else await work()

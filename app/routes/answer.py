"""`POST /answer`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query

from app.problems import responses
from app.routes.services import Wired
from app.schemas import AnswerParameters, AnswerRequest, AnswerResponse

router = APIRouter(tags=["answers"])


@router.post("/answer", responses=responses(400, 409, 413, 422, 502, 503, 504))
async def answer(
    request: AnswerRequest,
    parameters: Annotated[AnswerParameters, Query()],
    services: Wired,
    idempotency_key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            min_length=1,
            max_length=255,
            description="Repeating a request with its key returns the same answer.",
        ),
    ] = None,
) -> AnswerResponse:
    """Draft an answer to a student's question from the course's own material, with citations and a trace."""
    return await services.answering.answer(request, parameters, idempotency_key)

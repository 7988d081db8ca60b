"""`POST /feedback`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request, Response

from app.answering.deferred import ACCEPTED
from app.answering.delivery import IdempotencyHeader, PreferHeader, deliver
from app.answering.homework import homework_request
from app.answering.parameters import RequestQuery, chosen, described
from app.answering.question import asked_in, idempotency_key
from app.description.examples import FEEDBACK_REQUESTS
from app.problems import responses
from app.response import AnswerResponse, FeedbackResponse
from app.routes.parameters import Asker
from app.routes.services import Wired
from app.schemas import FeedbackRequest
from app.views import View
from core.access import Permission
from pipelines import FEEDBACK_PIPELINES
from pipelines.configuration import demand_feedback

router = APIRouter(tags=["answers"])


@router.post(
    "/feedback",
    response_model=FeedbackResponse,
    responses={**ACCEPTED, **responses(400, 409, 413, 422, 502, 503, 504)},
    openapi_extra={"parameters": described()},
)
async def feedback(
    request: Annotated[FeedbackRequest, Body(openapi_examples=FEEDBACK_REQUESTS)],
    query: Annotated[RequestQuery, Depends(chosen)],
    services: Wired,
    access: Asker,
    http: Request,
    response: Response,
    key: IdempotencyHeader = None,
    prefer: PreferHeader = None,
) -> FeedbackResponse | Response:
    """Draft feedback on a student's homework by five criteria, with what was computed as evidence."""
    access.demand(Permission.ANSWER, request.course)
    parameters = query.checked()
    demand_feedback(parameters.pipeline)
    exercise = await services.assistant.find_exercise(request.course, request.assignment, request.question)
    question = await homework_request(request, exercise, services.settings, services.assistant.reader)
    asked = await asked_in(question, services.settings, access)
    choices = {"pipeline": FEEDBACK_PIPELINES[0].name, **parameters.choices}
    own_key = await idempotency_key(key, question, parameters, access)
    view = await View.of(access, request.course, services.store)
    work = view.work(partial(services.answering.answer, asked, choices, own_key))
    given = await deliver(work, http, prefer, response)
    return FeedbackResponse.of(given) if isinstance(given, AnswerResponse) else given
